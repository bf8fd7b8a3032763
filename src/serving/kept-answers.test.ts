import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KeptAnswers } from './kept-answers.ts';

const source = { deployment: {}, model: {}, eventsVersion: 3, catalogueVersion: 5 };

test('an answer is given again only while everything it was made from is the same', () => {
  const answers = new KeptAnswers(10_000);
  answers.keep('u1', source, 'text');
  assert.equal(answers.find('u1', { ...source }), 'text');
  assert.equal(answers.find('u2', source), null);
  for (const change of [{ deployment: {} }, { model: {} }, { eventsVersion: 4 }, { catalogueVersion: 6 }]) {
    assert.equal(answers.find('u1', { ...source, ...change }), null);
  }
});

test('the oldest answers go when the budget is used up, and the count of bytes stays true', () => {
  const answers = new KeptAnswers(1000);
  for (let n = 0; n < 100; n++) answers.keep(`u${n % 10}`, source, 'x'.repeat(100));
  assert.ok(answers.bytes <= 1000);
  assert.equal(answers.find('u9', source)?.length, 100);
  assert.equal(answers.find('u0', source), null);
  answers.keep('huge', source, 'x'.repeat(5000));
  assert.equal(answers.bytes, 0);
});
