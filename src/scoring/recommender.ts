// The recommender contract: the one face of a trained model towards serving (top, scoreCandidates) and insight
// (distribution, userVector). Every model passes the suite in test/contract/recommender.test.ts.
//
// Invariants:
// - Items are numbered by the live catalog (see catalog.ts), not by the model: two models over one catalog, a filter's
//   bitmap and an attribute's item list all speak of the same numbers. A number stays with its item while the catalog lives.
// - A user is known by the signal alone: nothing is remembered between calls, a user unseen in training is no special case.
// - Results are deterministic: equal scores fall back to the model's order of items, then to an order of the ids of new items. No NaN
//   and no infinity ever comes out.
// - Calls are synchronous and share scratch memory: a recommender belongs to one thread.
import type { Catalog } from '../catalog/catalog.ts';
import type { ItemBitmap } from '../catalog/item-set.ts';
import type { Attributes } from '../domain/record.ts';
import type { Relation } from '../domain/relation.ts';
import type { ObjectiveRules } from '../history/objective-rules.ts';
import type { UserSignal } from '../history/user-signal.ts';
import type { Boost } from './boost.ts';
import type { ColumnSearch } from './column-search.ts';
import type { Basis, Reason } from './reason.ts';

export interface ScoredItem {
  /** catalog number of the item */
  readonly item: number;
  readonly item_id: string;
  readonly score: number;
  /** only with `explain`: all reasons, the largest contribution first. Show the first few. */
  readonly reasons?: readonly Reason[];
}

export interface TopRequest {
  readonly limit: number;
  /** if set, only these of the listed items */
  readonly allow?: ItemBitmap | null;
  /** catalog numbers to leave out. Left out or null: items with a target event, unless the model recommends those */
  readonly exclude?: ReadonlySet<number> | null;
  /** multiply the chances of their items */
  readonly boosts?: readonly Boost[];
  /** whether only what is new to the user is wanted; left out: as `exclude` says */
  readonly discovers?: boolean;
  readonly explain?: boolean;
}

export interface TopResult {
  readonly basis: Basis;
  /** whether other attributes of the user could give other items */
  readonly restsOnAttributes: boolean;
  /** best first; `limit` items if that many allowed items exist */
  readonly items: ScoredItem[];
}

export interface RelatedRequest {
  /** catalog numbers that the list starts from, at least one */
  readonly items: readonly number[];
  readonly relation: Relation;
  readonly limit: number;
  /** if set, only these of the listed items */
  readonly allow?: ItemBitmap | null;
  /** catalog numbers to leave out */
  readonly exclude?: ReadonlySet<number>;
  /** multiply the scores of their items */
  readonly boosts?: readonly Boost[];
  /** the user whose taste orders the related items; left out or null: no user */
  readonly user?: UserSignal | null;
  /** whether only what is new to the user is wanted */
  readonly discovers?: boolean;
  readonly explain?: boolean;
}

export interface RelatedResult {
  /** the relation the list follows: another than that of the request if the model does not know it */
  readonly relation: Relation;
  /** best first, without the items of the request; `limit` items if that many allowed items exist */
  readonly items: ScoredItem[];
}

export interface Recommender {
  readonly catalog: Catalog;
  /** The items this model may recommend, as the catalog is now. Valid until the catalog changes. */
  listed(): ItemBitmap;
  /** Whether users take the item once and do not come back to it. */
  isTakenOnce(item: number): boolean;
  /** The share of the item in what users turn to; 0 for an item the model does not know. */
  popularityOf(item: number): number;
  /** The model's z, best first, filter inside the search. */
  top(user: UserSignal, request: TopRequest): TopResult;
  /** Finds the same for many users, straight from columns of events. */
  columnSearch(): ColumnSearch;
  /** Finds items that are related to one or several items. The filter applies within the search. */
  related(request: RelatedRequest): RelatedResult;
  /**
   * The same scores for a given list of catalog numbers (the ranker's part): the first score belongs to the first item.
   * An item the model knows nothing of gets the score of its most similar items, or the lowest score of all.
   */
  scoreCandidates(
    user: UserSignal,
    items: Uint32Array | readonly number[],
    request?: Pick<TopRequest, 'boosts' | 'discovers'>,
  ): Float32Array;
  /** Similarity of two items in taste, from −1 to 1; 0 if the model does not know one of them. */
  likeness(item: number, other: number): number;
  /**
   * Writes to `out` (length ≥ itemCount) how the user's expected next interactions spread over the listed items:
   * p_j ∝ exp(τ z_j), Σ p = 1; unlisted items get 0, and so do seen items when the model does not recommend them.
   */
  distribution(user: UserSignal, out: Float32Array): Basis;
  /**
   * Sums the distribution over sets of items: the returned function writes the share of each set to `out`. Valid while
   * the catalog does not change.
   */
  shares(sets: readonly ItemBitmap[]): (user: UserSignal, out: Float32Array) => Basis;
  /** Numbers of items go from 0 to itemCount − 1; grows while the catalog follows its dataset. */
  readonly itemCount: number;
  /** Writes a unit vector of taste (zeros for a user without usable history): users with near vectors have similar taste. */
  userVector(user: UserSignal, out: Float32Array): Basis;
  readonly vectorLength: number;
  /** Most of a user's newest events that affect the result: how many to read from the store. */
  readonly historyLimit: number;
  /**
   * Finishes the work on items that the model has not seen, in steps between which others run. Call it before work over all
   * users.
   */
  settle(): Promise<void>;
  /** True if all items of the catalog can be in lists. New items may take some calls until then. */
  readonly settled: boolean;
  /** Whether users' attributes affect the lists. If not, they need not be read. */
  readonly readsAttributes: boolean;
  /** Whether those of this user do: a long history speaks for itself. */
  restsOnAttributes(user: UserSignal): boolean;
  /** Names of attributes of a context that the model has not seen in training. */
  unknownContext(context: Attributes): string[];
  /** The rules for reading touches, and the meaning of `auto`. */
  readonly objectives: ObjectiveRules;
  /** Bytes held, without the catalog. */
  memoryBytes(): number;
}
