// Rows that come entry by entry in any order, brought into the caller's arrays with their columns ascending.
import type { CountedRows } from '../event-aggregation.ts';

/** Entries, one of each list: its row, its column and its values by name. */
export type Entries = Readonly<Record<string, ArrayLike<number>> & { i: ArrayLike<number>; j: ArrayLike<number> }>;

export class GatheredRows {
  readonly #rows: CountedRows;
  readonly #values: readonly (readonly [name: string, list: Float32Array])[];

  constructor(rows: CountedRows, values: Readonly<Record<string, Float32Array>>) {
    this.#rows = rows;
    this.#values = Object.entries(values);
    rows.counts.fill(0);
  }

  add(entries: Entries): void {
    const { slot, counts, columns } = this.#rows;
    const { i, j } = entries;
    const places = Float64Array.from(i, (row) => row * slot + counts[row]++);
    for (let n = 0; n < places.length; n++) columns[places[n]] = j[n];
    for (const [name, list] of this.#values) {
      const values = entries[name];
      for (let n = 0; n < places.length; n++) list[places[n]] = values[n];
    }
  }

  /** Call after all entries were added. */
  finish(): void {
    const { slot, counts } = this.#rows;
    const keys = new Float64Array(slot);
    const before = new Float32Array(slot);
    for (let row = 0; row < counts.length; row++) this.#sort(row * slot, keys.subarray(0, counts[row]), before);
  }

  /** A key has the column first and then the place, so that sorting keys, which are plain numbers, sorts entries. */
  #sort(start: number, keys: Float64Array, before: Float32Array): void {
    const { slot, columns } = this.#rows;
    for (let n = 0; n < keys.length; n++) keys[n] = columns[start + n] * slot + n;
    keys.sort();
    for (let n = 0; n < keys.length; n++) columns[start + n] = Math.floor(keys[n] / slot);
    for (const [, list] of this.#values) {
      before.set(list.subarray(start, start + keys.length));
      for (let n = 0; n < keys.length; n++) list[start + n] = before[keys[n] % slot];
    }
  }
}
