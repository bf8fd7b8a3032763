// The one scoring path: from a history to the blended score z of items. Evaluation uses the same kernels in bulk inside
// threads, serving uses them here for one user at a time, so that offline figures are those of what is served.
//
// Invariants:
// - z of an item depends on the history alone, never on the filter, the limit or other candidates asked for.
// - No NaN and no infinity comes out. Equal scores fall back to the smaller item index.
// - A scorer belongs to one thread: calls are synchronous and share scratch memory.

import type { G1Model } from '../artifact/g1-model.ts';
import { atOnce, type Steps } from '../domain/steps.ts';
import type { ScoringHistory } from '../history/user-signal.ts';
import { KernelMemory } from '../kernels/kernel-memory.ts';
import { instantiateKernels, type Kernels } from '../kernels/kernel-module.ts';
import { type ScoreBlock, scoreBlockSteps, scoreScratchLayout } from './score-block.ts';
import { type ExpertLanes, laneBytes, laneSteps } from './score-lanes.ts';

export interface TopOptions {
  /** bit (i & 31) of word i >>> 5 set: item index i may be answered; null: every warm item */
  readonly allow: Uint32Array | null;
  /** all items of `allow` by falling `base`, where they are few: the search then costs what they are, not the catalog */
  readonly few?: Uint32Array | null;
  readonly excludeSeen: boolean;
}

export interface Scorer {
  readonly warmItemCount: number;
  /** Writes z of every warm item to `out` (length ≥ warmItemCount). Seen items get their z too. */
  scoreAll(history: ScoringHistory, out: Float32Array): void;
  /** z of an item that no item of the history reaches: popularity alone, normalised by the model, so the same for every user. */
  readonly base: Float32Array;
  /** Best first into the two arrays; answers how many there are. */
  top(
    history: ScoringHistory,
    limit: number,
    options: TopOptions,
    outItems: Uint32Array,
    outScores: Float32Array,
  ): number;
  /**
   * What one item's z is made of: terms[l] of the l-th history item, and `popularity` for the rest; they add up to z.
   */
  explain(history: ScoringHistory, item: number, terms: Float32Array): { z: number; popularity: number };
  /** The same for several items, the history scored once: `visit` hears of items[n]; `terms` is overwritten by the next. */
  explainEach(history: ScoringHistory, items: ArrayLike<number>, visit: VisitExplanation): void;
  memoryBytes(): number;
}

export type VisitExplanation = (n: number, terms: Float32Array, popularity: number, z: number) => void;

export type CreateScorer = (model: G1Model) => Scorer;

export function createScorer(model: G1Model): Scorer {
  return atOnce(scorerSteps(model));
}

/** The same in steps, for a thread that serves calls meanwhile. */
export function* scorerSteps(model: G1Model): Steps<Scorer> {
  const cap = Math.max(1, Math.min(model.historyCap, model.warmItemCount));
  const memory = new KernelMemory(laneBytes(model, cap) + SLACK_BYTES);
  const lanes = yield* laneSteps(memory, model, cap);
  const block = yield* scoreBlockSteps(memory, {
    itemCount: model.warmItemCount,
    sparse: lanes.sparse,
    popularity: lanes.popularity,
    weights: lanes.weights,
    logConstant: logConstantOf(model),
    seenTakesPart: model.repeats.recommendSeen,
  });
  yield;
  return new KernelScorer(model, memory, lanes, block, cap);
}

function logConstantOf({ blend }: G1Model): number {
  return blend.transform.kind === 'log' ? blend.transform.c : 0;
}

/** Items of a filter are few when they are at most one in 2^FEW_SHIFT. */
export const FEW_SHIFT = 6;
const SLACK_BYTES = 1 << 20;
/** An item's place in the scratch, without its marks. */
const PLACE_BITS = 0x3fff_ffff;

class KernelScorer implements Scorer {
  readonly warmItemCount: number;
  readonly base: Float32Array;
  readonly #memory: KernelMemory;
  readonly #kernels: Kernels;
  readonly #block: ScoreBlock;
  readonly #scratch: Uint8Array;
  readonly #items: Uint32Array;
  readonly #weights: Float32Array;
  readonly #seen: Uint8Array;
  readonly #allow: Uint32Array;
  readonly #outItems: Uint32Array;
  readonly #outScores: Float32Array;
  readonly #cap: number;
  readonly #lanes: ExpertLanes;
  readonly #transformC: number;
  readonly #few: Uint32Array;
  #lastAllow: Uint32Array | null = null;
  #lastFew: Uint32Array | null = null;
  #fewOrder: Uint32Array = new Uint32Array(0);

