import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { KernelMemory } from './kernel-memory.ts';
import { KernelPool } from './kernel-pool.ts';
import { gramOf, ndcgOf, rowsTimesDense } from './reference/dense.ts';
import {
  cooccurrenceRows,
  localRidgeRow,
  type PlainMatrix,
  type PlainRows,
  scaleSelectRows,
  selectTop,
  transitionRows,
} from './reference/rows.ts';

const pool = new KernelPool(1);
const threaded = new KernelPool(3, { memory: pool.memory });
const { memory } = pool;
after(async () => {
  await threaded.close();
  await pool.close();
});

const ITEMS = 23;
const SELECT_BYTES = 9000;
const f32 = (values: readonly number[]) => {
  const array = memory.f32(values.length);
  array.set(values);
  return array;
};
const u32 = (values: readonly number[]) => {
  const array = memory.u32(values.length);
  array.set(values);
  return array;
};

const weight = fc.integer({ min: 1, max: 16 }).map((n) => n / 8);
const matrix: fc.Arbitrary<PlainMatrix> = fc
  .array(fc.uniqueArray(fc.integer({ min: 0, max: ITEMS - 1 }), { maxLength: ITEMS }), { maxLength: 12 })
  .chain((users) =>
    fc.record({
      users: fc.tuple(
        ...users.map((items) =>
          fc.array(weight, { minLength: items.length, maxLength: items.length }).map((weights) => ({ items, weights })),
        ),
      ),
      itemCount: fc.constant(ITEMS),
    }),
  );

function onMemory({ users, itemCount }: PlainMatrix) {
  const offsets = [0];
  const items: number[] = [];
  const weights: number[] = [];
  const owners: number[] = [];
  users.forEach((user, n) => {
    items.push(...user.items);
    weights.push(...user.weights);
    owners.push(...user.items.map(() => n));
    offsets.push(items.length);
  });
  const itemOffsets = [0];
  const entries: number[] = [];
  for (let item = 0; item < itemCount; item++) {
    items.forEach((other, place) => {
      if (other === item) entries.push(place);
    });
    itemOffsets.push(entries.length);
  }
  return [u32(offsets), u32(items), f32(weights), u32(itemOffsets), u32(entries), u32(owners)] as const;
}

function rowsBack(counts: Uint32Array, columns: Uint32Array, values: Float32Array, slot: number): PlainRows {
  const rows: PlainRows = { columns: [], values: [] };
  counts.forEach((count, row) => {
    rows.columns.push([...columns.subarray(row * slot, row * slot + count)]);
    rows.values.push([...values.subarray(row * slot, row * slot + count)]);
  });
  return rows;
}

function slotted(rows: PlainRows, slot: number) {
  const counts = memory.u32(rows.columns.length);
  const columns = memory.u32(rows.columns.length * slot);
  const values = memory.f32(rows.columns.length * slot);
  rows.columns.forEach((row, n) => {
    counts[n] = row.length;
    columns.set(row, n * slot);
    values.set(rows.values[n], n * slot);
  });
  return { counts, columns, values };
}

function close(actual: readonly number[], expected: readonly number[], tolerance = 1e-4): void {
  assert.equal(actual.length, expected.length);
  actual.forEach((value, n) => {
    const wanted = expected[n];
    assert.ok(Math.abs(value - wanted) <= tolerance * (1 + Math.abs(wanted)), `${n}: ${value} is not ${wanted}`);
  });
}

function closeRows(actual: PlainRows, expected: PlainRows): void {
  assert.deepEqual(actual.columns, expected.columns);
  actual.values.forEach((row, n) => {
    close(row, expected.values[n]);
  });
}

/** Runs a property on fresh memory each time, with one thread and with three; both must give the same bytes. */
function eachTime<T>(arbitrary: fc.Arbitrary<T>, runs: number, check: (value: T, on: KernelPool) => Promise<unknown>) {
  return fc.assert(
    fc.asyncProperty(arbitrary, async (value) => {
      const mark = memory.mark();
      const alone = await check(value, pool);
      const together = await check(value, threaded);
      assert.deepEqual(together, alone);
      memory.release(mark);
    }),
    { numRuns: runs },
  );
}

const anyFloat = fc.oneof(
  fc.float({ noNaN: false }),
  fc.constantFrom(0, -0, 1, 1, 1, 2, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY),
);

test('selection finds the k largest, whatever the values, ties going to the first', () => {
  fc.assert(
    fc.property(fc.array(anyFloat, { maxLength: 300 }), fc.integer({ min: 0, max: 40 }), (values, k) => {
      const mark = memory.mark();
      const list = f32(values);
      const out = memory.u32(Math.max(1, k));
      const count = pool.kernels.selectTop(
        list.byteOffset,
        list.length,
        k,
        out.byteOffset,
        memory.u8(SELECT_BYTES).byteOffset,
      );
      assert.deepEqual([...out.subarray(0, count)], selectTop([...list], k));
      memory.release(mark);
    }),
    { numRuns: 300 },
  );
});

