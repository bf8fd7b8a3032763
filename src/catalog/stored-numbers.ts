// Catalog numbers by an item's number in the event store: the id is looked up once for each. Belongs to one thread.
import { grown } from '../base/grown.ts';
import type { Catalog } from './catalog.ts';

export class StoredNumbers {
  readonly #catalog: Pick<Catalog, 'indexOf'>;
  /** 1 + catalog number by the store's number; 0: not known yet */
  #places = new Uint32Array(1024);

  constructor(catalog: Pick<Catalog, 'indexOf'>) {
    this.#catalog = catalog;
  }

  /** Returns a negative number for an item that the catalog does not know. It may become known later. */
  itemOf(number: number, itemId: string): number {
    if (number >= this.#places.length) {
      this.#places = grown(this.#places, new Uint32Array(Math.max(number + 1, this.#places.length * 2)));
    }
    if (this.#places[number] === 0) this.#places[number] = this.#catalog.indexOf(itemId) + 1;
    return this.#places[number] - 1;
  }

  memoryBytes(): number {
    return this.#places.byteLength;
  }
}
