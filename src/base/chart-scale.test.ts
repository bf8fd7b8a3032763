import assert from 'node:assert/strict';
import { test } from 'node:test';
import { linearScale, niceAxis, niceTicks } from './chart-scale.ts';

test('ticks are round and stay inside', () => {
  assert.deepEqual(niceTicks(0, 1, 5), [0, 0.2, 0.4, 0.6, 0.8, 1]);
  assert.deepEqual(niceTicks(0, 930, 4), [0, 250, 500, 750]);
  assert.deepEqual(niceTicks(0, 94, 10), [0, 10, 20, 30, 40, 50, 60, 70, 80, 90]);
  assert.deepEqual(niceTicks(0, 0.07, 4), [0, 0.02, 0.04, 0.06]);
  assert.deepEqual(niceTicks(0.25, 0.9, 3), [0.25, 0.5, 0.75]);
  assert.deepEqual(niceTicks(3, 9, 3), [4, 6, 8]);
  assert.deepEqual(niceTicks(-30, 20, 5), [-30, -20, -10, 0, 10, 20]);
  assert.deepEqual(niceTicks(3, 3, 4), [3]);
  assert.deepEqual(niceTicks(0, Number.NaN, 5), [0]);
  assert.deepEqual(niceTicks(0, 3, 5, { wholeNumbers: true }), [0, 1, 2, 3]);
});

test('an axis ends at a round number that the data does not exceed', () => {
  assert.deepEqual(niceAxis(3, 5, { wholeNumbers: true }), { end: 3, ticks: [0, 1, 2, 3] });
  assert.deepEqual(niceAxis(2271, 5, { wholeNumbers: true }), { end: 2500, ticks: [0, 500, 1000, 1500, 2000, 2500] });
  assert.deepEqual(niceAxis(0, 5), { end: 1, ticks: [0, 1] });
});

test('a scale inverts itself', () => {
  const scale = linearScale([0, 0.5], [10, 110]);
  assert.equal(scale(0.25), 60);
  assert.equal(scale.invert(60), 0.25);
});

test('an axis of a single tick, or of the data itself, ends at or above the data', () => {
  for (const [max, count] of [
    [0.3, 1],
    [7, 1],
    [1000, 4],
    [1.0000000001, 5],
    [0.1 + 0.2, 3],
  ]) {
    const { end, ticks } = niceAxis(max, count);
    assert.ok(end >= max * (1 - 1e-9), `${end} for ${max}`);
    assert.equal(ticks.at(-1), end);
    assert.equal(ticks[0], 0);
  }
  assert.deepEqual(niceAxis(1000, 4).end, 1000);
});

test('whole ticks are at least one apart', () => {
  assert.deepEqual(niceTicks(0, 10, 4, { wholeNumbers: true }), [0, 3, 6, 9]);
  assert.deepEqual(niceTicks(0, 10, 4), [0, 2.5, 5, 7.5, 10]);
  assert.deepEqual(niceTicks(0, Number.POSITIVE_INFINITY, 4), [0]);
  assert.deepEqual(niceTicks(-1.5e308, 1.5e308, 4), [-1.5e308]);
  assert.deepEqual(niceTicks(5, 2, 4), [5]);
  assert.deepEqual(niceTicks(0, 7, 0), [0]);
});

test('a scale of no width, or onto no width, has a position for its value', () => {
  assert.equal(linearScale([3, 3], [10, 110])(3), 10);
  assert.equal(linearScale([0, 5], [10, 10]).invert(10), 0);
  assert.equal(linearScale([10, 20], [100, 0])(15), 50);
  assert.equal(linearScale([10, 20], [100, 0]).invert(75), 12.5);
});
