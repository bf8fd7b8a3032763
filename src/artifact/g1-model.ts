// A fitted G1 model as plain data: what training makes, what an artifact keeps, what scoring reads. No behavior here.
// Typed arrays may use SharedArrayBuffers, so that threads and loaded artifacts share them without a copy.
import type { Relation } from '../domain/relation.ts';
import type { UsageMaps } from './usage-maps.ts';

/** Rows of a sparse matrix: row r holds columns[offsets[r] … offsets[r+1]) with their values. */
export interface SparseRows {
  readonly rowCount: number;
  readonly columnCount: number;
  readonly offsets: Uint32Array;
  readonly columns: Uint32Array;
  readonly values: Float32Array;
}

/** The weight of the l-th newest item of a history (l = 0 is the newest). */
export type QueryWeights = { kind: 'power'; rho: number } | { kind: 'table'; weights: readonly number[] };

/** An item-to-item expert: score_j = Σ_l q_l · rows[i_l][j]. */
export interface ItemToItemExpert {
  readonly kind: 'item-to-item';
  readonly name: string;
  readonly rows: SparseRows;
  readonly query: QueryWeights;
  readonly settings: Readonly<Record<string, number | string | boolean>>;
}

export interface PopularityExpert {
  readonly kind: 'popularity';
  readonly name: string;
  /** one value per item, recency-weighted, ≥ 0 */
  readonly values: Float32Array;
  readonly settings: Readonly<Record<string, number | string | boolean>>;
}

export type Expert = ItemToItemExpert | PopularityExpert;

/** f of the blend: x itself, or log(x + c) shifted so that f(0) = 0. */
export type BlendTransform = { kind: 'linear' } | { kind: 'log'; c: number };

export interface Blend {
  /** one weight per expert, in the experts' order; may be negative */
  readonly weights: readonly number[];
  readonly transform: BlendTransform;
}

/**
 * A linear score over simple features of the blend's best items, see kernels/assembly/rank.ts. With E experts the weights are
 * those of ln(1 + share/c) of every expert for c = .003, then for .03, then for .3, and 24 more.
 */
export interface Ranker {
  /** the blend's best items that it orders */
  readonly candidates: number;
  /** experts, at most four, whose single contributions count */
  readonly deep: readonly number[];
  readonly weights: readonly number[];
  /** the part of the score that each warm item has for every user */
  readonly bias: Float32Array;
}

/**
 * When a list is requested: a user arrives or is browsing. Models that recommend users' own items have two more, for users who
 * want only new items.
 */
export const SCORING_NAMES = ['arriving', 'browsing', 'discovering', 'discovering_browsing'] as const;
export type ScoringName = (typeof SCORING_NAMES)[number];

/** How the experts are combined for one moment. */
export interface MomentScoring {
  readonly blend: Blend;
  /** null: the blend's order is final */
  readonly ranker: Ranker | null;
}

/** Ids by index and back; a plain array of strings is one, an IdTable (base/id-table.ts) a compact one. */
export interface ItemIds {
  readonly length: number;
  at(index: number): string | undefined;
  /** returns −1 if there is none */
  indexOf(id: string): number;
}

/** How the values of one attribute become features: numbers by quantile bins (upper edges), all others by value. */
export interface AttributeBinning {
  readonly attribute: string;
  readonly handling: 'NUMERICAL' | 'CATEGORICAL';
  /** ascending; bin b holds edges[b−1] < x ≤ edges[b], the last bin is open; empty for CATEGORICAL */
  readonly edges: readonly number[];
}

/** The weight of a log lift next to log p, by the length of the history, ascending: it falls with more items. Earlier models begin at 1. */
export interface HistoryWeights {
  readonly counts: readonly number[];
  readonly weights: readonly number[];
}

/**
 * What attributes predict about items: log lift of item j under features f = Σ (lifts[f][j] + offsets[f]). Attributes of users
 * and of events (context) each have such tables.
 */