  constructor(model: G1Model, memory: KernelMemory, lanes: ExpertLanes, block: ScoreBlock, cap: number) {
    const items = model.warmItemCount;
    this.warmItemCount = items;
    this.#cap = cap;
    this.#memory = memory;
    this.#kernels = instantiateKernels(memory.memory);
    this.#transformC = logConstantOf(model);
    this.#lanes = lanes;
    this.#block = block;
    this.#scratch = memory.u8(this.#block.scratchBytes).fill(0);
    this.#items = memory.u32(this.#cap);
    this.#weights = memory.f32(this.#cap);
    this.#seen = memory.u8(this.#cap);
    this.#allow = memory.u32((items >>> 5) + 1);
    this.#few = memory.u32(items >>> FEW_SHIFT);
    this.#outItems = memory.u32(items);
    this.#outScores = memory.f32(items);
    this.base = new Float32Array(items);
    this.scoreAll({ length: 0, items: this.#items, weights: this.#weights, seen: this.#seen }, this.base);
  }

  scoreAll(history: ScoringHistory, out: Float32Array): void {
    const count = this.#score(history);
    this.#kernels.allItems(this.#block.pointer, count, this.#outScores.byteOffset, this.#scratch.byteOffset);
    this.#clear(count);
    out.set(this.#outScores);
  }

  top(
    history: ScoringHistory,
    limit: number,
    options: TopOptions,
    outItems: Uint32Array,
    outScores: Float32Array,
  ): number {
    const wanted = Math.min(limit, this.warmItemCount);
    if (wanted <= 0) return 0;
    const order = this.#orderOf(options);
    const count = this.#score(history);
    const found = this.#kernels.topItems(
      this.#block.pointer,
      count,
      wanted,
      this.#allowPointer(options.allow),
      order.byteOffset,
      order.length,
      options.excludeSeen ? 1 : 0,
      this.#outItems.byteOffset,
      this.#outScores.byteOffset,
      this.#scratch.byteOffset,
    );
    this.#clear(count);
    for (let n = 0; n < found; n++) {
      outItems[n] = this.#outItems[n];
      outScores[n] = this.#outScores[n];
    }
    return found;
  }

  explain(history: ScoringHistory, item: number, terms: Float32Array): { z: number; popularity: number } {
    const answer = { z: 0, popularity: 0 };
    terms.fill(0);
    this.explainEach(history, [item], (_, found, popularity, z) => {
      terms.set(found);
      answer.z = z;
      answer.popularity = popularity;
    });
    return answer;
  }

  explainEach(history: ScoringHistory, items: ArrayLike<number>, visit: VisitExplanation): void {
    const count = this.#score(history);
    const { lanes } = this.#block;
    // Raw scores of the items and the reciprocal maxima stand in the scratch until it is cleared.
    const layout = scoreScratchLayout(this.warmItemCount, lanes);
    const { buffer, byteOffset } = this.#scratch;
    const places = new Uint32Array(buffer, byteOffset, this.warmItemCount);
    const sums = new Float32Array(buffer, byteOffset + layout.sums, count * lanes);
    const raws = Array.from(items, (item) => {
      const end = (places[item] & PLACE_BITS) * lanes;
      return end === 0 ? new Float32Array(lanes) : sums.slice(end - lanes, end);
    });
    const inverse = new Float32Array(buffer, byteOffset + layout.maxima, lanes).slice();
    this.#clear(count);
    const terms = new Float32Array(history.length);
    for (let n = 0; n < items.length; n++) {
      terms.fill(0);
      const z = this.#addTerms(history, items[n], raws[n], inverse, terms);
      visit(n, terms, this.base[items[n]], z + this.base[items[n]]);
    }
  }

  /** What the experts but popularity add to z, term by term; answers the sum. */
  #addTerms(
    history: ScoringHistory,
    item: number,
    raw: Float32Array,
    inverse: Float32Array,
    terms: Float32Array,
  ): number {
    const { sparse, weights } = this.#lanes;
    const part = (lane: number) => weights[lane] * this.#transform(Math.max(0, raw[lane] * inverse[lane]));
    let z = 0;
    for (let lane = 0; lane < sparse.length; lane++) {
      if (!(raw[lane] > 0) || weights[lane] === 0) continue;
      const whole = part(lane);
      z += whole;
      const { starts, ends, columns, values, query } = sparse[lane];
      for (let l = 0; l < Math.min(history.length, query.length); l++) {
        for (let at = starts[history.items[l]]; at < ends[history.items[l]]; at++) {
          if (columns[at] !== item) continue;
          terms[l] += (whole * query[l] * history.weights[l] * values[at]) / raw[lane];
        }
      }
    }
    return z;
  }

  memoryBytes(): number {
    return this.#memory.memory.buffer.byteLength;
  }

  #score(history: ScoringHistory): number {
    const length = Math.min(history.length, this.#cap);
    for (let l = 0; l < length; l++) {
      this.#items[l] = history.items[l];
      this.#weights[l] = history.weights[l];
      this.#seen[l] = history.seen[l];
    }
    return this.#kernels.scoreHistory(
      this.#block.pointer,
      length,
      this.#items.byteOffset,
      this.#weights.byteOffset,
      this.#seen.byteOffset,
      this.#scratch.byteOffset,
    );
  }

  #clear(count: number): void {
    this.#kernels.clearScores(this.#block.pointer, count, this.#scratch.byteOffset);
  }

  /** The bitmap of the last call stays in place: callers keep theirs and must not change it. */
  #allowPointer(allow: Uint32Array | null): number {
    if (allow === null) return 0;
    if (allow !== this.#lastAllow) {
      this.#allow.fill(0);
      this.#allow.set(allow.subarray(0, this.#allow.length));
      this.#lastAllow = allow;
    }
    return this.#allow.byteOffset;
  }

  /** The allowed items by falling base, and perhaps others. The few of the last call stay in place, as its bitmap does. */
  #orderOf({ few }: TopOptions): Uint32Array {
    if (!few || few.length > this.#few.length) return this.#block.order;
    if (few !== this.#lastFew) {
      this.#few.set(few);
      this.#lastFew = few;
      this.#fewOrder = this.#few.subarray(0, few.length);
    }
    return this.#fewOrder;
  }

  #transform(share: number): number {
    return this.#transformC > 0 ? Math.log1p(share / this.#transformC) : share;
  }
}
