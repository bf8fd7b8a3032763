// Lays out on a kernel memory what is asked of a model: histories, and which items are wanted. As in
// kernels/assembly/question.ts and top-items.ts.
import type { KernelMemory } from '../kernels/kernel-memory.ts';

/** Histories of many users on a kernel memory, one after the other, newest item first. */
export interface UserHistories {
  /** history of user n: entries [offsets[n], offsets[n + 1]) */
  readonly offsets: Uint32Array;
  readonly items: Uint32Array;
  readonly weights: Float32Array;
  /** marks items that may not be listed; null: none */
  readonly seen: Uint8Array | null;
  /** four numbers an entry, for rankers; null: none */
  readonly own: Float32Array | null;
  /** items outside the history that may not be listed: entries [excludedOffsets[n], excludedOffsets[n + 1]); null: none */
  readonly excludedOffsets: Uint32Array | null;
  readonly excluded: Uint32Array | null;
}

/** Returns a pointer to the block of users. */
export function buildUsersBlock(memory: KernelMemory, users: UserHistories): number {
  const { offsets, items, weights, seen, own, excludedOffsets, excluded } = users;
  const block = memory.u32(8);
  block.set([offsets, items, weights, seen, own, excludedOffsets, excluded].map((array) => array?.byteOffset ?? 0));
  return block.byteOffset;
}

export interface KernelSearch {
  readonly limit: number;
  /** number of the blend's best items that a ranker orders */
  readonly candidates: number;
  /** bitmap of the items that may be listed; null: all */
  readonly allow: Uint32Array | null;
  /** all items of the bitmap, and perhaps others, in descending order of their rest scores */
  readonly order: Uint32Array;
}

export const SEARCH_WORDS = 8;

export function writeSearch(block: Uint32Array, { limit, candidates, allow, order }: KernelSearch): void {
  block[0] = limit;
  block[1] = candidates;
  block[2] = allow?.byteOffset ?? 0;
  block[3] = order.byteOffset;
  block[4] = order.length;
}

/** Pointer to the search block. */
export function buildSearchBlock(memory: KernelMemory, search: KernelSearch): number {
  const block = memory.u32(SEARCH_WORDS);
  writeSearch(block, search);
  return block.byteOffset;
}
