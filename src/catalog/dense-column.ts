// An attribute that many items have, as a column of codes. A filter's condition is decided once per distinct value, then
// carried to the items in one pass over codes.
//
// A cell is a 32-bit code: ABSENT; NUMBER: the value is in `numbers`; with the top bit: a list, by its place in the
// lists' arrays; else the value's code in the dictionary. A list holds its elements' codes in the dictionary.
//
// Lists that were overwritten and values without a use stay behind until the column is rewritten.
//
// Selecting is cut into short steps, and the column may change between them. It works on the arrays the column had when it
// began: they stay consistent with each other, and what it says of items that changed meanwhile means nothing.

import { grown } from '../base/grown.ts';
import type { Steps } from '../base/steps.ts';
import type { FilterLiteral } from '../domain/filter/filter.ts';
import type { FilterCondition } from '../domain/filter/meets-condition.ts';
import type { ItemBitmap } from './item-set.ts';
import {
  ABSENT,
  type Cells,
  decide,
  LIST,
  NUMBER,
  type PositiveCondition,
  STEP_ITEMS,
  selectSome,
} from './select-cells.ts';
import { ValueDictionary } from './value-dictionary.ts';
import { ValueSets } from './value-sets.ts';

/** Less than this left behind is not worth the trouble. */
const MIN_LEFT = 1000;
const MIN_LEFT_BYTES = 4 * 1024 * 1024;
const CODE_BYTES = 4;
const REWRITTEN_A_STEP = 8;
/** Up to this many distinct values, each may have a set of its items. Together the sets take a bit per value and item. */
const MAX_VALUE_SETS = 64;
/** Work of comparing a distinct text by order, in items of a plain condition. */
const ORDER_WORK = 8;

/** Kinds of values that filters can compare. */
export type ValueKind = 'string' | 'number' | 'boolean';

export class DenseColumn {
  #codes = new Uint32Array(0);
  #numbers: Float64Array | null = null;
  /** items whose value is a single number */
  #numberCount = 0;
  #dictionary = new ValueDictionary();
  #listEnds = new Uint32Array(0);
  #listElements = new Uint32Array(0);
  #listCount = 0;
  #overwrittenLists = 0;
  #overwrittenElements = 0;
  #writes = 0;
  /** null until they are needed */
  #valueSets: ValueSets | null = null;

