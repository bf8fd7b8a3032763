// One attribute of all items. While few items have it its values are kept in a plain map, so that attributes named by ids
// cost what they hold; once a fair share of the items has it, it is laid out as a column of codes.

import type { Steps } from '../base/steps.ts';
import type { FilterLiteral } from '../domain/filter/filter.ts';
import { numberOf, timeOf } from '../domain/filter/filter-number.ts';
import { conditionTest, type FilterCondition } from '../domain/filter/meets-condition.ts';
import { DenseColumn, type ValueKind } from './dense-column.ts';
import type { ItemBitmap } from './item-set.ts';

/** A column is laid out once at least one item in this many has it. */
const DENSE_SHARE = 16;
/** Values, and elements of each, that are looked at for their kind. */
const LOOKED_AT = 100;
const SMALL_CATALOG = 1024;
/** Work (see workOf) between two chances to be interrupted. */
const STEP_WORK = 16_384;
/** Work to read a value outside a dense column, in items of a dense column. */
const FEW_WORK = 16;

export class AttributeColumn {
  #few: Map<number, unknown> | null = new Map();
  /** characters and elements of the few values */
  #fewLength = 0;
  #dense: DenseColumn | null = null;

  /** Returns `undefined` if the item has no value. */
  read(item: number): unknown {
    return this.#dense === null ? this.#few!.get(item) : this.#dense.read(item);
  }

  /** null and undefined mean absent. `itemCount` is how many items there are. */
  write(item: number, value: unknown, itemCount: number): void {
    if (this.#dense !== null) {
      this.#dense.write(item, value, itemCount);
      return;
    }
    const few = this.#few!;
    this.#fewLength += lengthOf(value) - lengthOf(few.get(item));
    if (value === null || value === undefined) few.delete(item);
    else few.set(item, value);
    if (few.size * DENSE_SHARE <= Math.max(itemCount, SMALL_CATALOG)) return;
    this.#dense = new DenseColumn();
    for (const [known, kept] of few) this.#dense.write(known, kept, itemCount);
    this.#few = null;
  }

  /** Leaves behind the values that were overwritten, once they are more than what is kept. */
  *tidy(itemCount: number): Steps<void> {
    if (this.#dense?.isWorn(itemCount)) yield* this.#dense.rewrite(itemCount);
  }

  /** Estimated work of selecting by the condition, in items or bytes to look at. */
  workOf(condition: FilterCondition, itemCount: number): number {
    if (this.#dense !== null) return this.#dense.workOf(condition, itemCount);
    return itemCount / 32 + this.#few!.size * FEW_WORK + this.#fewLength;
  }

  /** Sets the bits of the items below itemCount that meet the condition; `words` is all 0 before. */
  *select(condition: FilterCondition, itemCount: number, words: Uint32Array): Steps<void> {
    if (condition.kind === 'compare' && condition.operator === '!=') {
      yield* this.select({ ...condition, operator: '=' }, itemCount, words);
      invert(words, itemCount);
    } else if (condition.kind === 'null') {
      if (this.#dense !== null) yield* this.#dense.selectPresent(itemCount, words);
      else yield* selectFew(this.#few!, words, () => true);
      invert(words, itemCount);
    } else if (this.#dense !== null) {
      yield* this.#dense.select(condition, itemCount, words);
    } else {
      yield* selectFew(this.#few!, words, conditionTest(condition));
    }
  }

  /** Sets that together hold the items with one of the values; null when the column has no such sets. */
  itemsWithAny(values: readonly FilterLiteral[]): ItemBitmap[] | null {
    return this.#dense === null ? null : this.#dense.itemsWithAny(values);
  }

  forgetValueSets(): void {
    this.#dense?.forgetValueSets();
  }

  /** Reads the numbers of the items from `first` on, NaN if a value is not a number. */
  readNumbers(first: number, out: Float64Array): void {
    if (this.#dense !== null) this.#dense.readNumbers(first, out);
    else for (let n = 0; n < out.length; n++) out[n] = numberOf(this.#few!.get(first + n));
  }

  /** Reads times, which may also be texts: see timeOf. */
  readTimes(first: number, out: Float64Array): void {
    if (this.#dense !== null) this.#dense.readTimes(first, out);
    else for (let n = 0; n < out.length; n++) out[n] = timeOf(this.#few!.get(first + n));
  }

  /** Kinds of values, alone or in lists. With few values, only the first ones are looked at. Empty if nothing can be compared. */
  kinds(): ValueKind[] {
    if (this.#dense !== null) return this.#dense.kinds();
    const kinds = new Set<ValueKind>();
    for (const value of this.#few!.values().take(LOOKED_AT)) {
      for (const element of Array.isArray(value) ? value.slice(0, LOOKED_AT) : [value]) {
        const kind = typeof element;
        if (kind === 'string' || kind === 'number' || kind === 'boolean') kinds.add(kind);
      }
    }
    return [...kinds];
  }

  memoryBytes(): number {
    return this.#dense === null ? 200 + this.#few!.size * 100 + this.#fewLength * 2 : this.#dense.memoryBytes();
  }
}

function* selectFew(
  values: ReadonlyMap<number, unknown>,
  words: Uint32Array,
  meets: (value: unknown) => boolean,
): Steps<void> {
  let work = 0;
  for (const [item, value] of values) {
    if (meets(value)) words[item >>> 5] |= 1 << (item & 31);
    work += FEW_WORK + lengthOf(value);
    if (work < STEP_WORK) continue;
    yield;
    work = 0;
  }
}

/** Characters of a text, or of the texts of a list. */
function lengthOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (!Array.isArray(value)) return 0;
  return value.reduce<number>((sum, element) => sum + 1 + (typeof element === 'string' ? element.length : 0), 0);
}

/** Flips the bits of the numbers below itemCount. */
export function invert(words: Uint32Array, itemCount: number): void {
  const whole = itemCount >>> 5;
  for (let word = 0; word < whole; word++) words[word] = ~words[word];
  if ((itemCount & 31) !== 0) words[whole] = ~words[whole] & (0xffff_ffff >>> (32 - (itemCount & 31)));
}
