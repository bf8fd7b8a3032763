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
    'Of 1,000 returning users, for 214 (190 to 240) the list of 10 held something new to the user that they then took.',
  );
  assert.equal(questionName(MEASURE), 'discover, on arriving');
});

test('models are comparable only if they were asked the same question', () => {
  const browsing = { ...MEASURE, moment: 'browsing', asked_for: 'next item' } as const;
  assert.ok(areComparable([{ by_question: [MEASURE, browsing] }, null, { by_question: [MEASURE] }]));
  assert.ok(!areComparable([{ by_question: [MEASURE] }, { by_question: [browsing] }]));
  assert.ok(!areComparable([{ by_question: [MEASURE] }, {}]), 'models of 0.1.0 did not say what they were asked');
});
