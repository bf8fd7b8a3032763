import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom } from '../../base/seeded-random.ts';
import { writeUserVector } from '../../scoring/taste-vectors.ts';
import { TasteVectors } from './taste-vectors.ts';

const ITEMS = 50;
const USERS = 20;

test("the kernel finds the vectors that the recommender has, whatever the number of dimensions and the user's history", () => {
  const random = seededRandom(3);
  for (const dimensions of [1, 4, 13, 64]) {
    const vectors = { dimensions, values: new Float32Array(ITEMS * dimensions).map(() => random.normal()) };
    // The last item is the opposite of the one before: a history of both says nothing.
    const last = (ITEMS - 2) * dimensions;
    for (let d = 0; d < dimensions; d++) vectors.values[last + dimensions + d] = -vectors.values[last + d];
    const tastes = new TasteVectors({ vectors }, { users: USERS + 1, entries: 400 });
    const histories = Array.from({ length: USERS }, () => {
      const length = 1 + random.below(15);
      return {
        length,
        items: Uint32Array.from({ length }, () => random.below(ITEMS - 2)),
        weights: Float32Array.from({ length }, () => random.next()),
      };
    });
    for (const turn of [0, 1]) {
      tastes.batch.clear(turn * 1000);
      for (const { items, weights, length } of histories) {
        tastes.batch.append({ items, weights, seen: new Uint8Array(length) }, 0, length, new Uint32Array(0));
      }
      const opposites = { items: Uint32Array.of(ITEMS - 2, ITEMS - 1), weights: Float32Array.of(1, 1) };
      tastes.batch.append({ ...opposites, seen: new Uint8Array(2) }, 0, 2, new Uint32Array(0));
      const rows = Array.from(tastes.rows(), ({ user, vector }) => ({ user, vector: [...vector] }));
      assert.deepEqual(
        rows.map(({ user }) => user),
        histories.map((_, n) => turn * 1000 + n),
      );
      for (const [n, history] of histories.entries()) {
        const expected = new Float32Array(dimensions);
        writeUserVector(vectors, { ...history, seen: new Uint8Array(history.length) }, expected);
        const { vector } = rows[n];
        assert.ok(expected.every((value, d) => Math.abs(value - vector[d]) < 1e-6));
        assert.ok(vector.slice(dimensions).every((value) => value === 0));
      }
    }
  }
});
