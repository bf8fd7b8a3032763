import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { localRidgeRow } from '../../test/support/kernel-twins/rows.ts';
import { seededRandom } from '../base/seeded-random.ts';
import { KernelPool } from '../kernels/kernel-pool.ts';
import { denseRidgeRows, isWhole } from './dense-ridge.ts';
import type { Gram } from './gram.ts';

const pool = new KernelPool(2);
after(() => pool.close());

/** A gram of random baskets, and the same as a plain matrix. */
function randomGram(size: number): { gram: Gram; plain: number[][] } {
  const { next: random } = seededRandom(size);
  const plain = Array.from({ length: size }, () => new Array<number>(size).fill(0));
  for (let user = 0; user < 3 * size; user++) {
    const basket = [...new Set(Array.from({ length: 6 }, () => Math.floor(random() ** 2 * size)))];
    for (const a of basket) for (const b of basket) plain[a][b]++;
  }
  const { memory } = pool;
  const counts = memory.u32(size).fill(0);
  const [columns, values] = [memory.u32(size * size), memory.f32(size * size)];
  const diagonals = memory.f32(2 * size);
  plain.forEach((row, i) => {
    diagonals[2 * i] = row[i];
    row.forEach((value, j) => {
      if (i === j || value === 0) return;
      columns[i * size + counts[i]] = j;
      values[i * size + counts[i]++] = value;
    });
  });
  const rows = { slot: size, counts, columns, values };
  return { gram: { gammas: [0.5, 1], first: rows, second: rows, diagonals }, plain };
}

// Sizes of less than a block, a block and a rest, and several blocks.
for (const size of [1, 7, 45, 101]) {
  test(`one inverse solves the regressions of all ${size} items`, async () => {
    const mark = pool.memory.mark();
    const { gram, plain } = randomGram(size);
    const mean = plain.reduce((sum, row, i) => sum + row[i], 0) / size;
    const lane = await denseRidgeRows(pool, gram, 2);
    const found = new Map<string, number>();
    for (let i = 0; i < size; i++) {
      for (let at = lane.starts[i]; at < lane.ends[i]; at++) found.set(`${i} ${lane.columns[at]}`, lane.values[at]);
    }
    for (let j = 0; j < size; j++) {
      const others = [...plain.keys()].filter((i) => i !== j);
      const rhs = { columns: others, values: others.map((i) => plain[i][j] + 1e-9) };
      const all = new Array<number>(size).fill(1);
      const { columns, values } = localRidgeRow(plain, rhs, all, size, 2 * mean);
      columns.forEach((i, n) => {
        const weight = found.get(`${i} ${j}`) ?? 0;
        assert.ok(Math.abs(weight - values[n]) < 2.1e-3, `weight of ${i} for ${j}: ${weight}, not ${values[n]}`);
      });
    }
    pool.memory.release(mark);
  });
}

test('only small catalogs are solved as a whole, and only when all neighbors are wanted', () => {
  assert.equal(isWhole(3000, 3000), true);
  assert.equal(isWhole(3000, 200), false);
  assert.equal(isWhole(50_000, 50_000), false);
});
