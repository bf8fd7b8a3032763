// The item sets of the filters asked for last: found once, then mended item by item as the catalog changes.
import type { Filter } from '../domain/filter.ts';
import { printFilter } from '../domain/print-filter.ts';
import type { ItemSet } from './item-set.ts';

const KEPT_FILTERS = 64;
/** Beyond so many changes at once, sets are dropped instead of mended. */
const MENDED_CHANGES = 2000;

export class KeptFilters {
  readonly #find: (filter: Filter) => ItemSet;
  readonly #meets: (filter: Filter, item: number) => boolean;
  /** by printed filter, oldest use first */
  readonly #kept = new Map<string, { filter: Filter; set: ItemSet }>();
  /** changed items that the kept sets do not know of yet */
  #changed: number[] = [];

  /** `find` goes over all items, `meets` looks at one; both mean the catalog as it is when they are called. */
  constructor(find: (filter: Filter) => ItemSet, meets: (filter: Filter, item: number) => boolean) {
    this.#find = find;
    this.#meets = meets;
  }

  noteChange(item: number): void {
    if (this.#kept.size > 0 && this.#changed.length <= MENDED_CHANGES) this.#changed.push(item);
  }

  select(filter: Filter): ItemSet {
    this.#mend();
    const key = printFilter(filter);
    const kept = this.#kept.get(key) ?? { filter, set: this.#find(filter) };
    this.#kept.delete(key);
    this.#kept.set(key, kept);
    if (this.#kept.size > KEPT_FILTERS) this.#kept.delete(this.#kept.keys().next().value!);
    return kept.set;
  }

  memoryBytes(): number {
    return this.#kept.values().reduce((bytes, { set }) => bytes + set.memoryBytes(), 0);
  }

  #mend(): void {
    if (this.#changed.length === 0) return;
    if (this.#changed.length > MENDED_CHANGES) this.#kept.clear();
    for (const { filter, set } of this.#kept.values()) {
      for (const item of this.#changed) set.set(item, this.#meets(filter, item));
    }
    this.#changed = [];
  }
}
