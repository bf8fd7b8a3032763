// The ids of items that were read last, as texts: lists show the same items again and again, and making a text of bytes costs more
// than finding it. An item's id never changes, and each place holds the last of the items that share it, so nothing grows.
import { textBytes } from '../base/bounded-cache.ts';

/** Number of cached ids. Must be a power of 2. */
const PLACES = 8192;
const NONE = 0xffff_ffff;
const USUAL_ID = textBytes('x'.repeat(24));

export class LastIds {
  readonly #read: (item: number) => string;
  /** all NONE at first; allocated at the first read */
  #items = new Uint32Array(0);
  #ids: string[] = [];

  constructor(read: (item: number) => string) {
    this.#read = read;
  }

  at(item: number): string {
    const place = item & (PLACES - 1);
    if (this.#items[place] === item) return this.#ids[place];
    if (this.#items.length === 0) {
      this.#items = new Uint32Array(PLACES).fill(NONE);
      this.#ids = new Array(PLACES).fill('');
    }
    const id = this.#read(item);
    this.#items[place] = item;
    this.#ids[place] = id;
    return id;
  }

  memoryBytes(): number {
    return this.#items.length * (4 + 8 + USUAL_ID);
  }
}
