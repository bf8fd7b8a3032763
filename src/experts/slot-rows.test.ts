import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom } from '../base/seeded-random.ts';
import { KernelMemory } from '../kernels/kernel-memory.ts';
import { allocateSlotRows, type LaneRows, laneOfSlots, type SlotRows, transposeAll } from './slot-rows.ts';

const SLOT = 4;

/** Rows of these lengths with distinct columns and random values. */
function madeRows(memory: KernelMemory, lengths: readonly number[], seed: number): SlotRows {
  const { next: random } = seededRandom(seed);
  const rows = allocateSlotRows(memory, lengths.length, SLOT);
  for (const [row, length] of lengths.entries()) {
    rows.counts[row] = length;
    for (let n = 0; n < length; n++) {
      rows.columns[row * SLOT + n] = (row + n * 2 + 1) % lengths.length;
      rows.values[row * SLOT + n] = random() - 0.5;
    }
  }
  return rows;
}

const entriesOf = ({ slot, counts, columns, values }: SlotRows) =>
  Array.from(counts, (count, row) =>
    Array.from({ length: count }, (_, n) => [columns[row * slot + n], values[row * slot + n]]),
  );

const laneEntries = ({ starts, ends, columns, values }: LaneRows) =>
  Array.from(starts, (start, row) =>
    Array.from({ length: ends[row] - start }, (_, n) => [columns[start + n], values[start + n]]),
  );

test('rows that are moved together keep every entry, whether rows are full, short or empty', () => {
  for (const lengths of [
    [4, 4, 4, 4, 4, 4, 4, 4, 4],
    [4, 4, 1, 4, 4, 4, 0, 0, 2],
    [0, 4, 4, 3, 4, 4, 4, 4, 4],
    [0, 0, 0, 0, 0, 0, 0, 0, 0],
  ]) {
    const memory = new KernelMemory();
    const rows = madeRows(memory, lengths, 3);
    const before = entriesOf(rows);
    assert.deepEqual(laneEntries(laneOfSlots(memory, rows)), before);
  }
});

test('matrices that share their columns are transposed together, each without its negligible entries', () => {
  const memory = new KernelMemory();
  const first = madeRows(memory, [4, 3, 0, 4, 2, 4, 1, 4, 4], 5);
  const matrices = [first, { ...first, values: first.values.map((value) => value / 3) }];
  const negligible = 0.1;
  for (const [n, { offsets, columns, values }] of transposeAll(matrices, negligible).entries()) {
    const expected = entriesOf(matrices[n]).flatMap((entries, row) =>
      entries.filter(([, value]) => Math.abs(value) > negligible).map(([column, value]) => [column, row, value]),
    );
    const found = Array.from({ length: offsets.length - 1 }, (_, row) =>
      Array.from(columns.subarray(offsets[row], offsets[row + 1]), (column, at) => [
        row,
        column,
        values[offsets[row] + at],
      ]),
    ).flat();
    const sorted = (list: number[][]) => list.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
    assert.deepEqual(found, sorted(expected));
    assert.ok(found.length > 0);
  }
});
