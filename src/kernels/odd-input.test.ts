// The kernels that learn from users' rows, on the oddest rows that can come to them: no users, users without items, one user,
// and weights from the least to the largest that buildInteractions gives (its own test holds those bounds). Sums of such weights
// span many magnitudes, so they are compared in proportion.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '../../test/support/fast-check.ts';
import { eachTime, gramOf, ITEMS, localRidgeBack } from '../../test/support/kernel-twins/harness.ts';
import { localRidgeRow, type PlainMatrix } from '../../test/support/kernel-twins/rows.ts';

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

test('local ridge on the gram of odd rows solves the same systems as plain elimination', () =>
  eachTime(
    fc.tuple(oddMatrix, fc.constantFrom(1, 2, 5, ITEMS), fc.constantFrom(0.001, 1, 1000)),
    100,
    async ([x, k, strength], on) => {
      const gram = gramOf(x);
      const { full, rows } = gram;
      // The values that experts/local-ridge.ts uses.
      const mean = full.reduce((sum, row, i) => sum + row[i], 0) / ITEMS;
      const lambda = Math.fround(Math.max(1e-12, strength * mean));
      const pick = full.map((row, i) => (row[i] > 0 ? Math.fround(row[i] ** -0.3) : 0));
      const back = await localRidgeBack(on, gram, pick, k, lambda);
      back.columns.forEach((row, j) => {
        const expected = localRidgeRow(full, { columns: rows.columns[j], values: rows.values[j] }, pick, k, lambda);
        assert.deepEqual(row, expected.columns);
        // The error that f32 allows is proportional to the condition of the system.
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
