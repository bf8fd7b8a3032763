// Everything a check of data counts in one pass over the events, block by block. Memory grows with the number of items and
// types, not with events or users: a scan has all events of a user in a row, ordered by time.

import { DAY_MS, HOUR_MS } from '../../base/durations.ts';
import { HEALTH_HOURS } from '../../domain/data-health.ts';
import { type TimeFault, timeFault } from '../../domain/suspicious-time.ts';
import type { EventBlock } from '../../store/event-store.ts';

/** Types with a column of their own per hour; the rest share the last one. */
const HOUR_COLUMNS = 256;
/** Most events of a user at one time that are compared with each other. */
const MAX_COMPARED = 10_000;
/** Times that may be the most frequent ones: any with more than a ninth of the events is among them. */
const CANDIDATE_TIMES = 8;

/** Events with a fault, with the first time seen. */
export interface Faulty {
  count: number;
  example: number;
}

export class EventCounts {
  events = 0;
  users = 0;
  usersWithOneEvent = 0;
  duplicates = 0;
  /** an item of a repeated event; -1 if there is none */
  duplicateItem = -1;
  firstTs = Number.POSITIVE_INFINITY;
  lastTs = Number.NEGATIVE_INFINITY;
  /** events at midnight UTC to the millisecond */
  atMidnight = 0;
  readonly faults: Record<TimeFault, Faulty> = {
    seconds: { count: 0, example: 0 },
    before_2000: { count: 0, example: 0 },
    future: { count: 0, example: 0 },
  };
  readonly byItem: Uint32Array;
  readonly byType: Float64Array;
  readonly #nowMs: number;
  readonly #hourColumns: number;
  /** a ring: row of an hour is its number modulo HEALTH_HOURS, and belongs to the newest such hour seen */
  readonly #ringHours = new Float64Array(HEALTH_HOURS).fill(-1);
  readonly #ring: Uint32Array;
  readonly #times = new Float64Array(CANDIDATE_TIMES);
  readonly #timeCounts = new Float64Array(CANDIDATE_TIMES);
  #user = -1;
  #eventsOfUser = 0;
  #ts = Number.NaN;
  readonly #atSameTime = new Set<number>();

  constructor({ items, types, nowMs }: { items: number; types: number; nowMs: number }) {
    this.byItem = new Uint32Array(items);
    this.byType = new Float64Array(types);
    this.#nowMs = nowMs;
    this.#hourColumns = Math.min(HOUR_COLUMNS, types + 1);
    this.#ring = new Uint32Array(HEALTH_HOURS * this.#hourColumns);
  }

  add({ length, user, item, type, ts }: EventBlock): void {
    this.events += length;
    for (let row = 0; row < length; row++) {
      // Items and types added after the scan began are left for the next check.
      if (item[row] < this.byItem.length) this.byItem[item[row]]++;
      if (type[row] < this.byType.length) this.byType[type[row]]++;
      this.#countUser(user[row]);
      this.#countTime(ts[row], type[row]);
      this.#countRepeat(ts[row], item[row], type[row]);
    }
  }

  /** Call after the last block. */
  finish(): void {
    this.#countUser(-1);
  }

  /** Counts per hour of the types' columns, oldest hour first; null: no event has a likely time. */
  hours(): { fromHour: number; of: (type: number) => number[]; others: () => number[] } | null {
    const newest = this.#ringHours.reduce((latest, hour) => Math.max(latest, hour), -1);
    if (newest < 0) return null;
    const fromHour = newest - HEALTH_HOURS + 1;
    const column = (at: number): number[] =>
      Array.from({ length: HEALTH_HOURS }, (_, n) => {
        const hour = fromHour + n;
        const slot = ((hour % HEALTH_HOURS) + HEALTH_HOURS) % HEALTH_HOURS;
        return this.#ringHours[slot] === hour ? this.#ring[slot * this.#hourColumns + at] : 0;
      });
    const last = this.#hourColumns - 1;
    return { fromHour, of: (type) => (type < last ? column(type) : []), others: () => column(last) };
  }

  /** Whether a type has hours of its own. */
  hasHours(type: number): boolean {
    return type < this.#hourColumns - 1;
  }

  /** The most frequent time, and how many events have it at least. */
  commonTime(): { ts: number; atLeast: number } {
    const atLeast = Math.max(...this.#timeCounts);
    return { ts: this.#times[this.#timeCounts.indexOf(atLeast)], atLeast };
  }

  #countUser(user: number): void {
    if (user === this.#user) {
      this.#eventsOfUser++;
      return;
    }
    if (this.#user >= 0) {
      this.users++;
      if (this.#eventsOfUser === 1) this.usersWithOneEvent++;
    }
    this.#user = user;
    this.#eventsOfUser = 1;
    this.#ts = Number.NaN;
  }

  #countTime(ts: number, type: number): void {
    this.firstTs = Math.min(this.firstTs, ts);
    this.lastTs = Math.max(this.lastTs, ts);
    if (ts % DAY_MS === 0) this.atMidnight++;
    this.#countCommon(ts);
    const fault = timeFault(ts, this.#nowMs);
    if (fault !== null) {
      const { count, example } = this.faults[fault];
      this.faults[fault] = { count: count + 1, example: count === 0 ? ts : example };
    }
    if (fault === 'future') return;
    const hour = Math.floor(ts / HOUR_MS);
    const slot = hour % HEALTH_HOURS;
    if (hour < this.#ringHours[slot]) return;
    const start = slot * this.#hourColumns;
    if (hour > this.#ringHours[slot]) {
      this.#ringHours[slot] = hour;
      this.#ring.fill(0, start, start + this.#hourColumns);
    }
    this.#ring[start + Math.min(type, this.#hourColumns - 1)]++;
  }

  /** Misra and Gries: what is left of a time's count is never more than its events. */
  #countCommon(ts: number): void {
    let free = -1;
    for (let at = 0; at < CANDIDATE_TIMES; at++) {
      if (this.#timeCounts[at] === 0) free = at;
      else if (this.#times[at] === ts) {
        this.#timeCounts[at]++;
        return;
      }
    }
    if (free < 0) {
      for (let at = 0; at < CANDIDATE_TIMES; at++) this.#timeCounts[at]--;
      return;
    }
    this.#times[free] = ts;
    this.#timeCounts[free] = 1;
  }

  #countRepeat(ts: number, item: number, type: number): void {
    if (ts !== this.#ts) {
      this.#ts = ts;
      if (this.#atSameTime.size > 0) this.#atSameTime.clear();
    }
    const key = item * 2 ** 20 + (type % 2 ** 20);
    if (this.#atSameTime.has(key)) {
      this.duplicates++;
      this.duplicateItem = item;
    } else if (this.#atSameTime.size < MAX_COMPARED) this.#atSameTime.add(key);
  }
}