export interface LiftTables {
  readonly binnings: readonly AttributeBinning[];
  /** key of feature f: the attribute's index in binnings, a colon, and the category or the bin's number */
  readonly features: ItemIds;
  readonly offsets: Float32Array;
  /** one row per feature, one column per item */
  readonly lifts: SparseRows;
  /** for each item, the logarithm of its smoothed share of target events */
  readonly logPopularity: Float32Array;
  /** the smoothing in force, one an attribute: large where the attribute says little */
  readonly kappas: readonly number[];
  /** only for users' attributes; if absent, they count only for users without history */
  readonly historyWeights?: HistoryWeights;
  /** only for contexts: the weight of a log lift next to log p by a history, and below without a history; default 1 */
  readonly weight?: number;
  readonly weightAlone?: number;
}

/** Rows of related items (domain/relation.ts): each entry has a strength from 0 to 1, strongest first. */
export type RelationRows = { readonly [relation in Relation]?: SparseRows };

export type RecordlessItems = 'all' | 'none';

/** What training learned about objectives, see src/history/objective-rules.ts. */
export interface LearnedObjectives {
  /** the meaning of `auto`: `any` if users come back to items, else `discover` */
  readonly auto: 'any' | 'discover';
  /** s of `continue` for each event type but the target */
  readonly touchStrengths: Readonly<Record<string, number>>;
  /** a longer pause between two events begins a new visit, see src/history/visits.ts */
  readonly visitGapMs: number;
  readonly againHalfLifeDays: number;
}

/** Makes scores mean shares of what a user does next. */
export interface Calibration {
  /** p_j ∝ exp(tau · z_j) over the warm items, and the same over the cold ones */
  readonly tau: number;
  /** the share of all cold items together; absent: 0, as of models that did not measure it */
  readonly coldShare?: number;
  /** maps from shares of attribute values to usages; without them shares are usages */
  readonly usage?: UsageMaps | null;
}

export interface G1Model {
  /** item_id of every item index: first the warm items (with events), then catalog items without events. */
  readonly itemIds: ItemIds;
  readonly warmItemCount: number;
  readonly targetEventType: string;
  /** weight of an event type in history and gram; a type not listed counts 0 */
  readonly typeWeights: Readonly<Record<string, number>>;
  /** most of a user's distinct items that count, the newest ones */
  readonly historyCap: number;
  /** always with a popularity expert (at weight 0 when the blend does without): users without history are served from it */
  readonly experts: readonly Expert[];
  /** blend of the main moment, from which usages are computed */
  readonly blend: Blend;
  /** null or absent where a moment was not learned: the nearest one's is used. None in models of 0.1.0: the blend is all */
  readonly moments?: { readonly [name in ScoringName]?: MomentScoring | null };
  /** share of target events that return to an item the user had before, and whether such items are recommended */
  readonly repeats: { readonly rate: number; readonly recommendSeen: boolean };
  /** by warm item: 1 if users take it once and do not come back to it; absent if unknown */
  readonly onceItems?: Uint8Array;
  /** how far neighbors of a disliked item move down, as a share of what they would gain if it were liked; default 0.3 */
  readonly dislikeWeight?: number;
  /** absent in models of the first release: derived from `repeats` and `typeWeights` */
  readonly objectives?: LearnedObjectives;
  /** A vector of taste for every warm item (row-major), for clustering and the map; a user is the weighted mean of its items. */
  readonly vectors: { readonly dimensions: number; readonly values: Float32Array };
  readonly calibration: Calibration;
  /** from users' attributes; null if users have none */
  readonly coldUsers: LiftTables | null;
  /** from events' attributes, for calls that send a context; null or absent if events have none */
  readonly context?: LiftTables | null;
  /** offline figures on held-out newest events, as in Model.metrics; null when nothing could be held out */
  readonly metrics: Readonly<Record<string, unknown>> | null;
  /** Which trained items without a record may be recommended, decided by training. Absent in files of 0.1.0. */
  readonly recordlessItems?: RecordlessItems;
  /** over the warm items; a relation that the data cannot show is absent, and models of 0.1.0 have none */
  readonly relations?: RelationRows;
  /** settings in force, given or chosen by auto */
  readonly settings: Readonly<Record<string, unknown>>;
  readonly seed: number;
}