test('co-occurrence rows are those of the plain twin', () =>
  eachTime(fc.tuple(matrix, fc.integer({ min: 1, max: ITEMS })), 80, async ([x, slot], on) => {
    const csr = onMemory(x);
    const scales = f32(x.users.flatMap((_, user) => [1 / (1 + user), 0.5]));
    const [counts, columns] = [memory.u32(ITEMS), memory.u32(ITEMS * slot)];
    const [first, second, diagonals] = [memory.f32(ITEMS * slot), memory.f32(ITEMS * slot), memory.f32(2 * ITEMS)];
    await on.run(
      'cooccurrenceRows',
      [...csr, scales, ITEMS, slot, counts, columns, first, second, diagonals],
      ITEMS,
      ITEMS * 16 + slot * 4 + SELECT_BYTES,
    );
    const expected = cooccurrenceRows(
      x,
      x.users.map((_, user) => Math.fround(1 / (1 + user))),
      slot,
    );
    // Sums in another order may differ in the last bit and so swap neighbours: values are compared as sets.
    rowsBack(counts, columns, first, slot).values.forEach((row, n) => {
      close([...row].sort(), [...expected.rows.values[n]].map(Math.fround).sort());
    });
    close(
      [...diagonals].filter((_, n) => n % 2 === 0),
      expected.diagonal,
    );
    return [...first.subarray(0, counts[0])];
  }));

test('transition rows are those of the plain twin', () =>
  eachTime(
    fc.tuple(matrix, fc.integer({ min: 1, max: 9 }), fc.constantFrom(0, 0.75, 1)),
    80,
    async ([x, lag, power], on) => {
      const csr = onMemory(x);
      const forward = [0, ...Array.from({ length: lag }, (_, n) => 1 / (n + 1))];
      const backward = forward.map((omega, n) => (n === 2 ? 0 : 0.5 * omega));
      const scales = Array.from({ length: ITEMS }, (_, j) => Math.fround(1 / (1 + (j % 3))));
      const [counts, columns, values] = [memory.u32(ITEMS), memory.u32(ITEMS * ITEMS), memory.f32(ITEMS * ITEMS)];
      await on.run(
        'transitionRows',
        [
          ...[...csr, f32(x.users.map(() => 1)), lag, f32(forward), f32(backward), power, f32(scales)],
          ...[ITEMS, ITEMS, counts, columns, values],
        ],
        ITEMS,
        ITEMS * 12 + ITEMS * 4 + SELECT_BYTES,
      );
      const rows = rowsBack(counts, columns, values, ITEMS);
      const expected = transitionRows(
        x,
        { forward: [...f32(forward)], backward: [...f32(backward)], power },
        scales,
        ITEMS,
      );
      closeRows(rows, expected);
      return rows;
    },
  ));

const sparseRows = fc
  .array(fc.uniqueArray(fc.integer({ min: 0, max: ITEMS - 1 }), { maxLength: ITEMS }), {
    minLength: ITEMS,
    maxLength: ITEMS,
  })
  .map(
    (columns): PlainRows => ({ columns, values: columns.map((row, i) => row.map((j) => ((i * 7 + j * 3) % 11) / 4)) }),
  );

test('scaled and cut rows are those of the plain twin', () =>
  eachTime(fc.tuple(sparseRows, fc.integer({ min: 1, max: ITEMS })), 80, async ([rows, slot], on) => {
    const source = slotted(rows, ITEMS);
    const rowScales = Array.from({ length: ITEMS }, (_, i) => Math.fround(1 / (1 + i)));
    const columnScales = Array.from({ length: ITEMS }, (_, j) => (j % 5 === 0 ? 0 : Math.fround(1 / (1 + j))));
    const [counts, columns, values] = [memory.u32(ITEMS), memory.u32(ITEMS * slot), memory.f32(ITEMS * slot)];
    await on.run(
      'scaleSelectRows',
      [
        ...[source.counts, source.columns, source.values, ITEMS, f32(rowScales), f32(columnScales)],
        ...[slot, counts, columns, values],
      ],
      ITEMS,
      ITEMS * 4 + slot * 4 + SELECT_BYTES,
    );
    const back = rowsBack(counts, columns, values, slot);
    closeRows(back, scaleSelectRows(rows, rowScales, columnScales, slot));
    return back;
  }));

