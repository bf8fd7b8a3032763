// Stores the outcomes of lists: counters by project, placement, variant and the hour in which the list was made. They change in
// the transaction that stores the event or the impression, under the lock of the project's event dataset, so they are exact
// whenever a process ends. What counts as what: store/outcomes/outcome-rules.ts.
import type { Dataset } from '../domain/dataset.ts';
import type { RecommendationOrigin } from '../domain/recommendation.ts';
import type { WriteSize } from './write-limits.ts';

/** Sums over lists. Direct figures come from events that carry the id of the list. */
export interface OutcomeFigures {
  /** number of lists */
  served: number;
  served_items: number;
  /** lists of which at least one item was shown, by the impressions that were recorded */
  shown_lists: number;
  /** items, counted once per list */
  shown: number;
  /** items of lists with at least one event, counted once per list */
  clicked: number;
  /** items of lists with at least one target event, counted once per list */
  converted: number;
  /** number of target events */
  targets: number;
  /** sum of the target events' values, and of the squares of these values */
  value: number;
  value_squares: number;
  /** items that only assisting lists showed: no event carried the id of the list */
  assisted_clicked: number;
  assisted_converted: number;
  assisted_targets: number;
  assisted_value: number;
  assisted_value_squares: number;
}

export const OUTCOME_FIGURES = [
  'served',
  'served_items',
  'shown_lists',
  'shown',
  'clicked',
  'converted',
  'targets',
  'value',
  'value_squares',
  'assisted_clicked',
  'assisted_converted',
  'assisted_targets',
  'assisted_value',
  'assisted_value_squares',
] as readonly (keyof OutcomeFigures)[];

/** Counts over the lists made in one hour or day. */
export interface OutcomeCounts extends OutcomeFigures {
  /** null for calls without a placement */
  placement: string | null;
  /** null if no experiment ran */
  experiment_id: string | null;
  variant: string | null;
  /** hours since 1970; for a day, its first hour */
  hour: number;
}

export interface CountQuery {
  readonly projectId: string;
  /** if left out, all placements */
  readonly placement?: string | null;
  /** hours since 1970: fromHour ≤ hour < toHour */
  readonly fromHour: number;
  readonly toHour: number;
  /** one row per hour (default), per day (UTC), or for the whole period; days at both ends are included completely */
  readonly by?: 'hour' | 'day' | 'total';
}

/** Sums over the users who got lists of one variant of an experiment. Each user counts once. From direct events only. */
export interface VariantUsers {
  variant: string;
  /** users who got at least one list */
  users: number;
  /** users with at least one event, one target event, or a value other than 0 */
  clicked_users: number;
  target_users: number;
  value_users: number;
  /** sum of the users' values, and of the squares of these */
  value_sum: number;
  value_squares: number;
}

/** Lists that were served from one origin in one hour. */
export interface ServedCount {
  readonly origin: RecommendationOrigin;
  readonly hour: number;
  readonly lists: number;
  readonly items: number;
}

/** What a node has served since its last report. */
export interface ServedBatch {
  /** Identifies the batch: sending it again does not count it twice. */
  readonly batchId: string;
  readonly counts: readonly ServedCount[];
  /** users who got a list of an experiment */
  readonly visitors: readonly { origin: RecommendationOrigin; userHash: number }[];
}

/** A report that items were shown. Its ids have been validated. */
export interface Impression {
  readonly recommendationId: string;
  /** null means the whole list */
  readonly itemIds: readonly string[] | null;
  readonly ts: number;
  /** the user who saw it, if known: events of theirs that are already stored then count as assisted */
  readonly userId: string | null;
}

/** 'foreign': the list's project does not use this dataset, or was deleted. */
export type ImpressionOutcome = 'recorded' | 'foreign';

export interface OutcomeStore {
  counts(query: CountQuery): Promise<OutcomeCounts[]>;
  /** Returns one row per variant that served at least one user. */
  usersOf(projectId: string, experimentId: string): Promise<VariantUsers[]>;
  /** Durable when it resolves. Counts of deleted projects are dropped. */
  addServed(dataset: Dataset, batch: ServedBatch): Promise<void>;
  /** One outcome per impression. An impression that was recorded before changes nothing. */
  addImpressions(dataset: Dataset, impressions: readonly Impression[]): Promise<ImpressionOutcome[]>;
  /** Items (item-hash) that were shown to the user at least `after` times since `sinceTs` without an event that followed. */
  shownInVain(datasetId: string, query: { userHash: number; after: number; sinceTs: number }): Promise<Set<number>>;
  /** Removes the data about a user. Counters remain. */
  forgetUser(dataset: Dataset, userId: string): Promise<void>;
}

/** Estimated bytes of a row that waits to be written. */
export const ROW_BYTES = 200;

export function servedSize({ counts, visitors }: ServedBatch): WriteSize {
  const records = counts.length + visitors.length;
  return { records, bytes: records * ROW_BYTES };
}
