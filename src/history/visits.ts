// Visits and touches: what questions, objectives and moments are made of.
//
// A *touch* is any event of a user with an item: any type, weight 0 included. A *visit* is a run of a user's events with no gap
// over 30 minutes. Where times are days a visit is a day, and where times only give an order every event is its own visit.
// Events of equal time belong to the same visit and are a set: nothing is known of their order.

import { DAY_MS } from '../base/durations.ts';

/** `set`: no order at all. `order`: times are places in a sequence. `days`: times to the day. `times`: real times. */
export type TimeScale = 'set' | 'order' | 'days' | 'times';

const VISIT_GAP_MS = 30 * 60_000;
/** Times before Jan 1, 2000 are no times of events: places in a file, or seconds. */
export const FIRST_REAL_MS = 946_684_800_000;

/** Rows that an import stamped with its own clock are closer. */
const LEAST_SPAN_MS = 1000;
const FEW_USERS = 0.01;
const FEW_EVENTS = 0.001;

/** Finds out what the times of users' events mean. Each user's events must be adjacent, oldest first. */
export function timeScaleOf(ts: Float64Array, userOffsets: Uint32Array): TimeScale {
  const reader = new TimeScaleReader();
  reader.add(ts, userOffsets);
  return reader.scale();
}

/**
 * Does the same for events that arrive some users at a time. A few odd users or events change nothing, such as users
 * imported with one time, or a wrong time.
 */
export class TimeScaleReader {
  /** users with several events; those of them who have different times, and times that lie as far apart as acts of people */
  #users = 0;
  #differing = 0;
  #apart = 0;
  #events = 0;
  #realTimes = 0;
  /** whether the times of all events are days; if only nearly all are, visits are separated by gaps as usual */
  #days = true;
  #dayStart: number | null = null;

  add(ts: Float64Array, userOffsets: Uint32Array): void {
    if (ts.length > 0) this.#dayStart ??= ts[0] % DAY_MS;
    for (let user = 0; user + 1 < userOffsets.length; user++) {
      const from = userOffsets[user];
      const to = userOffsets[user + 1];
      for (let event = from; event < to; event++) {
        if (ts[event] >= FIRST_REAL_MS) this.#realTimes++;
        if (this.#days) this.#days = ts[event] % DAY_MS === this.#dayStart;
      }
      this.#events += to - from;
      if (to - from < 2) continue;
      const spanMs = ts[to - 1] - ts[from];
      this.#users++;
      if (spanMs > 0) this.#differing++;
      if (spanMs >= LEAST_SPAN_MS) this.#apart++;
    }
  }

  scale(): TimeScale {
    const isReal = this.#realTimes > FEW_EVENTS * this.#events;
    const ordered = isReal ? this.#apart : this.#differing;
    if (ordered === 0 || ordered < FEW_USERS * this.#users) return 'set';
    if (!isReal) return 'order';
    return this.#days ? 'days' : 'times';
  }
}

/** A gap longer than this, in milliseconds, begins a new visit. */
export function visitGapMs(scale: TimeScale): number {
  return scale === 'times' ? VISIT_GAP_MS : 0;
}

/** Returns the first event of the visit that `event` belongs to. The user's events begin at `first`. */
export function visitStart(ts: Float64Array, first: number, event: number, gapMs: number): number {
  let start = event;
  while (start > first && ts[start] - ts[start - 1] <= gapMs) start--;
  return start;
}

/** The event after the visit that `event` belongs to; the user's events end before `last`. */
export function visitEnd(ts: Float64Array, last: number, event: number, gapMs: number): number {
  let end = event + 1;
  while (end < last && ts[end] - ts[end - 1] <= gapMs) end++;
  return end;
}
