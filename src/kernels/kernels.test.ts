import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '../../test/support/fast-check.ts';
import {
  close,
  closeRows,
  eachTime,
  f32,
  gramOf,
  ITEMS,
  localRidgeBack,
  matrix,
  memory,
  onMemory,
  pool,
  rowsBack,
  slotted,
  u32,
} from '../../test/support/kernel-twins/harness.ts';
import {
  localRidgeRow,
  type PlainRows,
  scaleSelectRows,
  selectTop,
  visitRows,
} from '../../test/support/kernel-twins/rows.ts';
import { KernelMemory } from './kernel-memory.ts';

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
      const count = pool.kernels.selectTop(list.byteOffset, list.length, k, out.byteOffset);
      assert.deepEqual([...out.subarray(0, count)], selectTop([...list], k));
      memory.release(mark);
    }),
    { numRuns: 300 },
  );
});

test('rows of visits are those of the plain twin', () =>
  eachTime(
    fc.tuple(matrix, fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: ITEMS }), fc.boolean()),
    80,
    async ([x, perUser, slot, isSameVisit], on) => {
      const [visitOffsets, items, , itemOffsets, entries, entryVisits] = onMemory(x);
      const lastVisits = x.users.map((_, visit) => Math.min(x.users.length, visit - (visit % perUser) + perUser) - 1);
      const scales = f32(x.users.map((_, visit) => 1 / (1 + (visit % 3))));
      const omegas = f32(isSameVisit ? [1] : [0, 1, 0, 0.25]);
      const columnScales = f32(Array.from({ length: ITEMS }, (_, j) => 1 / (1 + (j % 4))));
      const [counts, columns, values] = [memory.u32(ITEMS), memory.u32(ITEMS * slot), memory.f32(ITEMS * slot)];
      const rowItems = Array.from({ length: ITEMS - 3 }, (_, row) => (row * 5) % ITEMS);
      await on.run(
        'visitRows',
        [
          visitOffsets,
          items,
          itemOffsets,
          entries,
          entryVisits,
          u32(lastVisits),
          scales,
          omegas.length - 1,
          omegas,
          columnScales,
          ITEMS,
          slot,
          u32(rowItems),
          counts,
          columns,
          values,
        ],
        { rows: rowItems.length, scratchBytes: ITEMS * 12 + slot * 4 },
      );
      const rows = rowsBack(counts.subarray(0, rowItems.length), columns, values, slot);
      const visits = { lastVisits, scales: [...scales], omegas: [...omegas] };
      closeRows(rows, visitRows(x, rowItems, visits, [...columnScales], slot));
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
        source.counts,
        source.columns,
        source.values,
        ITEMS,
        f32(rowScales),
        f32(columnScales),
        slot,
        counts,
        columns,
        values,
      ],
      { rows: ITEMS, scratchBytes: ITEMS * 4 + slot * 4 },
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
      const gram = gramOf(x);
      const { full, rows } = gram;
      const pick = Array.from({ length: ITEMS }, (_, i) => Math.fround(1 / (1 + (i % 4))));
      const back = await localRidgeBack(on, gram, pick, k, lambda);
      back.columns.forEach((row, j) => {
        const expected = localRidgeRow(full, { columns: rows.columns[j], values: rows.values[j] }, pick, k, lambda);
        assert.deepEqual(row, expected.columns);
        close(back.values[j], expected.values, 2e-3);
      });
      return back;
    },
  ));

test('what does not fit is refused with the sizes before it is allocated', () => {
  const small = new KernelMemory(1 << 20);
  assert.throws(() => small.require(5_000_000, 'The gram of 7 items'), /The gram of 7 items needs 5\.0 MB.*of 1\.0 MB/);
  assert.throws(() => small.f32(1 << 20), /4\.2 MB/);
});
