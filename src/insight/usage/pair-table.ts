// Stores which (attribute, value) pairs each catalog item has, as rows of pair numbers.
import type { ItemBitmap } from '../../catalog/item-set.ts';

export interface PairTable {
  readonly pairCount: number;
  /** item i has pairs[offsets[i] … offsets[i + 1]) */
  readonly offsets: Uint32Array;
  readonly pairs: Uint32Array;
}

/** Builds the table from the items of each pair. */
export function pairTable(itemCount: number, itemsOfPair: readonly ItemBitmap[]): PairTable {
  const offsets = new Uint32Array(itemCount + 1);
  for (const bitmap of itemsOfPair) forEachItem(bitmap, itemCount, (item) => offsets[item + 1]++);
  for (let item = 0; item < itemCount; item++) offsets[item + 1] += offsets[item];
  const pairs = new Uint32Array(offsets[itemCount]);
  const next = offsets.slice(0, itemCount);
  for (const [pair, bitmap] of itemsOfPair.entries()) {
    forEachItem(bitmap, itemCount, (item) => {
      pairs[next[item]++] = pair;
    });
  }
  return { pairCount: itemsOfPair.length, offsets, pairs };
}

function forEachItem(bitmap: ItemBitmap, itemCount: number, visit: (item: number) => void): void {
  for (let index = 0; index < bitmap.words.length; index++) {
    for (let word = bitmap.words[index]; word !== 0; word &= word - 1) {
      const item = index * 32 + 31 - Math.clz32(word & -word);
      if (item < itemCount) visit(item);
    }
  }
}
