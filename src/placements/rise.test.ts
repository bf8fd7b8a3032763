import assert from 'node:assert/strict';
import { test } from 'node:test';
import { riseOf } from './rise.ts';

/** A week of even traffic before a day. */
const ALL = { inWindow: 10_000, before: 70_000 };
const rise = (inWindow: number, before: number) => riseOf({ inWindow, before }, ALL);

test('three clicks are no trend, whatever was before', () => {
  for (const before of [0, 1, 5, 100]) assert.ok(rise(3, before) < 1, String(before));
  assert.ok(rise(0, 0) === 0);
});

test('a clear rise is a trend, of small and of large items', () => {
  assert.ok(rise(20, 0) > 5);
  assert.ok(rise(60, 140) > 1.5, 'from 20 a day to 60');
  assert.ok(rise(3000, 7000) > 2.5, 'from 1000 a day to 3000');
});

test('what is popular every day does not trend, nor does what chance brings', () => {
  assert.ok(rise(1000, 7000) < 1);
  assert.ok(rise(1030, 7000) < 1);
  assert.ok(rise(26, 140) < 1);
});

test('when everything doubles, nothing rises', () => {
  const busy = { inWindow: 20_000, before: 70_000 };
  assert.ok(riseOf({ inWindow: 200, before: 700 }, busy) < 1);
});

test('more events are more of a rise, more before are less', () => {
  for (let count = 0; count < 100; count++) {
    assert.ok(rise(count + 1, 20) >= rise(count, 20));
    assert.ok(rise(50, count + 1) <= rise(50, count));
  }
});
