// Lists what is popular, trending or new, from the counts that writes maintain (store/tallies). A list is made at the first call
// and renewed while calls use it: they get one that is at most MAX_AGE_MS old, and when it is older than REFRESH_MS the next one
// is made in the background. It contains the best MAX_LISTED items; filters choose among these.

import { BoundedCache, textBytes } from '../base/bounded-cache.ts';
import { HOUR_MS } from '../base/durations.ts';
import { systemRuntime } from '../base/runtime.ts';
import { TopItems } from '../base/top-items.ts';
import { ownTurn } from '../base/turns.ts';
import type { Project } from '../domain/project.ts';
import { MAX_WINDOW_HOURS, type TopListKind } from '../domain/top-list.ts';
import { riseOf } from '../placements/rise.ts';
import { windowBefore, windowBeforeWindow } from '../store/event-window.ts';
import type { Store } from '../store/store.ts';

/** Most items per list. */
const MAX_LISTED = 20_000;
const CACHE_BYTES = 64 * 1024 * 1024;
/**
 * Estimated bytes of an item besides its id: its slots in two arrays, which have room to grow, and its number in a
 * catalog (list-numbers.ts).
 */
const ITEM_BYTES = 40;
const REFRESH_MS = 15_000;
const MAX_AGE_MS = 45_000;
/** Items processed before other calls get their turn. */
const STRETCH_ITEMS = 20_000;

export const DEFAULT_WINDOW_HOURS = { popular: 168, trending: 24, newest: null } as const;
/** A trend compares a window with the time before it, which is this many times as long and at least a day. */
const EARLIER_FACTOR = 7;
const MIN_EARLIER_HOURS = 24;

export interface CountedList {
  /** The items with the highest scores come first. */
  readonly itemIds: readonly string[];
  /** Counts, rises or times in milliseconds. */
  readonly scores: readonly number[];
}

export interface CountedListRequest {
  readonly by: TopListKind;
  readonly windowHours: number | null;
  readonly eventType: string | null;
}

interface Kept {
  list: CountedList;
  madeMs: number;
}

export interface CountedListsParts {
  store: Pick<Store, 'events' | 'items'>;
  now?: () => number;
}

export class CountedLists {
  readonly #store: CountedListsParts['store'];
  readonly #now: () => number;
  readonly #kept = new BoundedCache<string, Kept>({
    name: 'top_lists',
    maxBytes: CACHE_BYTES,
    bytesOf: ({ list }, key) => textBytes(key) + list.itemIds.reduce((sum, id) => sum + textBytes(id) + ITEM_BYTES, 0),
  });

  readonly #making = new Map<string, Promise<CountedList>>();

  constructor({ store, now = systemRuntime.nowMs }: CountedListsParts) {
    this.#store = store;
    this.#now = now;
  }

  async list(project: Project, request: CountedListRequest): Promise<CountedList> {
    const { by, windowHours, eventType } = request;
    const dataset = by === 'newest' ? project.item_dataset_id : project.event_dataset_id;
    const key = JSON.stringify([dataset, by, windowHours, eventType]);
    const kept = this.#kept.get(key);
    // If the clock was set back, the list counts as too old as well.
    const ageMs = kept ? Math.abs(this.#now() - kept.madeMs) : Number.POSITIVE_INFINITY;
    if (kept && ageMs <= REFRESH_MS) return kept.list;
    let made = this.#making.get(key);
    if (made === undefined) {
      made = this.#make(key, project, request).finally(() => this.#making.delete(key));
      this.#making.set(key, made);
    }
    if (kept === undefined || ageMs > MAX_AGE_MS) return made;
    // Nobody awaits this one. If making the list fails again, the next call that needs it gets the error.
    made.catch(() => {});
    return kept.list;
  }

  async #make(key: string, project: Project, request: CountedListRequest): Promise<CountedList> {
    const madeMs = this.#now();
    const list =
      request.by === 'newest'
        ? await this.#newest(project, request, madeMs)
        : await this.#counted(project, request, madeMs);
    this.#kept.set(key, { list, madeMs });
    return list;
  }

  async #newest(project: Project, { windowHours }: CountedListRequest, nowMs: number): Promise<CountedList> {
    const sinceTs = windowHours === null ? 0 : nowMs - windowHours * HOUR_MS;
    const records = await this.#store.items.newest(project.item_dataset_id, sinceTs, MAX_LISTED);
    return { itemIds: records.map(({ id }) => id), scores: records.map(({ created_ts }) => created_ts) };
  }

  async #counted(project: Project, request: CountedListRequest, nowMs: number): Promise<CountedList> {
    const { events } = this.#store;
    const { event_dataset_id } = project;
    const hours = request.windowHours ?? DEFAULT_WINDOW_HOURS[request.by as 'popular' | 'trending'];
    const window = windowBefore(nowMs, hours);
    const counts = await events.itemCounts(event_dataset_id, window, request.eventType);
    let scores = counts;
    if (request.by === 'trending') {
      const earlierHours = Math.min(Math.max(MIN_EARLIER_HOURS, EARLIER_FACTOR * hours), MAX_WINDOW_HOURS - hours);
      const earlierWindow = windowBeforeWindow(window, earlierHours);
      scores = await rises(counts, await events.itemCounts(event_dataset_id, earlierWindow, request.eventType));
    }
    const best = await bestOf(scores);
    return { itemIds: await events.idsOf(event_dataset_id, 'item', best.items), scores: best.scores };
  }
}

/** Returns the items with the highest scores, best first. */
async function bestOf(scores: ReadonlyMap<number, number>): Promise<{ items: number[]; scores: number[] }> {
  const top = new TopItems();
  top.start(MAX_LISTED);
  let offered = 0;
  for (const [item, score] of scores) {
    if (offered++ % STRETCH_ITEMS === 0) await ownTurn();
    top.offer(score, item);
  }
  await ownTurn();
  const best: { items: number[]; scores: number[] } = { items: [], scores: [] };
  top.drain((score, item) => {
    best.items.push(item);
    best.scores.push(score);
  });
  return best;
}

/** Returns the items whose rise is above 1. */
async function rises(
  counts: ReadonlyMap<number, number>,
  earlier: ReadonlyMap<number, number>,
): Promise<Map<number, number>> {
  const all = { inWindow: sum(counts), before: sum(earlier) };
  const found = new Map<number, number>();
  let looked = 0;
  for (const [item, inWindow] of counts) {
    const rise = riseOf({ inWindow, before: earlier.get(item) ?? 0 }, all);
    if (rise > 1) found.set(item, rise);
    if (++looked % STRETCH_ITEMS === 0) await ownTurn();
  }
  return found;
}

function sum(counts: ReadonlyMap<number, number>): number {
  let total = 0;
  for (const count of counts.values()) total += count;
  return total;
}
