import assert from 'node:assert/strict';
import { test } from 'node:test';
import { areComparable, measureSentence, questionName } from './figure-text.ts';
import type { ModelMeasure } from './model-figures.ts';

const METRICS = { recall: 0.2, ndcg: 0.1, mrr: 0.1, coverage: 0.5, hit_rate: 0.2144 };
const MEASURE: ModelMeasure = {
  objective: 'discover',
  moment: 'arriving',
  asked_for: 'next visits',
  model: METRICS,
  popularity: METRICS,
  users: 800,
  questions: 800,
  intervals: { recall: [0.1, 0.3], ndcg: [0.05, 0.15], hit_rate: [0.19, 0.2401] },
  touched_share: 0,
};

test('a figure is said in a sentence, with its interval', () => {
  assert.equal(
    measureSentence(MEASURE, 10),
    'Of 1,000 returning users, for 214 (190 to 240) the list of 10 had something new to the user that they then took.',
  );
  assert.match(measureSentence({ ...MEASURE, days: 13.7 }, 10), /that they then took, within 14 days\.$/);
  assert.match(measureSentence({ ...MEASURE, days: 1.3 }, 10), /within 1\.3 days\.$/);
  assert.match(measureSentence({ ...MEASURE, days: 1 }, 10), /within a day\.$/);
  assert.equal(questionName(MEASURE), 'discover, on arriving');
});

test('models are comparable only if they were asked the same question', () => {
  const browsing = { ...MEASURE, moment: 'browsing', asked_for: 'next item' } as const;
  assert.ok(areComparable([{ by_question: [MEASURE, browsing] }, null, { by_question: [MEASURE] }]));
  assert.ok(!areComparable([{ by_question: [MEASURE] }, { by_question: [browsing] }]));
  assert.ok(!areComparable([{ by_question: [MEASURE] }, {}]), 'models of 0.1.0 did not say what they were asked');
  const of = (days: number) => ({ by_question: [{ ...MEASURE, days }] });
  assert.ok(areComparable([of(14), of(13)]));
  assert.ok(!areComparable([of(14), of(71)]), 'what is taken within a longer time is easier to find');
  assert.ok(!areComparable([of(14), { by_question: [MEASURE] }]), 'earlier models did not say how long it was');
});

test('a question is named by what was wanted and when', () => {
  assert.equal(questionName({ ...MEASURE, moment: 'browsing' }), 'discover, while browsing');
  assert.equal(questionName({ ...MEASURE, objective: 'any', asked_for: 'random fifth' }), 'any, without times');
});

test('the sentence is of the question that was asked', () => {
  const wanted = (['discover', 'continue', 'again', 'any'] as const).map((objective) =>
    measureSentence({ ...MEASURE, objective }, 10),
  );
  const asked = (['next visits', 'next item', 'random fifth'] as const).map((asked_for) =>
    measureSentence({ ...MEASURE, asked_for }, 10),
  );
  assert.equal(new Set([...wanted, ...asked]).size, 6);
  for (const sentence of [...wanted, ...asked]) assert.doesNotMatch(sentence, /undefined|held \.| {2}/);
  const { hit_rate, ...older } = METRICS;
  assert.match(measureSentence({ ...MEASURE, model: older }, 5), /for 0 \(190 to 240\) the list of 5/);
});
