// Sends what a visitor does to Kindred (POST /track), in batches. Events are sent after a moment, when there are enough of them, and when
// the page is hidden, then by a beacon, which outlives the page. Each has an id and a time of its own: what is sent twice is stored once.
//
// It sets no cookie and stores nothing unless `remember` is set, and does nothing at all for visitors who ask not to be tracked.

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
  /** Of the response the item was shown from. */
  recommendationId?: string;
}

export interface Tracker {
  /** null: the visitor is not tracked. */
  readonly visitorId: string | null;
  track(eventType: string, itemId: string, details?: EventDetails): void;
  /** From now on events are those of this user. */
  identify(userId: string): void;
  /** Sends what waits. */
  flush(): Promise<void>;
}

/** Limits of the call. */
const MAX_EVENTS = 20;
const MAX_CHARACTERS = 15_000;
/** What is kept while the service cannot be reached. */
const MAX_WAITING = 200;
const MAX_RETRY_MS = 60_000;
const STORAGE_NAME = 'kindred-visitor';

interface Waiting {
  who: { user_id: string } | { visitor_id: string };
  event: object;
}

let latest: Tracker | undefined;
/** The tracker of the page, for elements that report clicks. */
export const currentTracker = (): Tracker | undefined => latest;

export function createTracker(options: TrackerOptions): Tracker {
  const { url, key, waitMs = 2000, ignoreDoNotTrack = false } = options;
  const isTracked = ignoreDoNotTrack || !asksNotToBeTracked();
  const visitorId = isTracked ? (options.visitorId ?? visitor(options.remember)) : null;
  const address = `${url.replace(/\/+$/, '')}/track?key=${encodeURIComponent(key)}`;
  let userId = options.userId;
  let waiting: Waiting[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  let retryMs = waitMs;

  /** The next events of one visitor, as many as one call takes. */
  function nextBatch(): Waiting[] {
    const who = JSON.stringify(waiting[0].who);
    let characters = 0;
    let end = 0;
    while (end < waiting.length && end < MAX_EVENTS && JSON.stringify(waiting[end].who) === who) {
      characters += JSON.stringify(waiting[end].event).length;
      if (end > 0 && characters > MAX_CHARACTERS) break;
      end += 1;
    }
    return waiting.splice(0, end);
  }

  const bodyOf = (batch: Waiting[]): string =>
    JSON.stringify({ ...batch[0].who, events: batch.map(({ event }) => event) });

  async function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    while (waiting.length > 0) {
      const batch = nextBatch();
      if (await post(address, bodyOf(batch))) retryMs = waitMs;
      else {
        waiting = [...batch, ...waiting].slice(-MAX_WAITING);
        retryMs = Math.min(2 * retryMs, MAX_RETRY_MS);
        return schedule(retryMs);
      }
    }
  }

  function schedule(ms: number): void {
    timer ??= setTimeout(flush, ms);
  }

  function sendBeacons(): void {
    while (waiting.length > 0) {
      const batch = nextBatch();
      if (!navigator.sendBeacon(address, bodyOf(batch))) void post(address, bodyOf(batch));
    }
  }

  addEventListener('pagehide', sendBeacons);
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'hidden') sendBeacons();
  });

  latest = {
    visitorId,
    track(event_type, item_id, { value, attributes, recommendationId } = {}) {
      if (visitorId === null) return;
      const event = {
        ...{ event_id: randomId(), item_id, event_type, ts: Date.now() },
        ...{ event_value: value, attributes, recommendation_id: recommendationId },
      };
      waiting.push({ who: userId === undefined ? { visitor_id: visitorId } : { user_id: userId }, event });
      if (waiting.length >= MAX_EVENTS) void flush();
      else schedule(waitMs);
    },
    identify(id) {
      userId = id;
    },
    flush,
  };
  return latest;
}

/** True when the service has it, or will never take it. */
async function post(address: string, body: string): Promise<boolean> {
  try {
    // Text without headers of its own: the browser need not ask first.
    const { ok, status } = await fetch(address, { method: 'POST', body, keepalive: true, credentials: 'omit' });
    return ok || (status < 500 && status !== 429 && status !== 408);
  } catch {
    return false;
  }
}

function asksNotToBeTracked(): boolean {
  const { doNotTrack, globalPrivacyControl } = navigator as { doNotTrack?: string; globalPrivacyControl?: boolean };
  return doNotTrack === '1' || doNotTrack === 'yes' || globalPrivacyControl === true;
}

function visitor(remember?: boolean): string {
  const fresh = `v-${randomId()}`;
  if (!remember) return fresh;
  try {
    const kept = localStorage.getItem(STORAGE_NAME) ?? fresh;
    localStorage.setItem(STORAGE_NAME, kept);
    return kept;
  } catch {
    return fresh;
  }
}

/** randomUUID is missing on pages without TLS. */
function randomId(): string {
  return Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(36)).join('-');
}
