// The best of all warm items by scores that are at hand, found by a kernel: it passes over four items at a time that cannot enter.
// Belongs to one thread.
import { KernelMemory } from '../kernels/kernel-memory.ts';
import { instantiateKernels, type Kernels } from '../kernels/kernel-module.ts';

/** Longest list: what pages before showed, a page, and what steps after the search may drop. */
export const MAX_BEST = 2048;
/** The lowest number of single precision, which the kernel treats as no score. */
const HIDDEN = -(2 - 2 ** -23) * 2 ** 127;

export interface BestSearch {
  /** must not exceed MAX_BEST */
  readonly limit: number;
  /** bit (i & 31) of word i >>> 5 set: item index i may be listed; null: all. Callers keep theirs and must not change it. */
  readonly allow: Uint32Array | null;
  /** items that may not be listed */
  readonly hidden: Iterable<number>;
}

export class BestOfAll {
  readonly #memory: KernelMemory;
  readonly #kernels: Kernels;
  readonly #scores: Float32Array;
  readonly #allow: Uint32Array;
  readonly #items: Uint32Array;
  readonly #best: Float32Array;
  #lastAllow: Uint32Array | null = null;

  constructor(itemCount: number) {
    const words = (itemCount >>> 5) + 1;
    this.#memory = KernelMemory.forArrays(itemCount * 4, words * 4, MAX_BEST * 4, MAX_BEST * 4);
    this.#kernels = instantiateKernels(this.#memory.memory);
    this.#scores = this.#memory.f32(itemCount);
    this.#allow = this.#memory.u32(words);
    this.#items = this.#memory.u32(MAX_BEST);
    this.#best = this.#memory.f32(MAX_BEST);
  }

  /** Returns the best items first. Equal scores are ordered by index. */
  find(scores: Float32Array, { limit, allow, hidden }: BestSearch): Uint32Array {
    const wanted = Math.min(limit, MAX_BEST, this.#scores.length);
    if (wanted <= 0) return new Uint32Array(0);
    this.#scores.set(scores);
    for (const item of hidden) this.#scores[item] = HIDDEN;
    if (allow !== null && allow !== this.#lastAllow) {
      this.#allow.fill(0);
      this.#allow.set(allow.subarray(0, this.#allow.length));
      this.#lastAllow = allow;
    }
    const found = this.#kernels.bestOfAll(
      this.#scores.byteOffset,
      this.#scores.length,
      wanted,
      allow === null ? 0 : this.#allow.byteOffset,
      this.#items.byteOffset,
      this.#best.byteOffset,
    );
    return Uint32Array.from(this.#items.subarray(0, found));
  }

  /** Items with at least this score, in their order; null: more than there is room for here. */
  above(scores: Float32Array, least: number): Uint32Array | null {
    this.#scores.set(scores);
    const room = this.#items.length;
    const { byteOffset, length } = this.#scores;
    const found = this.#kernels.itemsAbove(byteOffset, length, least, room, this.#items.byteOffset);
    return found === room ? null : this.#items.subarray(0, found);
  }

  memoryBytes(): number {
    return this.#memory.memory.buffer.byteLength;
  }
}
