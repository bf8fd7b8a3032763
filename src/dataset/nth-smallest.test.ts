import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom } from '../base/seeded-random.ts';
import { nthSmallestOf } from './nth-smallest.ts';

const nthSmallest = (values: Float64Array, places: readonly number[]) =>
  nthSmallestOf(
    async (visit) => values.forEach(visit),
    () => places,
  );

test('the n-th smallest is what sorting finds at that place, in any order and with equal values', async () => {
  const { next: random } = seededRandom(7);
  const orders: readonly ((at: number, length: number) => number)[] = [
    () => random(),
    (at) => at,
    (at, length) => length - at,
    () => Math.floor(random() * 3),
    // Nearly all in one bucket, again and again.
    () => random() ** 40,
    (at) => (at === 0 ? -1e15 : random() < 0.5 ? 1_700_000_000_000 : 1_700_000_000_000 + random()),
    () => 5,
    (at) => at % 7,
  ];
  for (const valueAt of orders) {
    for (const length of [1, 2, 3, 10, 257]) {
      const values = Float64Array.from({ length }, (_, at) => valueAt(at, length));
      const sorted = values.slice().sort();
      assert.deepEqual(await nthSmallest(values, [0, length - 1]), [sorted[0], sorted[length - 1]]);
      for (const n of [0, Math.floor(length / 3), Math.floor(length * 0.8), length - 1]) {
        assert.deepEqual(await nthSmallest(values, [n]), [sorted[n]]);
      }
    }
  }
});

test('there is no n-th smallest of too few values', async () => {
  assert.deepEqual(await nthSmallest(new Float64Array(0), [0]), [undefined]);
  assert.deepEqual(await nthSmallest(Float64Array.of(1, 2), [-1, 2]), [undefined, undefined]);
});
