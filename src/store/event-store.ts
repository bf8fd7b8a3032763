// Events: by event_id within a dataset, placed in shards by user. The store interns user ids, item ids and event types of an
// event dataset to small integers ("numbers", 0, 1, 2 … in order of first sight, never reused), so that training reads
// integers and floats only. A user whose last event is gone is forgotten: the number stays, without the id.
import type { Dataset } from '../domain/dataset.ts';
import type { EventRecord } from '../domain/record.ts';
import type { EventColumns } from '../domain/record-columns.ts';
import type { EventWindow } from './event-window.ts';
import type { Page, PageRequest } from './page.ts';
import type { UpsertOutcome } from './record-store.ts';

/**
 * A column block of events: row r is (user[r], item[r], type[r], ts[r], value[r]). It is valid until the next is requested: its
 * arrays may be written again then.
 */
export interface EventBlock {
  readonly length: number;
  readonly user: Uint32Array;
  readonly item: Uint32Array;
  readonly type: Uint32Array;
  /** milliseconds */
  readonly ts: Float64Array;
  readonly value: Float64Array;
}

export interface AttributeSearch {
  /** the number of their type */
  readonly type: number;
  /** how many events are looked at, those of other types and without attributes too */
  readonly newest: number;
}

/** Events with their attributes as JSON: row r is (user[r], item[r], value[r], attributes[r]). */
export interface AttributeBlock {
  readonly length: number;
  readonly user: Uint32Array;
  readonly item: Uint32Array;
  readonly value: Float64Array;
  readonly attributes: readonly string[];
}

export interface HistoryEvent {
  /** the user's number in the dataset, as `changesSince` names it */
  user_no: number;
  item_id: string;
  /** the item's number in the dataset */
  item_no: number;
  event_type: string;
  event_value: number;
  ts: number;
}

export type InternedKind = 'user' | 'item' | 'type';

/** The number that the database stores for each kind. These never change. */
export const INTERNED_KIND_NO = { user: 0, item: 1, type: 2 } as const satisfies Record<InternedKind, number>;

/**
 * Replaces the id of a forgotten user. Client ids cannot start like this because they may not contain control
 * characters.
 */
export function forgottenId(userNo: number): string {
  return `\u0001${userNo}`;
}

export function isForgotten(userId: string): boolean {
  return userId.startsWith('\u0001');
}

/** The result of storing a batch of events. */
export interface EventUpsert {
  /** one per event, in the batch's order */
  outcomes: UpsertOutcome[];
  /** Ids the dataset saw for the first time; null when there are none, or the dataset is too small to tell a misspelling. */
  firstSeen: FirstSeen | null;
}

export interface FirstSeen {
  items: FirstSeenIds;
  types: FirstSeenIds;
}

export interface FirstSeenIds {
  /** Each with the row of the batch in which it first occurs; at most MAX_FIRST_SEEN. */
  ids: { row: number; id: string }[];
  /** Ids known before have numbers below this. */
  before: number;
}

/** Events a dataset must have before new ids in it are reported. */
export const FIRST_SEEN_FROM_EVENTS = 10_000;
/** New ids reported per kind and batch: each is looked up under several spellings. */
export const MAX_FIRST_SEEN = 20;

/** The dataset's version and the numbers of the users whose events changed up to it; null if unknown. */
export type UserNews = { version: number; users: Uint32Array } | null;

export interface EventStore {
  /** How many scans may usefully run at once: each is read on its own core. */
  readonly scansAtOnce: number;
  /** event_ids are unique within the batch. Replaces the whole event of that id, also when its user changed. Durable when it resolves. */
  upsert(dataset: Dataset, events: EventColumns | readonly EventRecord[]): Promise<EventUpsert>;
  get(datasetId: string, eventId: string): Promise<EventRecord | null>;
  /** Returns how many existed. Ids are unique within the call. */
  delete(dataset: Dataset, eventIds: readonly string[]): Promise<number>;
  /** Returns how many were deleted. */
  deleteOfUser(dataset: Dataset, userId: string): Promise<number>;
  /** Deletes startTs ≤ ts < beforeTs and returns how many. With `dryRun` only counts. */
  deleteBetween(dataset: Dataset, startTs: number, beforeTs: number, options?: { dryRun?: boolean }): Promise<number>;
  /** A user's newest events, newest first (ties: last written first). */
  history(datasetId: string, userId: string, limit: number): Promise<HistoryEvent[]>;
  /** Lists events by time, newest first, of one user or of all. */
  list(datasetId: string, page: PageRequest, userId?: string): Promise<Page<EventRecord>>;
  /** Events of the shards [from, to), grouped by user and within a user ordered by (ts, order of writing). A user never spans two shards. */
  scan(datasetId: string, shards: { from: number; to: number }, blockSize?: number): AsyncIterable<EventBlock>;
  /** Whole events of the shards [from, to), in blocks, in the order of `scan`. What is written or deleted meanwhile may be left out. */
  records(datasetId: string, shards: { from: number; to: number }): AsyncIterable<EventRecord[]>;
  /**
   * Attributes of the newest events of a type in blocks, newest first. `newest` counts events of other types and without
   * attributes too, which are left out.
   */
  attributeBlocks(datasetId: string, search: AttributeSearch): AsyncIterable<AttributeBlock>;
  /**
   * How many numbers of this kind have been assigned. Every number in a scan that began before this call is below it.
   */
  internedCount(datasetId: string, kind: InternedKind): Promise<number>;
  /** Which of the ids have a number below `before`, so were known earlier. */
  knownAmong(datasetId: string, kind: InternedKind, ids: readonly string[], before: number): Promise<string[]>;
  /** The ids behind the numbers [from, to), in blocks, in order. A forgotten user has `forgottenId` instead. */
  internedIds(datasetId: string, kind: InternedKind, range?: { from: number; to: number }): AsyncIterable<string[]>;
  /** Rises with every change of the dataset's events. */
  version(datasetId: string): Promise<number>;
  /**
   * Numbers of the users whose events changed since a version; null when that is not known: anybody's may have. Every
   * recommendation asks this, so a store that need not wait returns it at once.
   */
  changesSince(datasetId: string, version: number): UserNews | Promise<UserNews>;
  /**
   * Number of events per item in a window, of one type (null: of every type), keyed by the item's number; see tallies/.
   * Exact for events stored before the call. Dislikes do not count.
   */
  itemCounts(datasetId: string, window: EventWindow, eventType: string | null): Promise<Map<number, number>>;
  /** The same per event type, keyed by the type's number. */
  typeCounts(datasetId: string, window: EventWindow): Promise<Map<number, number>>;
  /** The ids behind numbers, in the same order; see `internedIds`. */
  idsOf(datasetId: string, kind: InternedKind, numbers: readonly number[]): Promise<string[]>;
  /** Counts events per type and per time bucket, for display. */
  statistics(datasetId: string, buckets: number): Promise<EventStatistics>;
}

export const MAX_LISTED_TYPES = 1000;

export interface EventStatistics {
  first_ts: number | null;
  last_ts: number | null;
  /** the most frequent types first, at most MAX_LISTED_TYPES */
  types: { event_type: string; count: number }[];
  /** Equal-width buckets over [first_ts, last_ts]. */
  over_time: { from_ts: number; count: number }[];
}
