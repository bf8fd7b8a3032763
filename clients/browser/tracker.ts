// Sends what a visitor does (POST /track) and sees (POST /record-impressions) to Kindred, in batches (outbox.ts). Each event has an id and
// a time of its own: what is sent twice is stored once.
//
// It sets no cookie and stores nothing unless `remember` is set, and does nothing at all for visitors who ask not to be tracked.
import { createOutbox, type Who } from './outbox.ts';
import { createWatch, type WatchItem } from './watch-items.ts';

export interface TrackerOptions {
  /** Address of the service. */
  url: string;
  /** A browser key. */
  key: string;
  /** A user you know. Changes with `identify`. */
  userId?: string;
  /** Your own id of the visitor. Default: a random one, new with each page. */
  visitorId?: string;
  /** Keep the random visitor id in localStorage. Ask the visitor before, where the law says so. */
  remember?: boolean;
  /** Track although the browser asks not to (Do Not Track, Global Privacy Control). */
  ignoreDoNotTrack?: boolean;
  /** How long events wait for others, in milliseconds. Default 2000. */
  waitMs?: number;
}

export interface EventDetails {
  value?: number;
  attributes?: Record<string, unknown>;
  /** Of the response the item was shown from. Default: of the list in which the item was last chosen. */
  recommendationId?: string;
}

/** An item of a list. */
export interface ListedItem {
  itemId: string;
  recommendationId: string;
}

export interface Tracker {
  /** null: the visitor is not tracked. */
  readonly visitorId: string | null;
  /** The id that events are sent with: the user, or else the visitor. null: the visitor is not tracked. */
  readonly currentId: string | null;
  track(eventType: string, itemId: string, details?: EventDetails): void;
  /** The element shows the item: counts as an impression once half of it was visible for a second. */
  watch(element: Element, item: ListedItem): void;
  /** The visitor chose the item in the list: later events with it name the list. */
  choose(item: ListedItem): void;
  /** From now on events are those of this user. */
  identify(userId: string): void;
  /** Sends what waits. */
  flush(): Promise<void>;
}

const STORAGE_NAME = 'kindred-visitor';
const CHOSEN_NAME = 'kindred-lists';
const MAX_CHOSEN = 50;

interface Impression {
  recommendation_id: string;
  item_id: string;
  ts: number;
}

let latest: Tracker | undefined;
/** The tracker of the page, for elements that report clicks. */
export const currentTracker = (): Tracker | undefined => latest;

export function createTracker(options: TrackerOptions): Tracker {
  const { url, key, waitMs = 2000, ignoreDoNotTrack = false } = options;
  const isTracked = ignoreDoNotTrack || !asksNotToBeTracked();
  const visitorId = isTracked ? (options.visitorId ?? visitor(options.remember)) : null;
  const addressOf = (call: string) => `${url.replace(/\/+$/, '')}/${call}?key=${encodeURIComponent(key)}`;
  const events = createOutbox<object>(addressOf('track'), waitMs, (who, sent) => ({ ...who, events: sent }));
  const impressions = createOutbox<Impression>(addressOf('record-impressions'), waitMs, (who, seen) => ({
    impressions: byList(who, seen),
  }));
  const keepChosen = (next: (text: string | null) => [string, string][]): [string, string][] =>
    options.remember ? kept(CHOSEN_NAME, next, JSON.stringify) : next(null);
  const chosen = new Map(isTracked ? keepChosen((text) => JSON.parse(text ?? '[]')) : []);
  let watchItem: WatchItem | undefined;
  let userId = options.userId;
  const who = (): Who => (userId === undefined ? { visitor_id: visitorId as string } : { user_id: userId });

  latest = {
    visitorId,
    get currentId() {
      return visitorId === null ? null : (userId ?? visitorId);
    },
    track(event_type, item_id, { value, attributes, recommendationId = chosen.get(item_id) } = {}) {
      if (visitorId === null) return;
      events.add(who(), {
        event_id: randomId(),
        item_id,
        event_type,
        ts: Date.now(),
        event_value: value,
        attributes,
        recommendation_id: recommendationId,
      });
    },
    watch(element, { itemId: item_id, recommendationId: recommendation_id }) {
      if (visitorId === null) return;
      watchItem ??= createWatch();
      watchItem(element, () => impressions.add(who(), { recommendation_id, item_id, ts: Date.now() }));
    },
    choose({ itemId, recommendationId }) {
      if (visitorId === null) return;
      // Last, so that the oldest is forgotten first.
      chosen.delete(itemId);
      chosen.set(itemId, recommendationId);
      if (chosen.size > MAX_CHOSEN) chosen.delete(chosen.keys().next().value as string);
      keepChosen(() => [...chosen]);
    },
    identify(id) {
      userId = id;
    },
    async flush() {
      await Promise.all([events.flush(), impressions.flush()]);
    },
  };
  return latest;
}

/** One impression per list, with its items. */
function byList(who: Who, seen: Impression[]): object[] {
  const lists = new Map<string, Omit<Impression, 'item_id'> & { user_id: string; item_ids: string[] }>();
  for (const { recommendation_id, item_id, ts } of seen) {
    const known = lists.get(recommendation_id);
    const user_id = Object.values(who)[0];
    if (known) known.item_ids.push(item_id);
    else lists.set(recommendation_id, { recommendation_id, user_id, ts, item_ids: [item_id] });
  }
  return [...lists.values()];
}

function asksNotToBeTracked(): boolean {
  const { doNotTrack, globalPrivacyControl } = navigator as { doNotTrack?: string; globalPrivacyControl?: boolean };
  return doNotTrack === '1' || doNotTrack === 'yes' || globalPrivacyControl === true;
}

function visitor(remember?: boolean): string {
  const fresh = `v-${randomId()}`;
  return remember
    ? kept(
        STORAGE_NAME,
        (text) => text ?? fresh,
        (id) => id,
      )
    : fresh;
}

/** What is stored under the name, changed by `next`. Works without storage too. */
function kept<T>(name: string, next: (text: string | null) => T, textOf: (value: T) => string): T {
  try {
    const value = next(localStorage.getItem(name));
    localStorage.setItem(name, textOf(value));
    return value;
  } catch {
    return next(null);
  }
}

/** randomUUID is missing on pages without TLS. */
function randomId(): string {
  return Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(36)).join('-');
}
