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

export function laneOfSlots(memory: KernelMemory, rows: SlotRows): LaneRows {
  const count = rows.counts.length;
  const starts = memory.u32(count);
  const ends = memory.u32(count);
  for (let row = 0; row < count; row++) {
    starts[row] = row * rows.slot;
    ends[row] = starts[row] + rows.counts[row];
  }
  return { starts, ends, columns: rows.columns, values: rows.values };
}

/** Rows of the transposed matrix; `room` is allocated by the caller for as many entries as there may be. */
export interface TransposeRoom {
  readonly offsets: Uint32Array;
  readonly columns: Uint32Array;
  readonly values: Float32Array;
}

export function allocateTranspose(memory: KernelMemory, rows: number, entries: number): TransposeRoom {
  return { offsets: memory.u32(rows + 1), columns: memory.u32(entries), values: memory.f32(entries) };
}

/** Entries whose size is at most `negligible` are left out. */
export function transposeInto(rows: SlotRows, room: TransposeRoom, negligible: number): LaneRows {
  const count = rows.counts.length;
  const { offsets, columns, values } = room;
  offsets.fill(0);
  const each = (visit: (row: number, at: number) => void) => {
    for (let row = 0; row < count; row++) {
      const end = row * rows.slot + rows.counts[row];
      for (let at = row * rows.slot; at < end; at++) if (Math.abs(rows.values[at]) > negligible) visit(row, at);
    }
  };
  each((_, at) => {
    offsets[rows.columns[at] + 1]++;
  });
  for (let row = 0; row < count; row++) offsets[row + 1] += offsets[row];
  const cursor = offsets.slice();
  each((row, at) => {
    const place = cursor[rows.columns[at]]++;
    columns[place] = row;
    values[place] = rows.values[at];
  });
  return { starts: offsets.subarray(0, count), ends: offsets.subarray(1), columns, values };
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
