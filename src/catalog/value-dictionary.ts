// The distinct values of an attribute, and which of them meet a condition. An entry is "s" + text, or "j" + the JSON of
// anything that is no text. Codes are 1 + the entry's index; 0 is unused. An entry that is no longer used keeps its code.
//
// Deciding touches as little as it can: equality is a look-up, numbers are compared as numbers, texts as bytes. No value is
// decoded. The work is cut into short steps; values that come in between are not decided.

import { grown } from '../base/grown.ts';
import { IdTable } from '../base/id-table.ts';
import type { Steps } from '../base/steps.ts';
import type { ComparisonOperator, FilterLiteral } from '../domain/filter/filter.ts';
import { timeOf } from '../domain/filter/filter-number.ts';
import { type NumberTest, passes } from './number-test.ts';
import { textsInOrder } from './text-order.ts';
import { type TextTable, textsContaining } from './text-search.ts';

const TEXT = 's'.charCodeAt(0);
/** Longer texts are not times, so they are not decoded. */
const MAX_TIME_BYTES = 64;
const UNREAD = Number.NEGATIVE_INFINITY;
const STEP_ENTRIES = 16_384;
const MIN_CODES = 64;

/** verdict of code c; [0] stays 0 */
export type Verdicts = Uint8Array;

export class ValueDictionary {
  readonly #entries = new IdTable();
  /** by code, NaN if the entry is not a number; null while no entry is a number */
  #numbers: Float64Array | null = null;
  /** by code; null until they are needed */
  #times: Float64Array | null = null;
  /** number of uses by code */
  #uses = new Uint32Array(0);
  /** entries without a use, and their bytes */
  unused = 0;
  unusedBytes = 0;
  /** whether an entry of this kind was ever added */
  hasText = false;
  hasBoolean = false;

  get length(): number {
    return this.#entries.length;
  }

  get hasNumber(): boolean {
    return this.#numbers !== null;
  }

  /** bytes of all entries */
  get textBytes(): number {
    const { bytes } = this.#entries.content();
    return bytes.length;
  }

  /** The value's code, which has one more use from now on. */
  use(value: unknown): number {
    const before = this.#entries.length;
    const code = this.#entries.intern(entryOf(value)) + 1;
    if (code > before) this.#add(code, value);
    else if (this.#uses[code] === 0) this.#countUnused(code, -1);
    this.#uses[code]++;
    return code;
  }

  /** Removes one use of the entry. */
  release(code: number): void {
    if (--this.#uses[code] === 0) this.#countUnused(code, 1);
  }

  /** Returns 0 if no item ever had the value. */
  codeOf(value: FilterLiteral): number {
    return this.#entries.indexOf(entryOf(value)) + 1;
  }

  valueOf(code: number): unknown {
    const entry = this.#entries.at(code - 1)!;
    return entry.charCodeAt(0) === TEXT ? entry.slice(1) : JSON.parse(entry.slice(1));
  }

  /** Milliseconds since 1970 of an entry that is a time, else NaN. Read from the text once. */
  timeOf(code: number): number {
    if (this.#times === null || code >= this.#times.length) {
      const grown = new Float64Array(Math.max(code, this.length) + 1).fill(UNREAD);
      if (this.#times !== null) grown.set(this.#times);
      this.#times = grown;
    }
    if (this.#times[code] === UNREAD) {
      const isShort = this.#bytesOf(code) <= MAX_TIME_BYTES;
      this.#times[code] = isShort ? timeOf(this.valueOf(code)) : Number.NaN;
    }
    return this.#times[code];
  }

  equalTo(values: readonly FilterLiteral[]): Verdicts {
    const verdicts = new Uint8Array(this.length + 1);
    for (const value of values) verdicts[this.codeOf(value)] = 1;
    verdicts[0] = 0;
    return verdicts;
  }

  *containing(substring: string): Steps<Verdicts> {
    const verdicts = new Uint8Array(this.length + 1);
    yield* textsContaining(this.#texts(), substring, (entry) => {
      verdicts[entry + 1] = 1;
    });
    return verdicts;
  }

  *textsInOrder(operator: ComparisonOperator, text: string): Steps<Verdicts> {
    const verdicts = new Uint8Array(this.length + 1);
    yield* textsInOrder(this.#texts(), operator, text, (entry) => {
      verdicts[entry + 1] = 1;
    });
    return verdicts;
  }

  *numbersThat(test: NumberTest): Steps<Verdicts> {
    const verdicts = new Uint8Array(this.length + 1);
    const numbers = this.#numbers;
    const end = numbers === null ? 0 : Math.min(numbers.length, verdicts.length);
    for (let code = 1; code < end; code++) {
      if (passes(test, numbers![code])) verdicts[code] = 1;
      if (code % STEP_ENTRIES === 0) yield;
    }
    return verdicts;
  }

  memoryBytes(): number {
    const byCode = this.#uses.byteLength + (this.#numbers?.byteLength ?? 0) + (this.#times?.byteLength ?? 0);
    return this.#entries.memoryBytes() + byCode;
  }

  #texts(): TextTable {
    return { ...this.#entries.content(), tagBytes: 1, textTag: TEXT };
  }

  #bytesOf(code: number): number {
    return this.#entries.byteLength(code - 1);
  }

  #countUnused(code: number, entries: 1 | -1): void {
    this.unused += entries;
    this.unusedBytes += entries * this.#bytesOf(code);
  }

  #add(code: number, value: unknown): void {
    if (code >= this.#uses.length) {
      this.#uses = grown(this.#uses, new Uint32Array(Math.max(MIN_CODES, code + 1, this.#uses.length * 2)));
    }
    if (typeof value === 'string') this.hasText = true;
    if (typeof value === 'boolean') this.hasBoolean = true;
    if (typeof value === 'number' && this.#numbers === null) this.#numbers = new Float64Array(0);
    if (this.#numbers === null) return;
    if (code >= this.#numbers.length) {
      this.#numbers = grown(
        this.#numbers,
        new Float64Array(Math.max(MIN_CODES, code + 1, this.#numbers.length * 2)).fill(Number.NaN),
      );
    }
    if (typeof value === 'number') this.#numbers[code] = value;
  }
}

function entryOf(value: unknown): string {
  return typeof value === 'string' ? `s${value}` : `j${JSON.stringify(value)}`;
}
