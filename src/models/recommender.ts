// The recommender contract: the one face of a trained model towards serving (top, scoreCandidates) and insight
// (distribution, userVector). Every model passes the suite in test/contract/recommender.test.ts.
//
// Invariants:
// - Items are numbered by the live catalogue (see catalogue.ts), not by the model: two models over one catalogue, a filter's
//   bitmap and an attribute's item list all speak of the same numbers. A number stays with its item while the catalogue lives.
// - A user is known by the signal alone: nothing is remembered between calls, a user unseen in training is no special case.
// - Results are deterministic: equal scores fall back to the model's order of items, then to the order in which new items came. No NaN and no infinity ever comes out.
// - Calls are synchronous and share scratch memory: a recommender belongs to one thread.
import type { Attributes } from '../domain/record.ts';

/** One event of a user; the store's HistoryEvent has this shape. */
export interface SignalEvent {
  readonly item_id: string;
  /** the item's number in the project's event dataset, if it comes from there: a shorter way to the same item */
  readonly item_no?: number;
  readonly event_type: string;
  readonly event_value: number;
  /** milliseconds */
  readonly ts: number;
}

/** All a recommender knows of a user. */
export interface UserSignal {
  /** newest first; all event types (the model weighs them); items and types the model does not know are passed over */
  readonly history: readonly SignalEvent[];
  /** `{}` when nothing is known */
  readonly attributes: Attributes;
}

/** What an answer rests on: the user's events, else the user's attributes, else what is popular. */
export type Basis = 'history' | 'attributes' | 'popularity';

/** One term of a score. The terms of one item add up to its score. */
export type Reason =
  /** the user's event with that item led here */
  | { readonly kind: 'history'; readonly item_id: string; readonly contribution: number }
  /** users with that attribute value like the item more (or less) than others */
  | {
      readonly kind: 'user-attribute';
      readonly attribute: string;
      readonly value: string;
      readonly contribution: number;
    }
  | { readonly kind: 'popularity'; readonly contribution: number };

export interface ScoredItem {
  /** catalogue number */
  readonly item: number;
  readonly item_id: string;
  readonly score: number;
  /** only with `explain`; largest contribution first, all of them: show the first few */
  readonly reasons?: readonly Reason[];
}

/** A set of catalogue numbers: bit (i & 31) of word i >>> 5. Numbers beyond its length are not in it. */
export interface ItemBitmap {
  readonly words: Uint32Array;
  /** how many bits are set */
  readonly count: number;
}

export interface TopRequest {
  readonly limit: number;
  /** only these items; left out or null: every item that is listed in the catalogue */
  readonly allow?: ItemBitmap | null;
  /** leave out items the user had a target event with; 'auto' (default): unless the training data shows that users come back */
  readonly excludeSeen?: boolean | 'auto';
  readonly explain?: boolean;
}

export interface TopResult {
  readonly basis: Basis;
  /** best first; as many as `limit` while that many allowed items exist */
  readonly items: ScoredItem[];
}

export interface Recommender {
  /** The model's z, best first, filter inside the search. */
  top(user: UserSignal, request: TopRequest): TopResult;
  /**
   * The same scores for a given list of catalogue numbers (the ranker's part): out[n] belongs to items[n].
   * An item the model knows nothing of gets the score of its most similar items, or the lowest score of all.
   */
  scoreCandidates(user: UserSignal, items: Uint32Array | readonly number[], out?: Float32Array): Float32Array;
  /**
   * Writes to `out` (length ≥ itemCount) how the user's expected next interactions spread over the listed items:
   * p_j ∝ exp(τ z_j), Σ p = 1; unlisted items get 0, and so do seen items when the model does not recommend them.
   */
  distribution(user: UserSignal, out: Float32Array): Basis;
  /** The same summed over sets of items: the answered function writes the share of each set to `out`. Good while the catalogue stands still. */
  shares(sets: readonly ItemBitmap[]): (user: UserSignal, out: Float32Array) => Basis;
  /** Numbers of items go from 0 to itemCount − 1; grows while the catalogue follows its dataset. */
  readonly itemCount: number;
  /** Writes a unit vector of taste (zeros for a user without usable history): near vectors mean like taste. */
  userVector(user: UserSignal, out: Float32Array): Basis;
  readonly vectorLength: number;
  /** At most so many newest events of a user matter: what to ask the store for. */
  readonly historyLimit: number;
  /** Finishes the work on items the model has not seen, letting others run in between: call before work over all users. */
  settle(): Promise<void>;
  /** True when all that the catalogue gained so far takes part in the answers; new items may take some calls. */
  readonly settled: boolean;
  /** Bytes held, without the catalogue. */
  memoryBytes(): number;
}
