// Finds stored events of users after their impressions, with the items that were shown. The number of events looked at is limited
// per user and per call, because other writes wait.
import { itemHash, userHash } from '../../base/id-hash.ts';
import { type Impression, ROW_BYTES } from '../outcome-store.ts';
import type { WriteSize } from '../write-limits.ts';
import { countedList, MAX_ASSIST_MS, type StoredTouch } from './outcome-rules.ts';

/** Events of a user looked at after an impression, the earliest first. */
const MAX_TOUCHES = 1000;
const MAX_TOUCHES_OF_CALL = 10_000;
/** Events that can be looked at in the time of writing a row, approximately. */
const TOUCHES_PER_ROW = 10;

/** A user of an impression and the time range in which to look for later events. */
export interface Viewer {
  readonly userId: string;
  readonly fromTs: number;
  readonly toTs: number;
}

export interface ViewerQuery extends Viewer {
  /** events to look at, the earliest first */
  readonly limit: number;
}

export interface ViewerEvents {
  /** how many events were looked at */
  readonly read: number;
  /** those with an item that was shown */
  readonly events: readonly ViewerEvent[];
}

export interface ViewerEvent {
  readonly item_id: string;
  readonly event_type: string;
  readonly ts: number;
  readonly value: number;
  readonly recommendation: string | null;
}

export const shownItems = (impressions: readonly Impression[]): Set<string> =>
  new Set(impressions.flatMap(({ userId, itemIds }) => (userId === null ? [] : (itemIds ?? []))));

/** Asks for the events of one user after the other. */
export function* touchesOf(
  impressions: readonly Impression[],
  accountId: string,
  nowMs: number,
): Generator<ViewerQuery, StoredTouch[], ViewerEvents> {
  const touches: StoredTouch[] = [];
  let left = MAX_TOUCHES_OF_CALL;
  for (const viewer of viewersOf(impressions)) {
    if (left === 0) break;
    const { read, events } = yield { ...viewer, limit: Math.min(MAX_TOUCHES, left) };
    left -= read;
    const user = userHash(accountId, viewer.userId);
    for (const { item_id, recommendation, ...event } of events) {
      touches.push({
        ...event,
        userHash: user,
        itemHash: itemHash(item_id),
        list: countedList(recommendation, nowMs),
      });
    }
  }
  return touches;
}

export function impressionSize(impressions: readonly Impression[]): WriteSize {
  const records = impressions.reduce((sum, { itemIds }) => sum + 1 + (itemIds?.length ?? 0), 0);
  const touches = Math.min(viewersOf(impressions).length * MAX_TOUCHES, MAX_TOUCHES_OF_CALL);
  return { records, bytes: records * ROW_BYTES, rows: records + touches / TOUCHES_PER_ROW };
}

function viewersOf(impressions: readonly Impression[]): Viewer[] {
  const viewers = new Map<string, { userId: string; fromTs: number; toTs: number }>();
  for (const { userId, itemIds, ts } of impressions) {
    if (userId === null || itemIds === null) continue;
    const known = viewers.get(userId);
    const toTs = ts + MAX_ASSIST_MS;
    if (known === undefined) viewers.set(userId, { userId, fromTs: ts, toTs });
    else {
      known.fromTs = Math.min(known.fromTs, ts);
      known.toTs = Math.max(known.toTs, toTs);
    }
  }
  return [...viewers.values()];
}
