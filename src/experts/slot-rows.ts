// Sparse rows as kernels write them: every row has room for `slot` entries, counts say how many are used. On kernel memory.

import type { SparseRows } from '../artifact/g1-model.ts';
import type { KernelMemory } from '../kernels/kernel-memory.ts';

export interface SlotRows {
  readonly slot: number;
  readonly counts: Uint32Array;
  readonly columns: Uint32Array;
  readonly values: Float32Array;
}

export function allocateSlotRows(memory: KernelMemory, rows: number, slot: number): SlotRows {
  return { slot, counts: memory.u32(rows), columns: memory.u32(rows * slot), values: memory.f32(rows * slot) };
}

/** Row i holds places [starts[i], ends[i]) of columns and values. */
export interface LaneRows {
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
  readonly columns: Uint32Array;
  readonly values: Float32Array;
}

/** Moves the entries together and gives the rest back. The rows must be what was allocated last on the memory. */
export function laneOfSlots(memory: KernelMemory, { slot, counts, columns, values }: SlotRows): LaneRows {
  let length = 0;
  for (let row = 0; row < counts.length; ) {
    const from = row * slot;
    // Rows that are full follow each other without a gap: they move together, up to the first that is not.
    while (row + 1 < counts.length && counts[row] === slot) row++;
    const to = row * slot + counts[row++];
    if (length < from) {
      columns.copyWithin(length, from, to);
      values.copyWithin(length, from, to);
    }
    length += to - from;
  }
  memory.release(columns.byteOffset);
  // The columns are where they were; the values move up to them.
  const packed = { columns: memory.u32(length), values: memory.f32(length) };
  packed.values.set(values.subarray(0, length));
  const starts = memory.u32(counts.length);
  const ends = memory.u32(counts.length);
  for (let row = 0, at = 0; row < counts.length; row++) {
    starts[row] = at;
    at += counts[row];
    ends[row] = at;
  }
  return { starts, ends, ...packed };
}

/**
 * The transposed matrices, off the kernels' memory. They share counts and columns: entries of all of them move to their places
 * together, because places are far apart and each costs a miss of the cache. Entries whose size is at most `negligible` are left out.
 */
export function transposeAll(matrices: readonly SlotRows[], negligible: number): PackedRows[] {
  const { slot, counts, columns } = matrices[0];
  const offsets = new Uint32Array(counts.length + 1);
  for (let row = 0; row < counts.length; row++) {
    const end = row * slot + counts[row];
    for (let at = row * slot; at < end; at++) offsets[columns[at] + 1]++;
  }
  for (let row = 0; row < counts.length; row++) offsets[row + 1] += offsets[row];
  // A cell is the column of an entry and its value in each matrix.
  const size = 1 + matrices.length;
  const cells = new Uint32Array(offsets[counts.length] * size);
  const cellValues = new Float32Array(cells.buffer);
  const cursor = offsets.slice();
  for (let row = 0; row < counts.length; row++) {
    const end = row * slot + counts[row];
    for (let at = row * slot; at < end; at++) {
      const cell = cursor[columns[at]]++ * size;
      cells[cell] = row;
      for (let n = 0; n < matrices.length; n++) cellValues[cell + 1 + n] = matrices[n].values[at];
    }
  }
  return matrices.map((_, n) => packedCells({ offsets, cells, cellValues, size }, n, negligible));
}

/** Packs one of the matrices whose entries are in the cells. */
function packedCells(
  {
    offsets,
    cells,
    cellValues,
    size,
  }: { offsets: Uint32Array; cells: Uint32Array; cellValues: Float32Array; size: number },
  matrix: number,
  negligible: number,
): PackedRows {
  let length = 0;
  for (let at = 1 + matrix; at < cells.length; at += size) if (Math.abs(cellValues[at]) > negligible) length++;
  const packed = {
    offsets: new Uint32Array(offsets.length),
    columns: new Uint32Array(length),
    values: new Float32Array(length),
  };
  let place = 0;
  for (let row = 0; row + 1 < offsets.length; row++) {
    for (let cell = offsets[row] * size; cell < offsets[row + 1] * size; cell += size) {
      const value = cellValues[cell + 1 + matrix];
      if (!(Math.abs(value) > negligible)) continue;
      packed.columns[place] = cells[cell];
      packed.values[place++] = value;
    }
    packed.offsets[row + 1] = place;
  }
  return packed;
}

/** Row i holds places [offsets[i], offsets[i + 1]) of columns and values. */
export type PackedRows = Pick<SparseRows, 'offsets' | 'columns' | 'values'>;

export function laneOnMemory(memory: KernelMemory, rows: PackedRows): LaneRows {
  const offsets = memory.u32(rows.offsets.length);
  const columns = memory.u32(rows.columns.length);
  const values = memory.f32(rows.values.length);
  offsets.set(rows.offsets);
  columns.set(rows.columns);
  values.set(rows.values);
  return { starts: offsets.subarray(0, offsets.length - 1), ends: offsets.subarray(1), columns, values };
}

/** An independent copy on memory of exactly its size. */
export function sparseRowsOf(lane: LaneRows, itemCount: number): SparseRows {
  let entries = 0;
  for (let row = 0; row < itemCount; row++) entries += lane.ends[row] - lane.starts[row];
  const offsets = new Uint32Array(new SharedArrayBuffer((itemCount + 1) * 4));
  const columns = new Uint32Array(new SharedArrayBuffer(entries * 4));
  const values = new Float32Array(new SharedArrayBuffer(entries * 4));
  for (let row = 0; row < itemCount; row++) offsets[row + 1] = offsets[row] + lane.ends[row] - lane.starts[row];
  // Rows that follow each other without a gap are copied at once.
  for (let first = 0, next = 0; first < itemCount; first = next) {
    for (next = first + 1; next < itemCount && lane.starts[next] === lane.ends[next - 1]; ) next++;
    const [from, to] = [lane.starts[first], lane.ends[next - 1]];
    columns.set(lane.columns.subarray(from, to), offsets[first]);
    values.set(lane.values.subarray(from, to), offsets[first]);
  }
  return { rowCount: itemCount, columnCount: itemCount, offsets, columns, values };
}
