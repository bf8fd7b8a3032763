// The item-to-item experts' rows as the bulk kernel reads them (kernels/assembly/reach.ts): all that the experts say of an item
// stands in one piece, so that a history's rows are fetched from few places. Up to 65,536 items an entry takes four bytes
// instead of eight: its column in 16 bits, and its value in 16 bits, as a share of the row's largest. That moves a usage by
// less than a ten-thousandth, also in a catalog of 40 items (usage-machine.test.ts).

import type { SparseRows } from '../../artifact/g1-model.ts';
import type { KernelMemory } from '../../kernels/kernel-memory.ts';

export interface PackedRows {
  /** pointer to the chunk of each item, and to the end of the last */
  readonly rows: Uint32Array;
  readonly wide: boolean;
}

const NARROW_ITEMS = 65_536;
const LARGEST = 32_767;
const FETCHED_WORDS = 64;
/** More than the lowest value, and no more than can be seen after the value is put into 16 bits. */
const ABOVE_ZERO = 65_536;

export function packRows(
  memory: KernelMemory,
  itemCount: number,
  experts: readonly SparseRows[],
  wide = itemCount > NARROW_ITEMS,
): PackedRows {
  const entryWords = wide ? 2 : 1;
  const headWords = experts.length * 2;
  let words = itemCount * headWords;
  for (const expert of experts) {
    for (let item = 0; item < itemCount; item++) words += inFours(rowLength(expert, item)) * entryWords;
  }
  // The kernel touches rows four cache lines at a time, and so what lies behind the last.
  words += FETCHED_WORDS;
  memory.require(words * 4, 'Scoring all users');
  const rows = memory.u32(itemCount + 1);
  const packed = memory.u32(words);
  const floats = new Float32Array(packed.buffer, packed.byteOffset, words);
  let at = 0;
  for (let item = 0; item < itemCount; item++) {
    rows[item] = packed.byteOffset + at * 4;
    let head = at;
    const start = at + headWords;
    at = start;
    for (const { offsets, columns, values, rowCount } of experts) {
      const from = item < rowCount ? offsets[item] : 0;
      const to = item < rowCount ? offsets[item + 1] : 0;
      let unit = 1;
      if (wide) {
        for (let n = from; n < to; n += 4, at += 8) {
          for (let k = 0; k < 4; k++) {
            packed[at + k] = columns[n + k < to ? n + k : from];
            floats[at + 4 + k] = n + k < to ? values[n + k] : 0;
          }
        }
      } else {
        unit = largestOf(values, from, to) / LARGEST;
        at = writeNarrow(columns, values, from, to, unit, packed, at);
      }
      floats[head++] = unit;
      packed[head++] = (at - start) * 4;
    }
  }
  rows[itemCount] = packed.byteOffset + at * 4;
  return { rows, wide };
}

/** Stands alone to be compiled for itself. Answers where the entries end. */
function writeNarrow(
  columns: Uint32Array,
  values: Float32Array,
  from: number,
  to: number,
  unit: number,
  packed: Uint32Array,
  at: number,
): number {
  const scale = unit > 0 ? 1 / unit : 0;
  // Above 0 taking the whole part, which is quick, is rounding down: Math.round would take four times as long.
  for (let n = from; n < to; n++) packed[at++] = (((values[n] * scale + ABOVE_ZERO + 0.5) | 0) << 16) | columns[n];
  for (let n = to; (n - from) % 4 !== 0; n++) packed[at++] = columns[from];
  return at;
}

function largestOf(values: Float32Array, from: number, to: number): number {
  let largest = 0;
  for (let n = from; n < to; n++) largest = Math.max(largest, Math.abs(values[n]));
  return largest;
}

function rowLength({ offsets, rowCount }: SparseRows, item: number): number {
  return item < rowCount ? offsets[item + 1] - offsets[item] : 0;
}

function inFours(length: number): number {
  return Math.ceil(length / 4) * 4;
}
