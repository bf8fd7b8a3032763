// What the kernel tests share: one memory with one thread and with three, plain data on it and back, comparisons.
import assert from 'node:assert/strict';
import { after } from 'node:test';
import { KernelPool } from '../../../src/kernels/kernel-pool.ts';
import { fc } from '../fast-check.ts';
import type { PlainMatrix, PlainRows } from './rows.ts';

export const pool = new KernelPool(1);
const threaded = new KernelPool(3, { memory: pool.memory });
export const { memory } = pool;
after(async () => {
  await threaded.close();
  await pool.close();
});

export const ITEMS = 23;
export const f32 = (values: readonly number[]) => {
  const array = memory.f32(values.length);
  array.set(values);
  return array;
};
export const u32 = (values: readonly number[]) => {
  const array = memory.u32(values.length);
  array.set(values);
  return array;
};

const weight = fc.integer({ min: 1, max: 16 }).map((n) => n / 8);
export const matrix: fc.Arbitrary<PlainMatrix> = fc
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

export function onMemory({ users, itemCount }: PlainMatrix) {
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

export function rowsBack(counts: Uint32Array, columns: Uint32Array, values: Float32Array, slot: number): PlainRows {
  const rows: PlainRows = { columns: [], values: [] };
  counts.forEach((count, row) => {
    rows.columns.push([...columns.subarray(row * slot, row * slot + count)]);
    rows.values.push([...values.subarray(row * slot, row * slot + count)]);
  });
  return rows;
}

export function slotted(rows: PlainRows, slot: number) {
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

export function close(actual: readonly number[], expected: readonly number[], tolerance = 1e-4): void {
  assert.equal(actual.length, expected.length);
  actual.forEach((value, n) => {
    const wanted = expected[n];
    // NaN and infinities.
    if (Object.is(value, wanted)) return;
    const isNear = Number.isFinite(wanted) && Math.abs(value - wanted) <= tolerance * (1 + Math.abs(wanted));
    assert.ok(isNear, `${n}: ${value} is not ${wanted}`);
  });
}

export function closeRows(actual: PlainRows, expected: PlainRows): void {
  assert.deepEqual(actual.columns, expected.columns);
  actual.values.forEach((row, n) => {
    close(row, expected.values[n]);
  });
}

/** XᵀX in 32 bits: whole, and as rows without the diagonal. */
export function gramOf(x: PlainMatrix): { full: number[][]; rows: PlainRows } {
  const full = Array.from({ length: x.itemCount }, () => new Array<number>(x.itemCount).fill(0));
  for (const { items, weights } of x.users) {
    items.forEach((i, a) => {
      items.forEach((j, b) => {
        full[i][j] = Math.fround(full[i][j] + weights[a] * weights[b]);
      });
    });
  }
  const rows: PlainRows = { columns: [], values: [] };
  full.forEach((row, i) => {
    const columns = [...row.keys()].filter((j) => j !== i && row[j] > 0);
    rows.columns.push(columns);
    rows.values.push(columns.map((j) => row[j]));
  });
  return { full, rows };
}

/** What the kernel of local ridges returns for a gram of ITEMS items. */
export async function localRidgeBack(
  on: KernelPool,
  { full, rows }: ReturnType<typeof gramOf>,
  pick: readonly number[],
  k: number,
  lambda: number,
): Promise<PlainRows> {
  const gram = slotted(rows, ITEMS);
  const [counts, columns, values] = [memory.u32(ITEMS).fill(k), memory.u32(ITEMS * k), memory.f32(ITEMS * k)];
  const stride = Math.ceil(k / 4) * 4;
  await on.run(
    'localRidgeRows',
    [
      gram.counts,
      gram.columns,
      gram.values,
      ITEMS,
      f32(full.map((row, i) => row[i])),
      4,
      gram.counts,
      gram.columns,
      gram.values,
      ITEMS,
      f32(pick),
      ITEMS,
      k,
      1,
      f32([lambda]),
      counts,
      columns,
      values,
      ITEMS * k * 4,
    ],
    { rows: ITEMS, scratchBytes: ITEMS * 2 + ITEMS * 4 + k * 8 + 2 * k * stride * 4 + 128 },
  );
  return rowsBack(counts, columns, values, k);
}

/** Runs a property on fresh memory each time, with one thread and with three; both must give the same bytes. */
export function eachTime<T>(
  arbitrary: fc.Arbitrary<T>,
  runs: number,
  check: (value: T, on: KernelPool) => Promise<unknown>,
) {
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
