import assert from 'node:assert/strict';
import { test } from 'node:test';
import { plainBlends } from './blends.ts';
import type { ExpertSpec } from './expert-spec.ts';

const SPECS: ExpertSpec[] = [
  { family: 'walk', gamma: 1, beta: 0.5, delta: 0, rho: 0.4 },
  { family: 'transitions', variant: 'mk2-4' },
  { family: 'transitions', variant: 'mk1' },
  { family: 'popularity', half_life_days: null },
];

test('an expert that does not read the newest item never leads alone: it has nothing to say of one event', () => {
  const { single } = plainBlends(SPECS, [0.1, 0.9, 0.2, 0.05], 10_000);
  assert.equal(single.weights[2], 1);
  assert.ok(single.weights[1] < 0.1);
});

test('the last blend is close to what is popular, and taste orders the rest', () => {
  const { equal } = plainBlends(SPECS, [0.1, 0.1, 0.1, 0.1], 10_000);
  assert.deepEqual(equal.at(-1)!.weights, [0.5, 0.5, 0.5, 30]);
});
