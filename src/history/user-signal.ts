// The data about a user: the events as the store has them, and the weighted history that scoring reads.
import type { Attributes } from '../domain/record.ts';

/** Most of a user's newest events that are read: enough that an item seen long ago is still left out. */
export const HISTORY_EVENTS = 10_000;

/** One event of a user; the store's HistoryEvent has this shape. */
export interface SignalEvent {
  readonly item_id: string;
  /** the item's number in the project's event dataset, if it comes from there: a shorter way to the same item */
  readonly item_no?: number;
  /** the item's number in the catalog, if it was looked up before; below 0: it is not there */
  readonly item?: number;
  readonly event_type: string;
  readonly event_value: number;
  /** in milliseconds */
  readonly ts: number;
}

/** All data about a user that a recommender uses. */
export interface UserSignal {
  /**
   * newest first, of all event types (the model weighs them); items and types that the model does not know are skipped
   */
  readonly history: readonly SignalEvent[];
  /** `{}` if nothing is known */
  readonly attributes: Attributes;
  /** the circumstances of the call, as events have them in their attributes */
  readonly context?: Attributes;
  /** time of the call in milliseconds; if left out, the time of the newest event */
  readonly nowMs?: number;
}

/** A user's history as model item indices: distinct items, newest first, made by `HistoryFolder` or alike. */
export interface ScoringHistory {
  length: number;
  readonly items: Uint32Array;
  /** > 0; 1 is one plain target event */
  readonly weights: Float32Array;
  /** 1 where the user had a target event with the item: those are left out when seen items are excluded */
  readonly seen: Uint8Array;
  /** features of the user's own past with each item, four numbers each (fold-events.ts) */
  readonly own?: Float32Array | null;
}
