// The one scoring path: from a history to the blended score z of items. Evaluation uses it in bulk inside threads, serving
// for one user at a time, so that offline figures are those of what is served.
//
// Invariants:
// - z of an item depends on the history alone, never on the filter, the limit or other candidates asked for.
// - No NaN and no infinity comes out. Equal scores fall back to the smaller item index.
// - A scorer belongs to one thread: calls are synchronous and share scratch memory.
import type { G1Model } from './g1-model.ts';

/** A user's history as model item indices: distinct items, newest first, made by `HistoryFolder` or alike. */
export interface ScoringHistory {
  length: number;
  readonly items: Uint32Array;
  /** > 0; 1 is one plain target event */
  readonly weights: Float32Array;
  /** 1 where the user had a target event with the item: those are left out when seen items are excluded */
  readonly seen: Uint8Array;
}

export interface TopOptions {
  /** bit (i & 31) of word i >>> 5 set: item index i may be answered; null: every warm item */
  readonly allow: Uint32Array | null;
  readonly excludeSeen: boolean;
}

export interface Scorer {
  readonly warmItemCount: number;
  /** Writes z of every warm item to `out` (length ≥ warmItemCount). Seen items get their z too. */
  scoreAll(history: ScoringHistory, out: Float32Array): void;
  /** z of an item that no item of the history reaches: popularity alone, normalised by the model, so the same for every user. */
  readonly base: Float32Array;
  /**
   * The sparse form of scoreAll, for work over all users: writes the warm items whose z is not `base` (each once, any order)
   * and their z; answers how many there are. Both arrays hold at least warmItemCount.
   */
  scoreReached(history: ScoringHistory, outItems: Uint32Array, outScores: Float32Array): number;
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
  memoryBytes(): number;
}

export type CreateScorer = (model: G1Model) => Scorer;
