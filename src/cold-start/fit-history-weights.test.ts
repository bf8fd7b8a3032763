import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom } from '../base/seeded-random.ts';
import { weightTowards } from './fit-choice-weight.ts';
import { fitHistoryWeights, type LengthChoices } from './fit-history-weights.ts';

const OPTIONS = 40;

function drawn(masses: readonly number[], chance: number): number {
  let left = chance * masses.reduce((sum, mass) => sum + mass, 0);
  let chosen = 0;
  for (const [n, mass] of masses.entries()) {
    chosen = n;
    left -= mass;
    if (left <= 0) break;
  }
  return chosen;
}

/** Choices that really follow exp(tau · score + lambda · lift). */
function planted(
  length: number,
  { tau, lambda, count = 600 }: { tau: number; lambda: number; count?: number },
): LengthChoices {
  const { next: chance } = seededRandom(length);
  const scores = new Float32Array(count * OPTIONS);
  const lifts = new Float32Array(count * OPTIONS);
  for (let from = 0; from < scores.length; from += OPTIONS) {
    const masses = Array.from({ length: OPTIONS }, (_, n) => {
      scores[from + n] = chance() * 3;
      lifts[from + n] = chance() < 0.3 ? chance() * 2 : 0;
      return Math.exp(tau * scores[from + n] + lambda * lifts[from + n]);
    });
    const chosen = drawn(masses, chance());
    for (const values of [scores, lifts]) {
      [values[from], values[from + chosen]] = [values[from + chosen], values[from]];
    }
  }
  return { length, options: OPTIONS, scores, lifts };
}

const lengthsWith = (of: (length: number) => LengthChoices) => [0, 1, 2, 5, 10, 20].map(of);

test('planted weights are found, on the scale of the scores', () => {
  const { counts, weights } = fitHistoryWeights([
    planted(1, { tau: 1, lambda: 1.2 }),
    planted(5, { tau: 2, lambda: 1 }),
  ]);
  assert.deepEqual(counts, [0, 1, 2, 5, 10, 20]);
  assert.ok(Math.abs(weights[1] - 1.2) < 0.25, String(weights));
  assert.ok(Math.abs(weights[3] - 0.5) < 0.15, String(weights));
});

test('attributes that say nothing get hardly any weight', () => {
  for (const lambda of [0, -1]) {
    const { weights } = fitHistoryWeights(lengthsWith((length) => planted(length, { tau: 1, lambda })));
    for (const weight of weights) assert.ok(weight < 0.15, String(weights));
  }
});

test('a longer history never gives attributes more weight', () => {
  const { weights } = fitHistoryWeights(lengthsWith((length) => planted(length, { tau: 1, lambda: 0.8 })));
  for (let n = 1; n < weights.length; n++) assert.ok(weights[n] <= weights[n - 1]);
  assert.ok(Math.abs(weights[0] - 0.8) < 0.2);
});

test('where nothing was asked attributes count, the less the longer the history', () => {
  const { weights } = fitHistoryWeights([]);
  assert.ok(weights[0] === 1 && weights[1] > 0.5 && weights[5] > 0 && weights[5] < 0.1, String(weights));
  for (let n = 1; n < weights.length; n++) assert.ok(weights[n] < weights[n - 1]);
});

test('few choices, equal scores and scores that say nothing are no trouble', () => {
  const few = fitHistoryWeights([planted(1, { tau: 1, lambda: 2, count: 3 })]);
  assert.ok(few.weights[1] > 0.3 && few.weights[1] < 2, String(few.weights));
  const flat = { ...planted(1, { tau: 0, lambda: 1.5 }), scores: new Float32Array(600 * OPTIONS) };
  const { weights } = fitHistoryWeights([flat]);
  assert.ok(Number.isFinite(weights[1]) && weights[1] > 0 && weights[1] <= 10);
  const nothing = { ...flat, lifts: new Float32Array(600 * OPTIONS) };
  assert.ok(Math.abs(fitHistoryWeights([nothing]).weights[1] - fitHistoryWeights([]).weights[1]) < 1e-3);
});

test('a weight stays near what is taken for it until choices say otherwise, and is never below 0', () => {
  const prior = { mean: 1, deviation: 0.5 };
  const weightOf = (lambda: number, count: number) => weightTowards(planted(3, { tau: 1, lambda, count }), prior);
  assert.equal(weightTowards({ options: OPTIONS, scores: new Float32Array(0), lifts: new Float32Array(0) }, prior), 1);
  assert.ok(Math.abs(weightOf(0.2, 600) - 0.2) < 0.2, 'many choices decide');
  assert.ok(Math.abs(weightOf(0.2, 4) - 1) < Math.abs(weightOf(0.2, 600) - 1), 'few hardly do');
  assert.equal(weightOf(-2, 600), 0);
  const flat = { options: 4, scores: new Float32Array(8), lifts: new Float32Array(8) };
  assert.ok(Math.abs(weightTowards(flat, prior) - 1) < 1e-3, 'choices without any difference say nothing');
});
