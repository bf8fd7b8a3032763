// The items that meet a filter, for calls of many accounts: worked out in fair turns, and once where several calls wait for
// the same filter.
import type { Catalog } from '../catalog/catalog.ts';
import type { ItemBitmap } from '../catalog/item-set.ts';
import type { FoldedFilter } from '../domain/filter/compile-filter.ts';
import { FairTurns } from './fair-turns.ts';

export class FilterSets {
  readonly #turns = new FairTurns();
  readonly #running = new WeakMap<Catalog, Map<string, Promise<ItemBitmap>>>();

  /** Number of evaluations that wait or run. */
  get waiting(): number {
    return this.#turns.size;
  }

  /** The set reflects the catalog at the time this resolves. Use it before you await anything else. */
  select(accountId: string, catalog: Catalog, { filter, key }: FoldedFilter): Promise<ItemBitmap> {
    const running = this.#running.get(catalog) ?? new Map<string, Promise<ItemBitmap>>();
    this.#running.set(catalog, running);
    let selecting = running.get(key);
    if (selecting === undefined) {
      selecting = this.#turns.run(accountId, catalog.selectSteps(filter, key)).finally(() => running.delete(key));
      running.set(key, selecting);
    }
    return selecting;
  }
}
