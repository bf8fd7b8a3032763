import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom } from '../domain/seeded-random.ts';
import { nthSmallest } from './nth-smallest.ts';

test('the n-th smallest is what sorting finds at that place, in any order and with equal values', () => {
  const { next: random } = seededRandom(7);
  const orders: readonly ((at: number, length: number) => number)[] = [
    () => random(),
    (at) => at,
    (at, length) => length - at,
    () => Math.floor(random() * 3),
    () => 5,
    (at) => at % 7,
  ];
  for (const valueAt of orders) {
    for (const length of [1, 2, 3, 10, 257]) {
      const values = Float64Array.from({ length }, (_, at) => valueAt(at, length));
      const sorted = values.slice().sort();
      for (const n of [0, Math.floor(length / 3), Math.floor(length * 0.8), length - 1]) {
        assert.equal(nthSmallest(values.slice(), n), sorted[n]);
      }
    }
  }
});

test('there is no n-th smallest of too few values', () => {
  assert.equal(nthSmallest(new Float64Array(0), 0), undefined);
  assert.equal(nthSmallest(Float64Array.of(1, 2), 2), undefined);
});
