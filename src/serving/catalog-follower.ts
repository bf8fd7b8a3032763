// Lets many calls share the updates of one catalog, and caches the texts of its items.
import type { Catalog } from '../catalog/catalog.ts';
import { SharedLook } from '../cluster/shared-look.ts';
import type { RecordStore } from '../store/record-store.ts';
import { ItemTexts } from './item-texts.ts';

export class CatalogFollower {
  readonly catalog: Catalog;
  readonly texts: ItemTexts;
  readonly #look: SharedLook<boolean>;

  /** The signal ends a scan of the dataset. */
  constructor(
    catalog: Catalog,
    items: RecordStore,
    onChange: (follower: CatalogFollower) => void = () => {},
    signal?: AbortSignal,
  ) {
    this.catalog = catalog;
    this.texts = new ItemTexts(catalog);
    this.#look = new SharedLook(() => {
      const look = catalog.follow(items, signal);
      if (!(look instanceof Promise)) return look;
      return look.then((isChanged) => {
        if (isChanged) onChange(this);
        return isChanged;
      });
    });
  }

  /**
   * Resolves when the catalog has everything that was stored before the call. Returns without a promise if the store need not
   * wait.
   */
  follow(): boolean | Promise<boolean> {
    return this.#look.take();
  }
}
