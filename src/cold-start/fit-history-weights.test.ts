import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom } from '../domain/seeded-random.ts';
import { type Choices, fitHistoryWeights } from './fit-history-weights.ts';

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
): Choices {
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

test('planted weights are found, on the scale of the scores', () => {
  const { counts, weights } = fitHistoryWeights([
    planted(1, { tau: 1, lambda: 1.2 }),
    planted(5, { tau: 2, lambda: 1 }),
  ])!;
  assert.deepEqual(counts, [1, 5]);
  assert.ok(Math.abs(weights[0] - 1.2) < 0.25, String(weights));
  assert.ok(Math.abs(weights[1] - 0.5) < 0.15, String(weights));
});

test('attributes that say nothing get no weight', () => {
  assert.equal(fitHistoryWeights([planted(1, { tau: 1, lambda: 0 }), planted(2, { tau: 1, lambda: 0 })]), null);
  assert.equal(fitHistoryWeights([planted(1, { tau: 1, lambda: -1 })]), null);
});

test('a longer history never gives attributes more weight', () => {
  const lengths = [1, 2, 5, 10, 20];
  const { weights } = fitHistoryWeights(lengths.map((length) => planted(length, { tau: 1, lambda: 0.8 })))!;
  for (let n = 1; n < weights.length; n++) assert.ok(weights[n] <= weights[n - 1]);
  assert.ok(Math.abs(weights[0] - 0.8) < 0.2);
});

test('few choices, equal scores and scores that say nothing are no trouble', () => {
  assert.equal(fitHistoryWeights([]), null);
  assert.equal(fitHistoryWeights([planted(1, { tau: 1, lambda: 2, count: 20 })]), null);
  const flat = { ...planted(1, { tau: 0, lambda: 1.5 }), scores: new Float32Array(600 * OPTIONS) };
  const { weights } = fitHistoryWeights([flat])!;
  assert.ok(Number.isFinite(weights[0]) && weights[0] > 0 && weights[0] <= 10);
  const nothing = { ...flat, lifts: new Float32Array(600 * OPTIONS) };
  assert.equal(fitHistoryWeights([nothing]), null);
});
