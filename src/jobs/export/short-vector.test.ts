import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom } from '../../base/seeded-random.ts';
import { shortVector } from './short-vector.ts';

test('a vector is the same in 32-bit floats, in fewer characters', () => {
  const random = seededRandom(1);
  const numbers = Array.from({ length: 20_000 }, () => (random.next() - 0.5) * 2 ** -random.below(4));
  const vector = Float32Array.from(numbers);
  const short = shortVector(vector);
  assert.deepEqual(Float32Array.from(short), vector);
  const lengthOf = (values: ArrayLike<number>) => JSON.stringify(Array.from(values)).length;
  assert.ok(lengthOf(short) < 0.62 * lengthOf(vector), `${lengthOf(short)} of ${lengthOf(vector)}`);
});

test('the largest, the smallest and whole numbers stay what they are', () => {
  const vector = Float32Array.of(0, 1, -1, 0.5, 1e-20, -1e-44, 3.4e38, 16_777_216, -123_456.789, 0.1);
  const short = shortVector(vector);
  assert.deepEqual(Float32Array.from(short), vector);
  assert.equal(JSON.stringify(short.slice(0, 4)), '[0,1,-1,0.5]');
  assert.equal(short.at(-1), 0.1);
});
