// One attribute of all items. While few items have it its values are kept in a plain map, so that attributes named by ids
// cost what they hold; once a fair share of the items has it, it is laid out as a column of codes.
import { type FilterCondition, meetsCondition } from '../domain/evaluate-filter.ts';
import { DenseColumn } from './dense-column.ts';

/** A column is laid out once at least one item in so many has it. */
const DENSE_SHARE = 16;
const SMALL_CATALOG = 1024;

export class AttributeColumn {
  #few: Map<number, unknown> | null = new Map();
  #dense: DenseColumn | null = null;

  /** `undefined` when absent. */
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
    if (value === null || value === undefined) few.delete(item);
    else few.set(item, value);
    if (few.size * DENSE_SHARE <= Math.max(itemCount, SMALL_CATALOG)) return;
    this.#dense = new DenseColumn();
    for (const [known, kept] of few) this.#dense.write(known, kept, itemCount);
    this.#few = null;
  }

  /** Sets the bits of the items below itemCount that meet the condition; `words` is all 0 before. */
  select(condition: FilterCondition, itemCount: number, words: Uint32Array): void {
    if (condition.kind === 'compare' && condition.operator === '!=') {
      this.select({ ...condition, operator: '=' }, itemCount, words);
      invert(words, itemCount);
    } else if (condition.kind === 'null') {
      if (this.#dense !== null) this.#dense.selectPresent(itemCount, words);
      else for (const item of this.#few!.keys()) words[item >>> 5] |= 1 << (item & 31);
      invert(words, itemCount);
    } else if (this.#dense !== null) {
      this.#dense.select(condition, itemCount, words);
    } else {
      for (const [item, value] of this.#few!) {
        if (meetsCondition(condition, value)) words[item >>> 5] |= 1 << (item & 31);
      }
    }
  }

  memoryBytes(): number {
    return this.#dense === null ? 200 + this.#few!.size * 100 : this.#dense.memoryBytes();
  }
}

/** Flips the bits of the numbers below itemCount. */
export function invert(words: Uint32Array, itemCount: number): void {
  const whole = itemCount >>> 5;
  for (let word = 0; word < whole; word++) words[word] = ~words[word];
  if ((itemCount & 31) !== 0) words[whole] = ~words[whole] & (0xffff_ffff >>> (32 - (itemCount & 31)));
}
