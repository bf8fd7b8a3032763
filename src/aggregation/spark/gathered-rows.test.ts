import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { GatheredRows } from './gathered-rows.ts';

const SLOT = 5;
const ROWS = 4;
const row = fc.uniqueArray(fc.integer({ min: 0, max: 2 ** 31 - 1 }), { maxLength: SLOT });
const float = fc.float({ noNaN: true });

test('entries in any order and any parts become rows with ascending columns, each with its own values', () => {
  fc.assert(
    fc.property(
      fc.array(row, { minLength: ROWS, maxLength: ROWS }),
      fc.array(float, { minLength: 2 * SLOT * ROWS, maxLength: 2 * SLOT * ROWS }),
      fc.infiniteStream(fc.nat()),
      (wanted, floats, order) => {
        const entries = wanted.flatMap((columns, i) =>
          columns.map((j, n) => ({ i, j, value: floats[i * SLOT + n], second: floats[(ROWS + i) * SLOT + n] })),
        );
        const counts = Uint32Array.from([9, 9, 9, 9]);
        const columns = new Uint32Array(SLOT * ROWS);
        const value = new Float32Array(SLOT * ROWS);
        const second = new Float32Array(SLOT * ROWS);
        const gathered = new GatheredRows({ slot: SLOT, counts, columns }, { value, second });
        const left = entries.map((entry) => ({ entry, key: order.next().value })).sort((a, b) => a.key - b.key);
        while (left.length > 0) {
          const part = left.splice(0, 3).map(({ entry }) => entry);
          gathered.add({
            i: part.map(({ i }) => i),
            j: part.map(({ j }) => j),
            value: part.map((entry) => entry.value),
            second: part.map((entry) => entry.second),
          });
        }
        gathered.finish();
        const found = Array.from(counts, (count, i) =>
          Array.from({ length: count }, (_, n) => {
            const at = i * SLOT + n;
            return { i, j: columns[at], value: value[at], second: second[at] };
          }),
        );
        const sorted = wanted.map((_, i) => entries.filter((entry) => entry.i === i).sort((a, b) => a.j - b.j));
        assert.deepEqual(found, sorted);
      },
    ),
  );
});
