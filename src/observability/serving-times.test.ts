import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ServingTimes } from './serving-times.ts';

const NOW = 1_800_000_000_000;
const near = (actual: number | null, expected: number) =>
  assert.ok(actual !== null && Math.abs(actual / expected - 1) < 0.15, `${actual} is not near ${expected}`);

test('quantiles are near the truth, for each account on its own', () => {
  const times = new ServingTimes(NOW - 3_600_000);
  for (let n = 1; n <= 1000; n++) times.observe('a', n / 10, NOW);
  times.observe('b', 7, NOW);
  const { calls, p50_ms, p99_ms } = times.read('a', NOW);
  assert.equal(calls, 1000);
  near(p50_ms, 50);
  near(p99_ms, 99);
  near(times.read('b', NOW).p99_ms, 7);
  assert.deepEqual(times.read('nobody', NOW), { minutes: 5, calls: 0, p50_ms: null, p99_ms: null });
});

test('calls of the last 5 to 10 minutes count, and tiny and huge times too', () => {
  const times = new ServingTimes(NOW - 3_600_000);
  for (const ms of [0, 0.0001, 1e9]) times.observe('a', ms, NOW);
  assert.equal(times.read('a', NOW + 5 * 60_000).calls, 3);
  times.observe('a', 1, NOW + 5 * 60_000);
  assert.equal(times.read('a', NOW + 5 * 60_000).calls, 4);
  assert.equal(times.read('a', NOW + 10 * 60_000).calls, 1);
  assert.equal(times.read('a', NOW + 60 * 60_000).calls, 0);
});

test('no minutes from before the start count', () => {
  const times = new ServingTimes(NOW);
  assert.deepEqual(
    [0, 10_000, 150_000, 3_600_000].map((ms) => times.read('a', NOW + ms).minutes),
    [1, 1, 3, 5],
  );
});
