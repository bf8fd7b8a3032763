// Visits and touches: what questions, objectives and moments are made of.
//
// A *touch* is any event of a user with an item: any type, weight 0 included. A *visit* is a run of a user's events with no gap
// over 30 minutes. Where times are days a visit is a day, and where times only give an order every event is its own visit.
// Events of equal time belong to the same visit and are a set: nothing is known of their order.

import { DAY_MS } from './history-rules.ts';

/** `set`: no order at all. `order`: times are places in a sequence. `days`: times to the day. `times`: real times. */
export type TimeScale = 'set' | 'order' | 'days' | 'times';

const VISIT_GAP_MS = 30 * 60_000;
/** Newest times before Jan 1, 2000 are no times of events: places in a file, or seconds. */
const FIRST_REAL_MS = 946_684_800_000;

/** What the times of users' events mean; each user's are next to each other, oldest first. */
export function timeScaleOf(ts: Float64Array, userOffsets: Uint32Array): TimeScale {
  let ordered = false;
  let days = true;
  let newest = Number.NEGATIVE_INFINITY;
  const dayStart = ts.length === 0 ? 0 : ts[0] % DAY_MS;
  for (let user = 0; user + 1 < userOffsets.length; user++) {
    const from = userOffsets[user];
    const to = userOffsets[user + 1];
    if (to > from && ts[from] !== ts[to - 1]) ordered = true;
    for (let event = from; event < to && days; event++) days = ts[event] % DAY_MS === dayStart;
    if (to > from) newest = Math.max(newest, ts[to - 1]);
  }
  if (!ordered) return 'set';
  if (newest < FIRST_REAL_MS) return 'order';
  return days ? 'days' : 'times';
}

/** A gap longer than this, in milliseconds, begins a new visit. */
export function visitGapMs(scale: TimeScale): number {
  return scale === 'times' ? VISIT_GAP_MS : 0;
}

/** First event of the visit that `event` belongs to; the user's events begin at `first`. */
export function visitStart(ts: Float64Array, first: number, event: number, gapMs: number): number {
  let start = event;
  while (start > first && ts[start] - ts[start - 1] <= gapMs) start--;
  return start;
}
