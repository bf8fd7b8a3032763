// Training's kernels on dense matrices.

import { seededRandom } from '../../src/base/seeded-random.ts';
import type { Interactions } from '../../src/dataset/interactions.ts';
import type { Gram } from '../../src/experts/gram.ts';
import { lowRankRows } from '../../src/experts/low-rank.ts';
import type { KernelPool } from '../../src/kernels/kernel-pool.ts';
import {
  gramOf,
  productOf,
  projectRows,
  rowsTimesDense,
  subtractProducts,
} from '../../test/support/kernel-twins/dense.ts';
import type { PlainMatrix } from '../../test/support/kernel-twins/rows.ts';
import { type KernelCase, released } from './measure.ts';

const NEIGHBORS = 100;
const WIDTH = 128;
const BLOCK = 32;
/** Rows that the slow twins make. */
const FEW = 40;

export interface DenseInput {
  readonly x: Interactions;
  readonly users: PlainMatrix['users'];
  readonly degrees: Float32Array;
  readonly gram: Gram;
  /** columns of the gram's first rows */
  readonly near: readonly (readonly number[])[];
}

export async function* denseCases(
  pool: KernelPool,
  { x, users, degrees, gram, near }: DenseInput,
): AsyncGenerator<KernelCase> {
  const { memory } = pool;
  const items = x.itemCount;
  const entries = gram.first.counts.reduce((sum, count) => sum + count, 0);
  const plainScales = [...degrees].map((degree) => Math.max(1, degree) ** -0.25);
  const { next: random } = seededRandom(1);
  const filled = (length: number) => {
    const array = memory.f32(length);
    for (let n = 0; n < length; n++) array[n] = random() - 0.5;
    return array;
  };
  const rows = 1024;
  const stride = 1024;
  const [target, factors, panel] = [filled(rows * stride), filled(rows * BLOCK), filled(BLOCK * stride)];
  const plain = (array: Float32Array, width: number, count: number) =>
    Array.from({ length: count }, (_, r) => [...array.subarray(r * width, (r + 1) * width)]);
  const [fewTargets, fewFactors] = [plain(target, stride, FEW), plain(factors, BLOCK, FEW)];
  const plainPanel = plain(panel, stride, BLOCK);
  yield {
    what: `dense ridge: elimination by blocks of ${BLOCK}`,
    limit: 'multiply-adds',
    kernel: {
      run: () => pool.run('subtractProducts', [target, factors, panel, stride, BLOCK], { rows, scratchBytes: 64 }),
      work: rows * stride * BLOCK,
    },
    twin: { run: () => subtractProducts(fewTargets, fewFactors, plainPanel), work: FEW * stride * BLOCK },
  };

  const basis = filled(items * WIDTH);
  const plainBasis = plain(basis, WIDTH, items);
  const [userScales, itemScales] = [memory.f32(x.userCount).fill(1), memory.f32(items).fill(1)];
  const [byUser, byItem] = [filled(x.userCount * WIDTH), memory.f32(items * WIDTH)];
  const someUsers = users.slice(0, 10 * FEW).map(({ items: indices, weights }) => ({ indices, weights }));
  yield {
    what: `low rank: users' rows times ${WIDTH} columns`,
    limit: 'multiply-adds',
    kernel: {
      run: () =>
        pool.run('rowsTimesDense', [x.userOffsets, x.items, x.weights, userScales, itemScales, basis, WIDTH, byUser], {
          rows: x.userCount,
          scratchBytes: 64,
        }),
      work: x.length * WIDTH,
    },
    twin: {
      run: () => rowsTimesDense(someUsers, [...userScales], [...itemScales], plainBasis),
      work: x.userOffsets[10 * FEW] * WIDTH,
    },
  };

  const plainUsers = plain(byUser, WIDTH, x.userCount);
  const someItems = Array.from({ length: FEW }, (_, item) => {
    const [from, to] = [x.itemOffsets[item], x.itemOffsets[item + 1]];
    const weights = Array.from(x.entries.subarray(from, to), (place) => x.weights[place]);
    return { indices: [...x.entryUsers.subarray(from, to)], weights };
  });
  yield {
    what: `low rank: items' rows times ${WIDTH} columns`,
    limit: 'multiply-adds',
    kernel: {
      run: () =>
        pool.run(
          'columnsTimesDense',
          [x.itemOffsets, x.entries, x.entryUsers, x.weights, itemScales, userScales, byUser, WIDTH, byItem, 1, 1],
          { rows: items, scratchBytes: 64 },
        ),
      work: x.length * WIDTH,
    },
    twin: {
      run: () => rowsTimesDense(someItems, [...itemScales], [...userScales], plainUsers),
      work: x.itemOffsets[FEW] * WIDTH,
    },
  };

  const chunkRows = 512;
  const parts = memory.f32(Math.ceil(items / chunkRows) * WIDTH * WIDTH);
  const half = (WIDTH * (WIDTH + 1)) / 2;
  const fewTall = plainBasis.slice(0, FEW);
  yield {
    what: `low rank: gram of ${WIDTH} columns`,
    limit: 'multiply-adds',
    kernel: {
      run: () => pool.run('gramOfTall', [basis, WIDTH, chunkRows, parts], { rows: items, scratchBytes: 64, chunkRows }),
      work: items * half,
    },
    twin: { run: () => gramOf(fewTall), work: FEW * half },
  };

  const upper = filled(WIDTH * WIDTH);
  const plainUpper = plain(upper, WIDTH, WIDTH);
  yield {
    what: `low rank: ${WIDTH} columns made orthogonal`,
    limit: 'multiply-adds',
    kernel: {
      run: () => pool.run('tallTimesUpper', [basis, WIDTH, upper, byItem], { rows: items, scratchBytes: 64 }),
      work: items * half,
    },
    twin: { run: () => productOf(fewTall, plainUpper), work: FEW * half },
  };

  const space = { width: WIDTH, basis };
  yield {
    what: `low rank: rows out of ${WIDTH} factors`,
    limit: 'multiply-adds',
    kernel: {
      run: released(pool, () => lowRankRows(pool, { near: gram.first, space, degrees }, WIDTH, NEIGHBORS)),
      work: entries * WIDTH,
    },
    twin: {
      run: () => projectRows(near, plainBasis, WIDTH, plainScales, plainScales, NEIGHBORS),
      work: near.flat().length * WIDTH,
    },
  };
}
