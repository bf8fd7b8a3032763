// The items of lists as the bytes of their JSON and as cells of a table, each made once: the same items are in many lists.

import { describe } from '../../serving/item-texts.ts';
import type { ServableModel } from '../../serving/model-cache.ts';
import type { ListRows } from './encoded-rows.ts';

/** Most bytes of cached pieces. Above it, all are made again. */
const MAX_BYTES = 16 * 1024 * 1024;

const encoder = new TextEncoder();

export class ItemPieces {
  readonly #catalog: ServableModel['catalog'];
  readonly #attributes: readonly string[];
  /** all pieces, end to end */
  #bytes = new Uint8Array(64 * 1024);
  #used = 0;
  /** start and end of each item's piece, two numbers by catalog number; an end of 0 if it is not made yet */
  #places = new Uint32Array(0);
  #cells: (readonly unknown[])[] = [];

  /** `attributes`: the attributes that results show of an item. */
  constructor(catalog: ServableModel['catalog'], attributes: readonly string[]) {
    this.#catalog = catalog;
    this.#attributes = attributes;
  }

  /** Valid until the next piece is found. */
  get bytes(): Uint8Array {
    return this.#bytes;
  }

  startOf(item: number): number {
    return this.#places[2 * item];
  }

  /** Makes the piece of an item, if there is none; returns where it ends. */
  find(item: number): number {
    if (2 * item >= this.#places.length) this.#grow(item);
    return this.#places[2 * item + 1] || this.#make(item);
  }

  /** The cells of the item in the table, with the same content as its JSON. */
  cellsFor(rows: ListRows, item: number): readonly unknown[] {
    this.#cells[item] ??= rows.cellsOf(JSON.parse(this.#textOf(item)));
    return this.#cells[item];
  }

  #textOf(item: number): string {
    return JSON.stringify(describe(this.#catalog, item, this.#attributes));
  }

  #make(item: number): number {
    const piece = encoder.encode(`{"item":${this.#textOf(item)}`);
    if (this.#used + piece.length > MAX_BYTES) {
      this.#places.fill(0);
      this.#cells = [];
      this.#used = 0;
    }
    if (this.#used + piece.length > this.#bytes.length) {
      const larger = new Uint8Array(2 * (this.#used + piece.length));
      larger.set(this.#bytes.subarray(0, this.#used));
      this.#bytes = larger;
    }
    this.#bytes.set(piece, this.#used);
    this.#places[2 * item] = this.#used;
    this.#used += piece.length;
    this.#places[2 * item + 1] = this.#used;
    return this.#used;
  }

  #grow(item: number): void {
    const places = new Uint32Array(2 * Math.max(item + 1, this.#catalog.itemCount));
    places.set(this.#places);
    this.#places = places;
  }
}
