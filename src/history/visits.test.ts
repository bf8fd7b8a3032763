import assert from 'node:assert/strict';
import { test } from 'node:test';
import { timeScaleOf, visitEnd, visitGapMs, visitStart } from './visits.ts';

const DAY = 86_400_000;
const MINUTE = 60_000;
const NOW = 1_700_000_000_000;
const scaleOf = (...users: number[][]) => {
  const offsets = [0];
  for (const times of users) offsets.push(offsets.at(-1)! + times.length);
  return timeScaleOf(Float64Array.from(users.flat()), Uint32Array.from(offsets));
};

test('times say nothing, an order, days or moments', () => {
  assert.equal(scaleOf(), 'set');
  assert.equal(scaleOf([5, 5], [7]), 'set');
  assert.equal(scaleOf([0, 1, 2], [0, 1]), 'order');
  assert.equal(scaleOf([1_500_000_000, 1_500_000_900]), 'order');
  assert.equal(scaleOf([15_000 * DAY, 15_002 * DAY], [15_001 * DAY]), 'days');
  assert.equal(scaleOf([NOW, NOW + 1000]), 'times');
});

test('a few users decide nothing', () => {
  const imported = Array.from({ length: 1000 }, () => [NOW, NOW, NOW]);
  const live = (count: number) => Array.from({ length: count }, (_, user) => [NOW, NOW + user * MINUTE + 1000]);
  assert.equal(scaleOf(...imported, ...live(5)), 'set', 'an import at one time');
  assert.equal(scaleOf(...imported, ...live(50)), 'times');
  const alone = Array.from({ length: 1000 }, () => [NOW]);
  assert.equal(scaleOf(...alone, ...live(5)), 'times', 'who has one event says nothing of order');
  const stamped = imported.map((times, user) => times.map((ts, n) => ts + user * 3 + n));
  assert.equal(scaleOf(...stamped), 'set', 'rows with the times of their import');
});

test('one time that is wrong does not make places in a sequence times', () => {
  const users = Array.from({ length: 500 }, () => [0, 1, 2]);
  assert.equal(scaleOf(...users, [3, NOW]), 'order');
  assert.equal(scaleOf(...users, ...Array.from({ length: 50 }, () => [3, NOW])), 'times');
});

test('a visit ends with a gap of over 30 minutes', () => {
  const ts = Float64Array.of(NOW, NOW + 30 * MINUTE, NOW + 61 * MINUTE, NOW + 61 * MINUTE);
  const starts = Array.from(ts, (_, event) => visitStart(ts, 0, event, visitGapMs('times')));
  assert.deepEqual(starts, [0, 0, 2, 2]);
  const ends = Array.from(ts, (_, event) => visitEnd(ts, ts.length, event, visitGapMs('times')));
  assert.deepEqual(ends, [2, 2, 4, 4]);
});

test('a day is a visit where times are days, and equal times are one visit', () => {
  const ts = Float64Array.of(0, 0, DAY, DAY, 2 * DAY);
  assert.deepEqual(
    Array.from(ts, (_, event) => visitStart(ts, 0, event, visitGapMs('days'))),
    [0, 0, 2, 2, 4],
  );
  assert.equal(visitStart(ts, 3, 3, 0), 3, 'not before the first event of the user');
});
