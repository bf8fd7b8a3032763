// The one scoring path: from a history to the blended score z of items. Evaluation uses the same kernels in bulk inside
// threads, serving uses them here for one user at a time, so that offline figures are those of what is served.
//
// Invariants:
// - The score of an item depends on the history, what is excluded and the moment, never on the filter, the limit or other
//   candidates. A ranker orders the best items of the blend; which those are depends on the filter.
// - No NaN and no infinity comes out. Equal scores fall back to the smaller item index.
// - A scorer belongs to one thread: calls are synchronous and share scratch memory.

import type { G1Model, ScoringName } from '../artifact/g1-model.ts';
import { OWN_NUMBERS } from '../history/fold-events.ts';
import type { ScoringHistory } from '../history/user-signal.ts';
import type { KernelMemory } from '../kernels/kernel-memory.ts';
import { instantiateKernels, type Kernels } from '../kernels/kernel-module.ts';
import { explainScores } from './explain-score.ts';
import { SEARCH_WORDS, writeSearch } from './question-block.ts';
import { type RankerBlock, rankScratchBytes } from './ranker-block.ts';
import { type ScoreBlock, scoreScratchLayout } from './score-block.ts';
import type { ExpertLanes, LaneScoring } from './score-lanes.ts';
import { blendedParts, type ItemParts, rankedParts } from './score-parts.ts';

/** The moment of the question, and items to leave out. */
export interface ScoreOptions {
  /** defaults to arriving */
  readonly moment?: ScoringName;
  /** items outside the history that may not be listed, as those of the history that are marked `seen` */
  readonly excluded?: Uint32Array;
}

export interface TopOptions extends ScoreOptions {
  /** bit (i & 31) of word i >>> 5 set: item index i may be recommended; null: every warm item */
  readonly allow: Uint32Array | null;
  /** all items of `allow` in descending order of `base`, if they are few: the search then costs less than one of all items */
  readonly few?: Uint32Array | null;
}

export interface Scorer {
  readonly warmItemCount: number;
  /** Writes the blend's z of every warm item to `out` (length ≥ warmItemCount). Seen items get their z too. */
  scoreAll(history: ScoringHistory, out: Float32Array, options?: ScoreOptions): void;
  /** z of an item that no item of the history leads to: popularity alone, normalized by the model, equal for every user. */
  readonly base: Float32Array;
  /** Writes the best items first and returns their number. A ranker, if there is one, orders the best of the blend. */
  top(history: ScoringHistory, limit: number, options: TopOptions, out: TopOutput): number;
  /** The blend's best items that a ranker orders at this moment; 0 without one. */
  candidates(options: ScoreOptions): number;
  /** Writes the scores by which `top` orders, of the given warm items. */
  scoreItems(history: ScoringHistory, items: Uint32Array, options: ScoreOptions, out: Float32Array): void;
  /**
   * Splits the score of each of the items, which must be distinct: terms[l] belongs to the l-th history item, and
   * `popularity` is the rest. They add up to the score.
   */
  explainEach(history: ScoringHistory, items: ArrayLike<number>, visit: VisitExplanation, options?: ScoreOptions): void;
  memoryBytes(): number;
}

/** The arrays that `top` writes to, with room for `limit` items. */
export interface TopOutput {
  readonly items: Uint32Array;
  readonly scores: Float32Array | Float64Array;
}

export type VisitExplanation = (n: number, terms: Float32Array, popularity: number, z: number) => void;

export type CreateScorer = (model: G1Model) => Scorer;

export interface MomentBlocks {
  readonly block: ScoreBlock;
  readonly ranker: RankerBlock | null;
  readonly scoring: LaneScoring;
}

/** Features are made for this many items at a time. */
export const RANKED_AT_ONCE = 512;

export type ScorerSize = Pick<G1Model, 'warmItemCount' | 'historyCap'>;

/** Items of a filter are few when they are at most one in 2^FEW_SHIFT. */
export const FEW_SHIFT = 6;
/** Items outside a history that can be left out of it: as many as a history has events, and as a call can name. */
const MAX_EXCLUDED = 13_000;
const NOTHING = new Uint32Array(0);