test('local ridge solves the same systems as plain elimination', () =>
  eachTime(
    fc.tuple(matrix, fc.integer({ min: 1, max: ITEMS }), fc.constantFrom(0.1, 1, 20)),
    60,
    async ([x, k, lambda], on) => {
      const full = Array.from({ length: ITEMS }, () => new Array<number>(ITEMS).fill(0));
      for (const { items, weights } of x.users) {
        items.forEach((i, a) => {
          items.forEach((j, b) => {
            full[i][j] += weights[a] * weights[b];
          });
        });
      }
      const rows: PlainRows = { columns: [], values: [] };
      full.forEach((row, i) => {
        const columns = [...row.keys()].filter((j) => j !== i && row[j] > 0);
        rows.columns.push(columns);
        rows.values.push(columns.map((j) => row[j]));
      });
      const gram = slotted(rows, ITEMS);
      const diagonal = f32(full.map((row, i) => row[i]));
      const pick = Array.from({ length: ITEMS }, (_, i) => Math.fround(1 / (1 + (i % 4))));
      const [counts, columns, values] = [memory.u32(ITEMS), memory.u32(ITEMS * k), memory.f32(ITEMS * k)];
      const stride = Math.ceil(k / 4) * 4;
      await on.run(
        'localRidgeRows',
        [
          ...[gram.counts, gram.columns, gram.values, ITEMS, diagonal, 4],
          ...[gram.counts, gram.columns, gram.values, ITEMS, f32(pick)],
          ...[ITEMS, k, 1, f32([lambda]), counts, columns, values, ITEMS * k * 4],
        ],
        ITEMS,
        ITEMS * 2 + ITEMS * 4 + k * 8 + 2 * k * stride * 4 + SELECT_BYTES + 128,
      );
      const back = rowsBack(counts, columns, values, k);
      back.columns.forEach((row, j) => {
        const expected = localRidgeRow(full, { columns: rows.columns[j], values: rows.values[j] }, pick, k, lambda);
        assert.deepEqual(row, expected.columns);
        close(back.values[j], expected.values, 2e-3);
      });
      return back;
    },
  ));

const tall = fc.array(
  fc.array(
    fc.integer({ min: -8, max: 8 }).map((n) => n / 4),
    { minLength: 8, maxLength: 8 },
  ),
  {
    minLength: ITEMS,
    maxLength: ITEMS,
  },
);

test('products with tall matrices are those of the plain twins', () =>
  eachTime(fc.tuple(matrix, tall), 60, async ([x, dense], on) => {
    const [offsets, items, weights] = onMemory(x);
    const rowScales = x.users.map((_, user) => Math.fround(1 / (1 + user)));
    const inScales = dense.map((_, item) => Math.fround(1 / (1 + (item % 3))));
    const out = memory.f32(x.users.length * 8);
    await on.run(
      'rowsTimesDense',
      [offsets, items, weights, f32(rowScales), f32(inScales), f32(dense.flat()), 8, out],
      x.users.length,
      64,
    );
    const expected = rowsTimesDense(
      x.users.map(({ items: indices, weights: own }) => ({ indices, weights: own })),
      rowScales,
      inScales,
      dense,
    );
    close([...out], expected.flat());
    const parts = memory.f32(Math.ceil(ITEMS / 5) * 64);
    await on.run('gramOfTall', [f32(dense.flat()), 8, 5, parts], ITEMS, 64, { chunkRows: 5 });
    const sum = Array.from({ length: 64 }, (_, n) => parts.filter((_, at) => at % 64 === n).reduce((a, b) => a + b, 0));
    close(sum, gramOf(dense).flat());
    return [...out, ...parts];
  }));

test('steps of the blend are judged like the plain NDCG', () =>
  eachTime(
    fc.array(fc.tuple(fc.integer({ min: 0, max: 6 }), fc.integer({ min: 0, max: 6 }), fc.boolean()), {
      minLength: 1,
      maxLength: 30,
    }),
    80,
    async (places, on) => {
      const padded = Math.ceil(places.length / 4) * 4;
      const z = memory.f32(padded).fill(-1e30);
      const column = memory.f32(padded).fill(0);
      const relevant: number[] = [];
      places.forEach(([a, b, wanted], n) => {
        z[n] = a / 4;
        column[n] = b / 4;
        if (wanted) relevant.push(n);
      });
      const steps = [0.5, -0.25, 0];
      const out = memory.f32(steps.length);
      const discounts = f32(Array.from({ length: 5 }, (_, rank) => 1 / Math.log2(rank + 2)));
      await on.run(
        'trySteps',
        [
          ...[column, z, u32([0, padded]), u32([0, relevant.length]), u32(relevant), f32([0.5])],
          ...[discounts, 5, f32(steps), steps.length, out],
        ],
        1,
        padded * 4,
      );
      const expected = steps.map((step) =>
        ndcgOf(
          places.map(([a, b]) => a / 4 + (step * b) / 4),
          relevant,
          2,
          5,
        ),
      );
      close([...out], expected);
      return [...out];
    },
  ));

test('what does not fit is refused with the sizes before it is allocated', () => {
  const small = new KernelMemory(1 << 20);
  assert.throws(() => small.require(5_000_000, 'The gram of 7 items'), /The gram of 7 items needs 5\.0 MB.*of 1\.0 MB/);
  assert.throws(() => small.f32(1 << 20), /4\.2 MB/);
});
