// The kernels that learn from users' rows, on the oddest rows that can come to them: no users, users without items, one user,
// and weights from the least to the largest that buildInteractions gives (its own test holds those bounds). Sums of such weights
// span many magnitudes, so they are compared in proportion.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  eachTime,
  f32,
  gramOf,
  ITEMS,
  localRidgeBack,
  memory,
  onMemory,
  rowsBack,
} from '../../test/support/kernel-twins/harness.ts';
import {
  cooccurrenceRows,
  localRidgeRow,
  type PlainMatrix,
  transitionRows,
} from '../../test/support/kernel-twins/rows.ts';

const LEAST_WEIGHT = Math.fround(1e-6);
const LARGEST_WEIGHT = 64;

const weight = fc.oneof(
  fc.constantFrom(LEAST_WEIGHT, 1, LARGEST_WEIGHT),
  fc
    .double({ min: Math.log(LEAST_WEIGHT), max: Math.log(LARGEST_WEIGHT), noNaN: true })
    .map((log) => Math.fround(Math.exp(log))),
);
const user = fc
  .uniqueArray(fc.tuple(fc.integer({ min: 0, max: ITEMS - 1 }), weight), {
    maxLength: ITEMS,
    selector: ([item]) => item,
  })
  .map((entries) => ({ items: entries.map(([item]) => item), weights: entries.map(([, own]) => own) }));
const oddMatrix: fc.Arbitrary<PlainMatrix> = fc
  .oneof(
    { weight: 6, arbitrary: fc.array(user, { maxLength: 8 }) },
    { weight: 2, arbitrary: fc.array(user, { minLength: 1, maxLength: 1 }) },
    {
      weight: 1,
      arbitrary: fc.array(fc.constant<PlainMatrix['users'][0]>({ items: [], weights: [] }), { maxLength: 3 }),
    },
  )
  .map((users) => ({ users, itemCount: ITEMS }));

function inProportion(actual: readonly number[], expected: readonly number[], tolerance = 1e-5): void {
  assert.equal(actual.length, expected.length);
  actual.forEach((value, n) => {
    assert.ok(
      Math.abs(value - expected[n]) <= tolerance * Math.abs(expected[n]),
      `${n}: ${value} is not ${expected[n]}`,
    );
  });
}

const ascending = (values: readonly number[]): number[] => [...values].sort((a, b) => a - b);

test('co-occurrence of odd rows is that of the plain twin, in both scales', () =>
  eachTime(
    fc.tuple(oddMatrix, fc.constantFrom(0, 0.5, 2), fc.constantFrom(1, 3, ITEMS)),
    100,
    async ([x, gamma, slot], on) => {
      const [ones, damped] = [0, gamma].map((power) =>
        x.users.map(({ items }) => Math.fround(Math.max(1, items.length) ** -power)),
      );
      const [counts, columns] = [memory.u32(ITEMS), memory.u32(ITEMS * slot)];
      const [first, second, diagonals] = [memory.f32(ITEMS * slot), memory.f32(ITEMS * slot), memory.f32(2 * ITEMS)];
      await on.run(
        'cooccurrenceRows',
        [
          ...[...onMemory(x), f32(damped.flatMap((scale, n) => [scale, ones[n]]))],
          ...[ITEMS, slot, counts, columns, first, second, diagonals],
        ],
        { rows: ITEMS, scratchBytes: ITEMS * 16 + slot * 4 },
      );
      const rows = rowsBack(counts, columns, first, slot);
      const expected = cooccurrenceRows(x, damped, slot);
      const whole = cooccurrenceRows(x, ones, ITEMS).rows;
      rows.columns.forEach((row, i) => {
        // Sums that differ in the last bit may change places at the cut.
        inProportion(ascending(rows.values[i]), ascending(expected.rows.values[i]));
        if (slot === ITEMS) assert.deepEqual(row, expected.rows.columns[i]);
        inProportion(
          [...second.subarray(i * slot, i * slot + row.length)],
          row.map((j) => whole.values[i][whole.columns[i].indexOf(j)]),
        );
      });
      inProportion(
        [...diagonals].filter((_, n) => n % 2 === 0),
        expected.diagonal,
      );
      return [rows, [...diagonals]];
    },
  ));

test('transitions of odd rows are those of the plain twin', () =>
  eachTime(
    fc.tuple(
      oddMatrix,
      fc.constantFrom(1, 4, 30),
      fc.constantFrom(0, 0.75, 1),
      fc.array(fc.constantFrom(0, 0.01, 1), { minLength: ITEMS, maxLength: ITEMS }),
    ),
    100,
    async ([x, lag, power, scales], on) => {
      const forward = f32([0, ...Array.from({ length: lag }, (_, n) => 0.75 ** n)]);
      const backward = f32([0, ...Array.from({ length: lag }, (_, n) => (n % 2 === 0 ? 0.7 / (n + 1) : 0))]);
      const columnScales = f32(scales);
      const [counts, columns, values] = [memory.u32(ITEMS), memory.u32(ITEMS * ITEMS), memory.f32(ITEMS * ITEMS)];
      await on.run(
        'transitionRows',
        [
          ...[...onMemory(x), f32(x.users.map(() => 1)), lag, forward, backward, power, columnScales],
          ...[ITEMS, ITEMS, counts, columns, values],
        ],
        { rows: ITEMS, scratchBytes: ITEMS * 12 + ITEMS * 4 },
      );
      const rows = rowsBack(counts, columns, values, ITEMS);
      const expected = transitionRows(
        x,
        { forward: [...forward], backward: [...backward], power },
        [...columnScales],
        ITEMS,
      );
      assert.deepEqual(rows.columns, expected.columns);
      rows.values.forEach((row, i) => {
        inProportion(row, expected.values[i]);
      });
      return rows;
    },
  ));

test('local ridge on the gram of odd rows solves the same systems as plain elimination', () =>
  eachTime(
    fc.tuple(oddMatrix, fc.constantFrom(1, 2, 5, ITEMS), fc.constantFrom(0.001, 1, 1000)),
    100,
    async ([x, k, strength], on) => {
      const gram = gramOf(x);
      const { full, rows } = gram;
      // As experts/local-ridge.ts gives them.
      const mean = full.reduce((sum, row, i) => sum + row[i], 0) / ITEMS;
      const lambda = Math.fround(Math.max(1e-12, strength * mean));
      const pick = full.map((row, i) => (row[i] > 0 ? Math.fround(row[i] ** -0.3) : 0));
      const back = await localRidgeBack(on, gram, pick, k, lambda);
      back.columns.forEach((row, j) => {
        const expected = localRidgeRow(full, { columns: rows.columns[j], values: rows.values[j] }, pick, k, lambda);
        assert.deepEqual(row, expected.columns);
        // What f32 can promise: an error in proportion to the condition of the system.
        const norm = Math.max(0, ...row.map((i) => lambda + row.reduce((sum, other) => sum + full[i][other], 0)));
        const largest = Math.max(0, ...expected.values.map(Math.abs));
        const allowed = largest * (1e-5 + (2 ** -23 * norm) / lambda);
        back.values[j].forEach((value, n) => {
          assert.ok(Math.abs(value - expected.values[n]) <= allowed, `${j}: ${value} is not ${expected.values[n]}`);
        });
      });
      return back;
    },
  ));
