import assert from 'node:assert/strict';
import { test } from 'node:test';
import { linearScale, ticks } from './scale.ts';

test('ticks are round and stay inside', () => {
  assert.deepEqual(ticks(0, 1, 5), [0, 0.2, 0.4, 0.6, 0.8, 1]);
  assert.deepEqual(ticks(0, 930, 4), [0, 250, 500, 750]);
  assert.deepEqual(ticks(3, 3, 4), [3]);
});

test('a scale inverts itself', () => {
  const scale = linearScale([0, 0.5], [10, 110]);
  assert.equal(scale(0.25), 60);
  assert.equal(scale.invert(60), 0.25);
});
