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
  for (let row = 0; row < counts.length; row++) {
    const from = row * slot;
    columns.copyWithin(length, from, from + counts[row]);
    values.copyWithin(length, from, from + counts[row]);
    length += counts[row];
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

/** The transposed matrix off the kernels' memory. Entries whose size is at most `negligible` are left out. */
export function transpose({ slot, counts, columns, values }: SlotRows, negligible: number): PackedRows {
  const offsets = new Uint32Array(counts.length + 1);
  const each = (visit: (row: number, at: number) => void) => {
    for (let row = 0; row < counts.length; row++) {
      const end = row * slot + counts[row];
      for (let at = row * slot; at < end; at++) if (Math.abs(values[at]) > negligible) visit(row, at);
    }
  };
  each((_, at) => {
    offsets[columns[at] + 1]++;
  });
  for (let row = 0; row < counts.length; row++) offsets[row + 1] += offsets[row];
  const cursor = offsets.slice();
  const length = offsets[counts.length];
  const transposed = { offsets, columns: new Uint32Array(length), values: new Float32Array(length) };
  each((row, at) => {
    const place = cursor[columns[at]]++;
    transposed.columns[place] = row;
    transposed.values[place] = values[at];
  });
  return transposed;
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
