// The items that have a value of a column, one set per value, for columns with few distinct values. Made in one pass over the
// column when first asked for; from then on the column changes them with every write, so they are always up to date.
import { ItemSet } from './item-set.ts';

export class ValueSets {
  readonly #room: number;
  readonly #sets: (ItemSet | undefined)[] = [];

  /** `items` is the initial capacity of each set. */
  constructor(items: number) {
    this.#room = items;
  }

  of(code: number): ItemSet | undefined {
    return this.#sets[code];
  }

  set(item: number, code: number, present: boolean): void {
    let set = this.#sets[code];
    if (set === undefined) {
      set = new ItemSet(this.#room);
      this.#sets[code] = set;
    }
    set.set(item, present);
  }

  memoryBytes(): number {
    return this.#sets.reduce((sum, set) => sum + (set?.memoryBytes() ?? 0), 0);
  }
}
