// A set of catalog numbers as bits, and the few operations filters need. Bits beyond the items in use stay 0.
import { grown } from '../base/grown.ts';

/** A set of catalog numbers: bit (i & 31) of word i >>> 5. Numbers beyond its length are not in it. */
export interface ItemBitmap {
  readonly words: Uint32Array;
  /** number of bits that are set */
  readonly count: number;
  /** rises whenever a bit changes */
  readonly revision: number;
}

export class ItemSet implements ItemBitmap {
  words: Uint32Array;
  count = 0;
  revision = 0;

  /** `items` is the initial capacity; `set` grows it. */
  constructor(items: number) {
    this.words = new Uint32Array((items + 31) >>> 5);
  }

  /** A set of all numbers below `items`. */
  static upTo(items: number): ItemSet {
    const all = new ItemSet(items);
    all.words.fill(0xffff_ffff);
    if ((items & 31) !== 0) all.words[all.words.length - 1] = 0xffff_ffff >>> (32 - (items & 31));
    all.count = items;
    return all;
  }

  has(item: number): boolean {
    return ((this.words[item >>> 5] >>> (item & 31)) & 1) === 1;
  }

  set(item: number, present: boolean): void {
    const word = item >>> 5;
    if (word >= this.words.length) {
      if (!present) return;
      this.words = grown(this.words, new Uint32Array(Math.max(word + 1, this.words.length * 2)));
    }
    const bit = (1 << (item & 31)) >>> 0;
    const was = (this.words[word] & bit) !== 0;
    if (was === present) return;
    this.words[word] ^= bit;
    this.count += present ? 1 : -1;
    this.revision++;
  }

  /** Counts again after bits were written directly. */
  recount(): this {
    let count = 0;
    for (let word = 0; word < this.words.length; word++) count += bitsIn(this.words[word]);
    this.count = count;
    this.revision++;
    return this;
  }

  memoryBytes(): number {
    return this.words.byteLength;
  }
}

export function isIn(bitmap: ItemBitmap, item: number): boolean {
  const word = item >>> 5;
  return word < bitmap.words.length && ((bitmap.words[word] >>> (item & 31)) & 1) === 1;
}

/** Whether an item is in both sets. */
export function haveCommon(set: ItemBitmap, other: ItemBitmap): boolean {
  const words = Math.min(set.words.length, other.words.length);
  for (let word = 0; word < words; word++) if ((set.words[word] & other.words[word]) !== 0) return true;
  return false;
}

/** Visits the items of the set in ascending order. */
export function eachIn(set: ItemBitmap, visit: (item: number) => void): void {
  for (let word = 0; word < set.words.length; word++) {
    for (let bits = set.words[word]; bits !== 0; bits &= bits - 1) visit(word * 32 + 31 - Math.clz32(bits & -bits));
  }
}

/** The values of a set's items, added up. */
export function sumOver(set: ItemBitmap, values: Float32Array): number {
  let sum = 0;
  eachIn(set, (item) => {
    sum += values[item];
  });
  return sum;
}

function bitsIn(word: number): number {
  let pairs = word - ((word >>> 1) & 0x5555_5555);
  pairs = (pairs & 0x3333_3333) + ((pairs >>> 2) & 0x3333_3333);
  return Math.imul((pairs + (pairs >>> 4)) & 0x0f0f_0f0f, 0x0101_0101) >>> 24;
}
