import assert from 'node:assert/strict';
import { test } from 'node:test';
import { liftRange } from './lift-range.ts';

const point = (lift: number, low: number, high: number) => ({ ts: 0, lift, low, high });

test('the axis reaches as far as the lifts and the newest intervals', () => {
  assert.deepEqual(liftRange([[point(2.5, 1.2, 3.8)], [point(-0.4, -0.9, 0.1)]]), [-0.9, 3.8]);
  assert.deepEqual(liftRange([[point(0.01, 0, 0.02)]]), [-0.05, 0.05]);
});

test('early intervals do not widen the axis, early lifts do', () => {
  assert.deepEqual(liftRange([[point(1.5, -20, 40), point(0.2, 0.1, 0.3)]]), [-0.05, 1.5]);
});
