// One catalog, followed by many calls. Each call must see what was in the store when it began: it may share a look at the
// store that begins after it, never one that had begun before.
import type { Catalog } from '../catalog/catalog.ts';
import type { RecordStore } from '../store/record-store.ts';
import { ItemTexts } from './item-texts.ts';

export class CatalogFollower {
  readonly catalog: Catalog;
  readonly texts: ItemTexts;
  readonly #items: RecordStore;
  #running: Promise<unknown> | null = null;
  #next: Promise<unknown> | null = null;

  constructor(catalog: Catalog, items: RecordStore) {
    this.catalog = catalog;
    this.texts = new ItemTexts(catalog);
    this.#items = items;
  }

  /** Resolves when the catalog has everything that was stored before the call. */
  follow(): Promise<unknown> {
    if (this.#running === null) return this.#look();
    // The look that runs may have read before this call began: all who come meanwhile share the one after it.
    this.#next ??= this.#running
      .catch(() => {})
      .then(() => {
        this.#next = null;
        return this.#look();
      });
    return this.#next;
  }

  #look(): Promise<unknown> {
    const look = this.catalog.follow(this.#items).finally(() => {
      if (this.#running === look) this.#running = null;
    });
    this.#running = look;
    return look;
  }
}