export class KernelScorer implements Scorer {
  readonly warmItemCount: number;
  readonly base: Float32Array;
  readonly #memory: KernelMemory;
  readonly #kernels: Kernels;
  readonly #moments: readonly MomentBlocks[];
  readonly #lanes: ExpertLanes;
  readonly #scratch: Uint8Array;
  readonly #work: Uint8Array;
  /** the question block, and the arrays it names */
  readonly #question: Uint32Array;
  readonly #items: Uint32Array;
  readonly #weights: Float32Array;
  readonly #seen: Uint8Array;
  readonly #own: Float32Array;
  readonly #excluded: Uint32Array;
  readonly #search: Uint32Array;
  readonly #allow: Uint32Array;
  readonly #outItems: Uint32Array;
  readonly #outScores: Float32Array;
  readonly #few: Uint32Array;
  #lastAllow: Uint32Array | null = null;
  #lastFew: Uint32Array | null = null;
  #fewOrder: Uint32Array = new Uint32Array(0);
  /** sums of the last question are in the scratch until the next one is written; null: there are none */
  #summed: { readonly block: ScoreBlock; readonly count: number } | null = null;

  constructor(size: ScorerSize, memory: KernelMemory, lanes: ExpertLanes, moments: readonly MomentBlocks[]) {
    const items = size.warmItemCount;
    const cap = Math.max(1, Math.min(size.historyCap, items));
    this.warmItemCount = items;
    this.#memory = memory;
    this.#kernels = instantiateKernels(memory.memory);
    this.#lanes = lanes;
    this.#moments = moments;
    this.#scratch = memory.u8(moments[0].block.scratchBytes).fill(0);
    const ranks = moments.some(({ ranker }) => ranker !== null);
    this.#work = memory.u8(ranks ? rankScratchBytes(moments[0].block.lanes, RANKED_AT_ONCE) : 0);
    this.#items = memory.u32(cap);
    this.#weights = memory.f32(cap);
    this.#seen = memory.u8(cap);
    this.#own = memory.f32(cap * OWN_NUMBERS);
    this.#excluded = memory.u32(Math.min(items, MAX_EXCLUDED));
    this.#allow = memory.u32((items >>> 5) + 1);
    this.#few = memory.u32(items >>> FEW_SHIFT);
    this.#outItems = memory.u32(items);
    this.#outScores = memory.f32(items);
    this.#search = memory.u32(SEARCH_WORDS);
    this.#question = memory.u32(8);
    for (const [n, array] of [this.#items, this.#weights, this.#seen].entries()) {
      this.#question[1 + n] = array.byteOffset;
    }
    this.#question[6] = this.#excluded.byteOffset;
    this.base = moments[0].block.rests.slice();
  }

  scoreAll(history: ScoringHistory, out: Float32Array, options: ScoreOptions = {}): void {
    const { block } = this.#momentOf(options);
    const count = this.#score(history, block, options.excluded ?? NOTHING);
    this.#kernels.allItems(block.pointer, count, this.#outScores.byteOffset, this.#scratch.byteOffset);
    out.set(this.#outScores);
  }

  top(history: ScoringHistory, limit: number, options: TopOptions, out: TopOutput): number {
    const wanted = Math.min(limit, this.warmItemCount);
    if (wanted <= 0) return 0;
    const { block, ranker } = this.#momentOf(options);
    const count = this.#sumUp(history, block, options.excluded ?? NOTHING);
    const ranks = ranker !== null && wanted <= RANKED_AT_ONCE;
    writeSearch(this.#search, {
      limit: wanted,
      candidates: ranks ? Math.min(this.warmItemCount, Math.max(wanted, ranker.candidates)) : 0,
      allow: this.#allowed(options.allow),
      order: this.#orderOf(options, block),
    });
    const question = this.#question.byteOffset;
    const search = this.#search.byteOffset;
    const places = [this.#outItems.byteOffset, this.#outScores.byteOffset] as const;
    const scratch = this.#scratch.byteOffset;
    const found = ranks
      ? this.#kernels.bestRanked(
          ...[block.pointer, ranker.pointer, question, count, search, ...places, this.#work.byteOffset, scratch],
        )
      : this.#kernels.topItems(block.pointer, question, count, wanted, search, ...places, scratch);
    out.items.set(this.#outItems.subarray(0, found));
    out.scores.set(this.#outScores.subarray(0, found));
    return found;
  }

  candidates(options: ScoreOptions): number {
    return this.#momentOf(options).ranker?.candidates ?? 0;
  }

  scoreItems(history: ScoringHistory, items: Uint32Array, options: ScoreOptions, out: Float32Array): void {
    const { block, ranker } = this.#momentOf(options);
    if (ranker === null) {
      const count = this.#score(history, block, options.excluded ?? NOTHING);
      this.#kernels.allItems(block.pointer, count, this.#outScores.byteOffset, this.#scratch.byteOffset);
      for (let n = 0; n < items.length; n++) out[n] = this.#outScores[items[n]];
      return;
    }
    this.#findSums(history, block, options.excluded ?? NOTHING);
    for (const { from, scores } of this.#ranked(items, block, ranker)) out.set(scores, from);
  }

  /** The items some at a time, as the ranker sees them; scores and features are overwritten by the next. */
  *#ranked(items: ArrayLike<number>, block: ScoreBlock, ranker: RankerBlock) {
    const { buffer, byteOffset } = this.#work;
    for (let from = 0; from < items.length; from += RANKED_AT_ONCE) {
      const count = Math.min(RANKED_AT_ONCE, items.length - from);
      for (let n = 0; n < count; n++) this.#outItems[n] = items[from + n];
      this.#kernels.rankGiven(
        ...[block.pointer, ranker.pointer, this.#question.byteOffset, count],
        ...[this.#outItems.byteOffset, this.#outScores.byteOffset, byteOffset, this.#scratch.byteOffset],
      );
      const features = new Float32Array(buffer, byteOffset, count * ranker.width);
      yield { from, scores: this.#outScores.subarray(0, count), features };
    }
  }

  explainEach(
    history: ScoringHistory,
    items: ArrayLike<number>,
    visit: VisitExplanation,
    options: ScoreOptions = {},
  ): void {
    const { block, ranker, scoring } = this.#momentOf(options);
    const count = this.#findSums(history, block, options.excluded ?? NOTHING);
    const shown =
      ranker === null
        ? this.#readShares(items, block, count).map((shares, n) => blendedParts(scoring, items[n], shares))
        : this.#rankedParts(items, block, ranker);
    let n = 0;
    for (const { terms, rest, z } of explainScores(this.#lanes.sparse, history, shown)) visit(n++, terms, rest, z);
  }

  #rankedParts(items: ArrayLike<number>, block: ScoreBlock, ranker: RankerBlock): ItemParts[] {
    const parts: ItemParts[] = [];
    for (const { features } of this.#ranked(items, block, ranker)) {
      for (let at = 0; at < features.length; at += ranker.width) {
        parts.push(rankedParts(ranker, block, items[parts.length], features.subarray(at, at + ranker.width)));
      }
    }
    return parts;
  }

  memoryBytes(): number {
    return this.#memory.memory.buffer.byteLength;
  }

  #momentOf({ moment = 'arriving' }: ScoreOptions): MomentBlocks {
    return this.#moments[this.#lanes.ofMoment[moment]];
  }

  /** For each item, its share of every expert's largest sum, and its popularity. */
  #readShares(items: ArrayLike<number>, { lanes }: ScoreBlock, count: number): Float32Array[] {
    const experts = this.#lanes.sparse.length;
    const layout = scoreScratchLayout(this.warmItemCount, experts, lanes);
    const { buffer, byteOffset } = this.#scratch;
    const [firstSlot] = new Uint32Array(buffer, byteOffset, 1);
    const slots = new Uint32Array(buffer, byteOffset + layout.slots, this.warmItemCount);
    const byExpert = Array.from(
      { length: experts },
      (_, e) => new Float32Array(buffer, byteOffset + layout.sums + e * layout.roomBytes, count),
    );
    const inverses = new Float32Array(buffer, byteOffset + layout.inverses, experts);
    return Array.from(items, (item) => {
      const at = (slots[item] - firstSlot) / 4;
      const shares = byExpert.map((sums, e) => (at < 0 ? 0 : Math.max(0, sums[at] * inverses[e])));
      return Float32Array.of(...shares, this.#lanes.popularity[item]);
    });
  }

  #score(history: ScoringHistory, block: ScoreBlock, excluded: Uint32Array): number {
    this.#ask(history, excluded);
    const { scoreHistory } = this.#kernels;
    return this.#keep(block, scoreHistory(block.pointer, this.#question.byteOffset, this.#scratch.byteOffset));
  }

  /** Computes the sums without the final scores. */
  #sumUp(history: ScoringHistory, block: ScoreBlock, excluded: Uint32Array): number {
    this.#ask(history, excluded);
    const { sumUp } = this.#kernels;
    return this.#keep(block, sumUp(block.pointer, this.#question.byteOffset, this.#scratch.byteOffset));
  }

  /**
   * As `#sumUp`, but what was summed for the last question counts if this is the same one: after a list its reasons are read,
   * after the blend the ranker's scores. Only sums, slots and inverses are sure to be there: a ranker overwrites the rest.
   */
  #findSums(history: ScoringHistory, block: ScoreBlock, excluded: Uint32Array): number {
    if (this.#summed?.block !== block || !this.#isAsked(history, excluded))
      return this.#sumUp(history, block, excluded);
    this.#writeOwn(history);
    return this.#summed.count;
  }

  #keep(block: ScoreBlock, count: number): number {
    this.#summed = { block, count };
    return count;
  }

  /** Whether this was the last question. */
  #isAsked(history: ScoringHistory, excluded: Uint32Array): boolean {
    const length = Math.min(history.length, this.#items.length);
    const excludedCount = Math.min(excluded.length, this.#excluded.length);
    if (this.#question[0] !== length || this.#question[5] !== excludedCount) return false;
    for (let l = 0; l < length; l++) {
      if (this.#items[l] !== history.items[l] || this.#seen[l] !== history.seen[l]) return false;
      if (this.#weights[l] !== history.weights[l]) return false;
    }
    for (let n = 0; n < excludedCount; n++) if (this.#excluded[n] !== excluded[n]) return false;
    return true;
  }

  #ask(history: ScoringHistory, excluded: Uint32Array): void {
    if (this.#summed !== null) {
      this.#kernels.clearScores(this.#summed.block.pointer, this.#summed.count, this.#scratch.byteOffset);
      this.#summed = null;
    }
    const length = Math.min(history.length, this.#items.length);
    for (let l = 0; l < length; l++) {
      this.#items[l] = history.items[l];
      this.#weights[l] = history.weights[l];
      this.#seen[l] = history.seen[l];
    }
    const excludedCount = Math.min(excluded.length, this.#excluded.length);
    this.#excluded.set(excluded.subarray(0, excludedCount));
    this.#question[0] = length;
    this.#question[5] = excludedCount;
    this.#writeOwn(history);
  }

  #writeOwn({ own }: ScoringHistory): void {
    this.#question[4] = own ? this.#own.byteOffset : 0;
    if (own) this.#own.set(own.subarray(0, this.#question[0] * OWN_NUMBERS));
  }

  /** Copies the bitmap to the kernels' memory, unless it is that of the last call: callers must not change theirs. */
  #allowed(allow: Uint32Array | null): Uint32Array | null {
    if (allow === null) return null;
    if (allow !== this.#lastAllow) {
      this.#allow.fill(0);
      this.#allow.set(allow.subarray(0, this.#allow.length));
      this.#lastAllow = allow;
    }
    return this.#allow;
  }

  /** The allowed items by falling base, and perhaps others. The few of the last call stay in place, as its bitmap does. */
  #orderOf({ few }: TopOptions, block: ScoreBlock): Uint32Array {
    // Popularity may count against an item in one moment and for it in the other: then `few` is in the wrong order.
    const alike = Math.sign(popularityWeight(block)) === Math.sign(popularityWeight(this.#moments[0].block));
    if (!few || few.length > this.#few.length || !alike) return block.order;
    if (few !== this.#lastFew) {
      this.#few.set(few);
      this.#lastFew = few;
      this.#fewOrder = this.#few.subarray(0, few.length);
    }
    return this.#fewOrder;
  }
}

function popularityWeight({ weights, usedLanes }: ScoreBlock): number {
  return weights[usedLanes - 1];
}
