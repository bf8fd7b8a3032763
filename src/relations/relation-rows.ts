// Rows of a relation out of visits (kernels/assembly/visits.ts). An entry is how strongly the row's item leads to another one, from 0
// to 1: relative to the strongest of the row, and less where the item is in few visits.
import type { SparseRows } from '../artifact/g1-model.ts';
import type { KernelPool } from '../kernels/kernel-pool.ts';
import { type VisitMatrix, visitsOfItem } from './visit-matrix.ts';

export interface RowShape {
  /** weight of an item in the same visit (lag 0), the next visit (lag 1), and so on */
  readonly omegas: readonly number[];
  /** a visit with n items counts n^−gamma */
  readonly gamma: number;
  /** an item in d visits counts d^−delta */
  readonly delta: number;
}

/** Most entries in a row. */
export const ROW_ENTRIES = 30;
/** A user with more visits counts like one with this many: a crawler that comes every hour does not say what goes together. */
const MOST_OF_USER = 100;
/** An item in this many visits is half as sure as one in very many. */
const HALF_SURE_VISITS = 5;

/** Rows of the given items, one after the other. */
export async function relationRows(
  pool: KernelPool,
  visits: VisitMatrix,
  shape: RowShape,
  rowItems: Uint32Array,
): Promise<SparseRows> {
  const { memory } = pool;
  const { itemCount, visitCount } = visits;
  const mark = memory.mark();
  const omegas = memory.f32(shape.omegas.length);
  omegas.set(shape.omegas);
  const visitScales = memory.f32(visitCount);
  for (let first = 0, end = 0; first < visitCount; first = end) {
    end = visits.lastVisits[first] + 1;
    const userScale = Math.min(1, MOST_OF_USER / (end - first));
    for (let visit = first; visit < end; visit++) {
      visitScales[visit] = userScale * (visits.offsets[visit + 1] - visits.offsets[visit]) ** -shape.gamma;
    }
  }
  const columnScales = memory.f32(itemCount);
  for (let item = 0; item < itemCount; item++) {
    columnScales[item] = Math.max(1, visitsOfItem(visits, item)) ** -shape.delta;
  }
  const slot = Math.max(1, Math.min(ROW_ENTRIES, itemCount));
  const rowCount = rowItems.length;
  memory.require(rowCount * (8 * slot + 8) + 64, `The relations of ${rowCount} items`);
  const [counts, columns, values] = [memory.u32(rowCount), memory.u32(rowCount * slot), memory.f32(rowCount * slot)];
  const itemsOfRows = memory.u32(rowCount);
  itemsOfRows.set(rowItems);
  await pool.run(
    'visitRows',
    [
      visits.offsets,
      visits.items,
      visits.itemOffsets,
      visits.entries,
      visits.entryVisits,
      visits.lastVisits,
      visitScales,
      shape.omegas.length - 1,
      omegas,
      columnScales,
      itemCount,
      slot,
      itemsOfRows,
      counts,
      columns,
      values,
    ],
    { rows: rowCount, scratchBytes: itemCount * 12 + slot * 4 },
  );
  const rows = sparseRows(rowCount, itemCount, (row) => {
    const from = row * slot;
    const entries = Array.from({ length: counts[row] }, (_, n) => [columns[from + n], values[from + n]] as const);
    const largest = entries.reduce((most, [, value]) => Math.max(most, value), 0);
    const visitsOf = visitsOfItem(visits, rowItems[row]);
    const sure = visitsOf / (visitsOf + HALF_SURE_VISITS);
    return entries.map(([column, value]) => [column, (value / largest) * sure] as const);
  });
  memory.release(mark);
  return rows;
}

/** The sum of both, a row again cut to its largest entries. */
export function addedRows(a: SparseRows, b: SparseRows): SparseRows {
  return sparseRows(a.rowCount, a.columnCount, (item) => {
    const sums = new Map<number, number>();
    for (const { offsets, columns, values } of [a, b]) {
      for (let at = offsets[item]; at < offsets[item + 1]; at++) {
        sums.set(columns[at], (sums.get(columns[at]) ?? 0) + values[at] / 2);
      }
    }
    return [...sums];
  });
}

/** Entries of a row come strongest first. */
function sparseRows(
  rowCount: number,
  columnCount: number,
  entriesOf: (row: number) => readonly (readonly [number, number])[],
): SparseRows {
  const offsets = new Uint32Array(rowCount + 1);
  const columns = new Uint32Array(rowCount * ROW_ENTRIES);
  const values = new Float32Array(rowCount * ROW_ENTRIES);
  let length = 0;
  for (let row = 0; row < rowCount; row++) {
    const entries = [...entriesOf(row)].sort((a, b) => b[1] - a[1] || a[0] - b[0]).slice(0, ROW_ENTRIES);
    for (const [column, value] of entries) {
      columns[length] = column;
      values[length++] = value;
    }
    offsets[row + 1] = length;
  }
  return {
    rowCount,
    columnCount,
    offsets,
    columns: columns.slice(0, length),
    values: values.slice(0, length),
  };
}
