import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom } from '../base/seeded-random.ts';
import { MAX_SCORE_BYTES, shownScore, writeScore } from './shown-score.ts';

const written = (score: number): string => {
  const bytes = new Uint8Array(MAX_SCORE_BYTES + 1);
  return Buffer.from(bytes.subarray(1, writeScore(score, bytes, 1))).toString();
};

test('a score is shown with six decimals, and a small or large one with its digits', () => {
  assert.equal(shownScore(Math.fround(3.4567891)), 3.456789);
  assert.equal(shownScore(-12.5), -12.5);
  assert.equal(shownScore(1e-5 / 3), 0.000003333333);
  assert.equal(shownScore(1_763_290_000_123), 1_763_290_000_123);
  assert.equal(shownScore(0), 0);
});

test('the bytes of a score are those of its JSON', () => {
  const random = seededRandom(7);
  const scores = [
    0, -0, 1, -1, 9.9999999, 0.9999999, 99.9999996, 1e-3, -1e-3, 1e-7, 5e-324, 999_999_999.9999999, 1e9, 1e21,
  ];
  for (let n = 0; n < 5000; n++) scores.push(random.normal() * 10 ** (random.below(24) - 9));
  for (let n = 0; n < 5000; n++) scores.push(Math.fround(random.normal() * 5));
  for (const score of scores) assert.equal(written(score), JSON.stringify(shownScore(score)), String(score));
});
