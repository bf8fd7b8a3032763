// The catalog numbers of a counted list, for which each id is looked up once. They live as long as both the list and the catalog:
// a list that was made again and a catalog that was dropped leave nothing behind. The cache of counted lists counts their bytes.
import type { CatalogFollower } from './catalog-follower.ts';
import type { CountedList } from './counted-lists.ts';

export class ListNumbers {
  readonly #known = new WeakMap<CatalogFollower, WeakMap<CountedList, Uint32Array>>();

  /** Returns the catalog numbers of the list's items, in its order. */
  of(list: CountedList, follower: CatalogFollower): Uint32Array {
    let lists = this.#known.get(follower);
    if (lists === undefined) {
      lists = new WeakMap();
      this.#known.set(follower, lists);
    }
    let items = lists.get(list);
    if (items === undefined) {
      items = Uint32Array.from(list.itemIds, (id) => follower.catalog.intern(id));
      lists.set(list, items);
    }
    return items;
  }
}
