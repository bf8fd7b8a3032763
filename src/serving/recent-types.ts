// How many events of each type a dataset has lately, which says what a session event without a type is where no model does
// (history/session-events.ts). Counted when a call first needs it. Later calls get counts that are at most MAX_AGE_MS old, or the
// ones before while they are counted again.
import { BoundedCache, textBytes } from '../base/bounded-cache.ts';
import { systemRuntime } from '../base/runtime.ts';
import { MAX_WINDOW_HOURS } from '../domain/top-list.ts';
import { windowBefore } from '../store/event-window.ts';
import type { Store } from '../store/store.ts';

const MAX_AGE_MS = 10 * 60_000;
const CACHE_BYTES = 4 * 1024 * 1024;
/** Estimated bytes of a type and its count, besides the name. */
const TYPE_BYTES = 64;

export type TypeCounts = Readonly<Record<string, number>>;

interface Kept {
  readonly counts: TypeCounts;
  readonly madeMs: number;
}

export class RecentTypes {
  readonly #events: Pick<Store['events'], 'typeCounts' | 'idsOf'>;
  readonly #now: () => number;
  readonly #kept = new BoundedCache<string, Kept>({
    name: 'recent_types',
    maxBytes: CACHE_BYTES,
    bytesOf: ({ counts }, key) =>
      textBytes(key) + Object.keys(counts).reduce((sum, type) => sum + textBytes(type) + TYPE_BYTES, 0),
  });

  readonly #counting = new Map<string, Promise<TypeCounts>>();

  constructor(events: Pick<Store['events'], 'typeCounts' | 'idsOf'>, now: () => number = systemRuntime.nowMs) {
    this.#events = events;
    this.#now = now;
  }

  /** Events of each type in the last 30 days. */
  async of(eventDatasetId: string): Promise<TypeCounts> {
    const kept = this.#kept.get(eventDatasetId);
    // A clock that steps back makes them too old as well.
    if (kept && Math.abs(this.#now() - kept.madeMs) < MAX_AGE_MS) return kept.counts;
    let counting = this.#counting.get(eventDatasetId);
    if (counting === undefined) {
      counting = this.#count(eventDatasetId).finally(() => this.#counting.delete(eventDatasetId));
      this.#counting.set(eventDatasetId, counting);
    }
    if (kept === undefined) return counting;
    // Nobody awaits this one. If counting fails again, the old counts stay.
    counting.catch(() => {});
    return kept.counts;
  }

  async #count(eventDatasetId: string): Promise<TypeCounts> {
    const madeMs = this.#now();
    const found = await this.#events.typeCounts(eventDatasetId, windowBefore(madeMs, MAX_WINDOW_HOURS));
    const types = await this.#events.idsOf(eventDatasetId, 'type', [...found.keys()]);
    const numbers = [...found.values()];
    const counts = Object.fromEntries(types.map((type, n) => [type, numbers[n]]));
    this.#kept.set(eventDatasetId, { counts, madeMs });
    return counts;
  }
}
