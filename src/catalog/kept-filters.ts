// The item sets of the filters used last: selected once over the whole catalog, then updated item by item for what changed
// since. Both are cut into short steps; a filter that nobody uses costs nothing when the catalog changes.
import { BoundedCache, textBytes } from '../base/bounded-cache.ts';
import type { Steps } from '../base/steps.ts';
import type { Filter } from '../domain/filter/filter.ts';
import type { ItemSet } from './item-set.ts';

/** Cache size per catalog. */
const CACHE_BYTES = 32 * 1024 * 1024;
/** Estimated bytes of a parsed filter per character of its text, at most. */
const BYTES_A_CHARACTER = 64;
/** If more than one in this many items changed, selecting again is cheaper than updating. */
const UPDATED_SHARE = 8;
/** Up to this many changes, an update is always cheaper. */
const MIN_UPDATED = 1000;

export interface FilteredCatalog {
  readonly catalog: { version: number; itemCount: number; changedSince(version: number): number[] | null };
  /** selects among all items */
  select(filter: Filter): Steps<ItemSet>;
  /** whether one item does, deleted or not */
  meets(filter: Filter, item: number): Steps<boolean>;
  /** whether the item was not deleted */
  isIncluded(item: number): boolean;
}

interface KeptFilter {
  readonly filter: Filter;
  readonly set: ItemSet;
  /** version of the catalog that the set reflects */
  version: number;
}

export class KeptFilters {
  readonly #filtered: FilteredCatalog;
  /** keyed by the printed filter */
  readonly #kept = new BoundedCache<string, KeptFilter>({
    name: 'filter_sets',
    maxBytes: CACHE_BYTES,
    bytesOf: ({ set }, key) => set.memoryBytes() + textBytes(key) + key.length * BYTES_A_CHARACTER,
  });

  constructor(filtered: FilteredCatalog) {
    this.#filtered = filtered;
  }

  /** The items that were not deleted and meet the filter when the last step is done. The set changes in later calls. */
  *select(filter: Filter, key: string): Steps<ItemSet> {
    for (;;) {
      const kept = this.#kept.get(key) ?? (yield* this.#selectAll(filter));
      if (!(yield* this.#update(kept))) {
        this.#kept.delete(key);
        continue;
      }
      // Stored again, because the set may have grown.
      this.#kept.delete(key);
      this.#kept.set(key, kept);
      return kept.set;
    }
  }

  memoryBytes(): number {
    return this.#kept.bytes;
  }

  *#selectAll(filter: Filter): Steps<KeptFilter> {
    const { catalog } = this.#filtered;
    const { version } = catalog;
    return { filter, set: yield* this.#filtered.select(filter), version };
  }

  /** False when it is better to select again. */
  *#update(kept: KeptFilter): Steps<boolean> {
    const { catalog } = this.#filtered;
    while (kept.version < catalog.version) {
      const from = kept.version;
      const to = catalog.version;
      const changed = catalog.changedSince(from);
      const most = Math.max(MIN_UPDATED, catalog.itemCount / UPDATED_SHARE);
      if (changed === null || changed.length > most) return false;
      for (const item of changed) {
        const meets = this.#filtered.isIncluded(item) && (yield* this.#filtered.meets(kept.filter, item));
        // Another call may have updated the set between two steps, so a result from before that must not be written.
        if (kept.version !== from) break;
        kept.set.set(item, meets);
      }
      if (kept.version === from) kept.version = to;
    }
    return true;
  }
}