  /** Returns `undefined` if the item has no value. */
  read(item: number): unknown {
    const code = item < this.#codes.length ? this.#codes[item] : ABSENT;
    if (code === ABSENT) return undefined;
    if (code === NUMBER) return this.#numbers![item];
    if (code < LIST) return this.#dictionary.valueOf(code);
    const list = code - LIST;
    const elements: unknown[] = [];
    for (let at = this.#listStart(list); at < this.#listEnds[list]; at++) {
      elements.push(this.#dictionary.valueOf(this.#listElements[at]));
    }
    return elements;
  }

  /** null and undefined mean absent. `itemCount` is how many items there are. */
  write(item: number, value: unknown, itemCount: number): void {
    const absent = value === null || value === undefined;
    if (absent && item >= this.#codes.length) return;
    this.#writes++;
    this.#reserve(Math.max(item + 1, itemCount));
    this.#mark(item, false);
    const before = this.#codes[item];
    const code = absent ? ABSENT : this.#encode(item, value);
    this.#codes[item] = code;
    this.#numberCount += Number(code === NUMBER) - Number(before === NUMBER);
    if (before !== ABSENT && before !== NUMBER) this.#release(before);
    this.#mark(item, true);
  }

  /** Sets that together hold the items with one of the values; null when there are too many distinct ones for sets. */
  itemsWithAny(values: readonly FilterLiteral[]): ItemBitmap[] | null {
    if (this.#numberCount > 0 || this.#dictionary.length > MAX_VALUE_SETS) {
      this.forgetValueSets();
      return null;
    }
    if (this.#valueSets === null) {
      this.#valueSets = new ValueSets(this.#codes.length);
      for (let item = 0; item < this.#codes.length; item++) this.#mark(item, true);
    }
    const sets = this.#valueSets;
    return values.map((value) => sets.of(this.#dictionary.codeOf(value))).filter((set) => set !== undefined);
  }

  forgetValueSets(): void {
    this.#valueSets = null;
  }

  /** Kinds of values, alone or in lists. A kind whose values were all overwritten may still be included. */
  kinds(): ValueKind[] {
    const { hasText, hasNumber, hasBoolean } = this.#dictionary;
    const kinds: ValueKind[] = [];
    if (hasText) kinds.push('string');
    if (hasNumber || this.#numberCount > 0) kinds.push('number');
    if (hasBoolean) kinds.push('boolean');
    return kinds;
  }

  memoryBytes(): number {
    const lists = this.#listEnds.byteLength + this.#listElements.byteLength;
    return (
      this.#codes.byteLength +
      (this.#numbers?.byteLength ?? 0) +
      this.#dictionary.memoryBytes() +
      lists +
      (this.#valueSets?.memoryBytes() ?? 0)
    );
  }

  /** Whether `rewrite` would leave behind more than it keeps. */
  isWorn(itemCount: number): boolean {
    const { length, unused, unusedBytes, textBytes } = this.#dictionary;
    const many = Math.max(itemCount, MIN_LEFT);
    if (this.#overwrittenLists > many || unused > Math.max(length - unused, many)) return true;
    const bytes = textBytes + this.#listStart(this.#listCount) * CODE_BYTES;
    const left = unusedBytes + this.#overwrittenElements * CODE_BYTES;
    return left > Math.max(bytes - left, MIN_LEFT_BYTES);
  }

  /** Leaves behind the values that were overwritten. Given up when something is written between steps. */
  *rewrite(itemCount: number): Steps<void> {
    const writes = this.#writes;
    const end = Math.min(itemCount, this.#codes.length);
    const fresh = new DenseColumn();
    fresh.#reserve(this.#codes.length);
    for (let item = 0; item < end; item++) {
      const value = this.read(item);
      if (value !== undefined) fresh.#codes[item] = fresh.#encode(item, value);
      if (item % REWRITTEN_A_STEP !== 0) continue;
      yield;
      if (this.#writes !== writes) return;
    }
    this.#codes = fresh.#codes;
    this.#numbers = fresh.#numbers;
    this.#dictionary = fresh.#dictionary;
    this.#listEnds = fresh.#listEnds;
    this.#listElements = fresh.#listElements;
    this.#listCount = fresh.#listCount;
    this.#overwrittenLists = 0;
    this.#overwrittenElements = 0;
    // The sets are keyed by the old codes.
    this.forgetValueSets();
  }

  /** Estimated work of selecting by the condition, in items or bytes to look at. */
  workOf(condition: FilterCondition, itemCount: number): number {
    if (condition.kind === 'contains') return itemCount + this.#dictionary.textBytes;
    const ordered = condition.kind === 'compare' && condition.operator !== '=' && condition.operator !== '!=';
    return itemCount + this.#listStart(this.#listCount) + (ordered ? this.#dictionary.length * ORDER_WORK : 0);
  }

  /** Sets the bits of the items below itemCount that have the attribute. */
  *selectPresent(itemCount: number, words: Uint32Array): Steps<void> {
    const codes = this.#codes;
    const end = Math.min(itemCount, codes.length);
    for (let from = 0; from < end; from += STEP_ITEMS) {
      const to = Math.min(end, from + STEP_ITEMS);
      for (let item = from; item < to; item++) if (codes[item] !== ABSENT) words[item >>> 5] |= 1 << (item & 31);
      yield;
    }
  }

  /** Sets the bits of the items below itemCount that meet the condition; `words` is all 0 before. */
  *select(condition: PositiveCondition, itemCount: number, words: Uint32Array): Steps<void> {
    const cells: Cells = {
      codes: this.#codes,
      numbers: this.#numbers,
      listEnds: this.#listEnds,
      listElements: this.#listElements,
    };
    const end = Math.min(itemCount, cells.codes.length);
    const verdict = yield* decide(condition, this.#dictionary);
    for (let item = 0; item < end; ) {
      item = selectSome(cells, verdict, words, { from: item, end });
      yield;
    }
  }

  /** Reads the numbers of the items from `first` on, NaN if a value is not a number. */
  readNumbers(first: number, out: Float64Array): void {
    const codes = this.#codes;
    const numbers = this.#numbers;
    for (let n = 0; n < out.length; n++) {
      const item = first + n;
      out[n] = item < codes.length && codes[item] === NUMBER ? numbers![item] : Number.NaN;
    }
  }

  /** Reads times, which may also be texts. */
  readTimes(first: number, out: Float64Array): void {
    this.readNumbers(first, out);
    const codes = this.#codes;
    const end = Math.min(out.length, codes.length - first);
    for (let n = 0; n < end; n++) {
      const code = codes[first + n];
      if (code !== ABSENT && code < LIST) out[n] = this.#dictionary.timeOf(code);
    }
  }

  /** Keeps the sets of values true to a cell that is about to change, or has. */
  #mark(item: number, present: boolean): void {
    const sets = this.#valueSets;
    if (sets === null) return;
    if (this.#dictionary.length > MAX_VALUE_SETS) {
      this.forgetValueSets();
      return;
    }
    const code = this.#codes[item];
    if (code === ABSENT || code === NUMBER) return;
    if (code < LIST) {
      sets.set(item, code, present);
      return;
    }
    const list = code - LIST;
    for (let at = this.#listStart(list); at < this.#listEnds[list]; at++)
      sets.set(item, this.#listElements[at], present);
  }

  #encode(item: number, value: unknown): number {
    if (typeof value === 'number') {
      this.#numbers ??= new Float64Array(this.#codes.length);
      this.#numbers[item] = value;
      return NUMBER;
    }
    return Array.isArray(value) ? this.#addList(value) : this.#dictionary.use(value);
  }

  #addList(values: readonly unknown[]): number {
    const list = this.#listCount++;
    const start = this.#listStart(list);
    this.#listEnds = withRoom(this.#listEnds, list + 1);
    this.#listElements = withRoom(this.#listElements, start + values.length);
    for (let n = 0; n < values.length; n++) this.#listElements[start + n] = this.#dictionary.use(values[n] ?? null);
    this.#listEnds[list] = start + values.length;
    return LIST + list;
  }

  /** A text, a list or another value that is in the dictionary. */
  #release(code: number): void {
    if (code < LIST) {
      this.#dictionary.release(code);
      return;
    }
    const list = code - LIST;
    const start = this.#listStart(list);
    const end = this.#listEnds[list];
    for (let at = start; at < end; at++) this.#dictionary.release(this.#listElements[at]);
    this.#overwrittenLists++;
    this.#overwrittenElements += end - start;
  }

  #listStart(list: number): number {
    return list === 0 ? 0 : this.#listEnds[list - 1];
  }

  #reserve(items: number): void {
    this.#codes = withRoom(this.#codes, items);
    if (this.#numbers !== null && this.#numbers.length < this.#codes.length) {
      this.#numbers = grown(this.#numbers, new Float64Array(this.#codes.length));
    }
  }
}

function withRoom(array: Uint32Array<ArrayBuffer>, length: number): Uint32Array<ArrayBuffer> {
  if (array.length >= length) return array;
  return grown(array, new Uint32Array(Math.max(length, 64, array.length + (array.length >>> 1))));
}
