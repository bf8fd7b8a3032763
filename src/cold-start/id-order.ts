// The order of items that score the same: by hashes of their ids, so that it is the same on every node, whenever each learned of
// them, and no part of an alphabet is favored. Items are known by their places, which are numbered from 0 as they come.
//
// Each bucket, of the hashes with the same first bits, is a chain in order: a new item moves no other, and a walk can end early. Each
// new item splits one bucket, the last one first, so there are as many as items and no item waits until all are split.

import { doubled } from '../base/grown.ts';
import { itemHash } from '../base/id-hash.ts';

export class IdOrder {
  readonly #idAt: (place: number) => string;
  #count = 0;
  #hashes = new Uint32Array(0);
  /** chains of the places in a bucket; all numbers in chains are one more than the place, 0 ends them */
  #first = new Uint32Array(64);
  #next = new Uint32Array(0);
  /** The buckets below `#whole` have hashes with the same `#bits` first bits. Those behind have been split: one bit more. */
  #bits = 5;
  #whole = 32;

  constructor(idAt: (place: number) => string) {
    this.#idAt = idAt;
  }

  /** Adds the next place. */
  add(): void {
    const place = this.#count++;
    if (place === this.#hashes.length) {
      this.#hashes = doubled(this.#hashes, this.#count);
      this.#next = doubled(this.#next, this.#count);
    }
    this.#hashes[place] = itemHash(this.#idAt(place));
    this.#link(place);
    this.#splitOne();
  }

  /** Below 0: the first place comes first. */
  compare(place: number, other: number): number {
    const difference = this.#hashes[place] - this.#hashes[other];
    if (difference !== 0) return difference;
    return this.#idAt(place) < this.#idAt(other) ? -1 : 1;
  }

  /** All places in order. */
  *places(): Generator<number> {
    for (const first of this.#first) for (let next = first; next !== 0; next = this.#next[next - 1]) yield next - 1;
  }

  memoryBytes(): number {
    return this.#hashes.byteLength + this.#first.byteLength + this.#next.byteLength;
  }

  #link(place: number): void {
    const bucket = this.#bucketOf(place);
    let before = 0;
    let after = this.#first[bucket];
    while (after !== 0 && this.compare(after - 1, place) < 0) {
      before = after;
      after = this.#next[after - 1];
    }
    this.#next[place] = after;
    if (before === 0) this.#first[bucket] = place + 1;
    else this.#next[before - 1] = place + 1;
  }

  #bucketOf(place: number): number {
    const bucket = this.#hashes[place] >>> (32 - this.#bits);
    return bucket < this.#whole ? bucket : this.#hashes[place] >>> (31 - this.#bits);
  }

  /** Splits the last bucket that is whole. Its chain is in order, so its end goes to the second half. */
  #splitOne(): void {
    const bucket = --this.#whole;
    const first = this.#first[bucket];
    let before = 0;
    let second = first;
    while (second !== 0 && this.#bucketOf(second - 1) === 2 * bucket) {
      before = second;
      second = this.#next[second - 1];
    }
    if (before !== 0) this.#next[before - 1] = 0;
    this.#first[bucket] = 0;
    this.#first[2 * bucket] = before === 0 ? 0 : first;
    this.#first[2 * bucket + 1] = second;
    if (bucket > 0) return;
    this.#whole = 2 ** ++this.#bits;
    this.#first = doubled(this.#first, 2 * this.#whole);
  }
}
