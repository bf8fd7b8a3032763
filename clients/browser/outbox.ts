// What waits to be sent to one call, in batches of one visitor: after a moment, when there is enough, and when the page is hidden, then
// by a beacon, which outlives the page. What the service cannot take now is sent again, later each time.

export type Who = { user_id: string } | { visitor_id: string };

interface Waiting<T> {
  who: Who;
  entry: T;
}

/** Limits of the calls. */
const MAX_ENTRIES = 20;
const MAX_CHARACTERS = 15_000;
/** What is kept while the service cannot be reached. */
const MAX_WAITING = 200;
const MAX_RETRY_MS = 60_000;

export interface Outbox<T> {
  add(who: Who, entry: T): void;
  flush(): Promise<void>;
}

export function createOutbox<T>(
  address: string,
  waitMs: number,
  bodyOf: (who: Who, entries: T[]) => object,
): Outbox<T> {
  let waiting: Waiting<T>[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  let retryMs = waitMs;

  /** The next entries of one visitor, as many as one call takes. */
  function nextBatch(): Waiting<T>[] {
    const who = JSON.stringify(waiting[0].who);
    let characters = 0;
    let end = 0;
    while (end < waiting.length && end < MAX_ENTRIES && JSON.stringify(waiting[end].who) === who) {
      characters += JSON.stringify(waiting[end].entry).length;
      if (end > 0 && characters > MAX_CHARACTERS) break;
      end += 1;
    }
    return waiting.splice(0, end);
  }

  const textOf = (batch: Waiting<T>[]): string =>
    JSON.stringify(
      bodyOf(
        batch[0].who,
        batch.map(({ entry }) => entry),
      ),
    );

  async function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    while (waiting.length > 0) {
      const batch = nextBatch();
      if (await post(address, textOf(batch))) retryMs = waitMs;
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
      const text = textOf(nextBatch());
      if (!navigator.sendBeacon(address, text)) void post(address, text);
    }
  }

  addEventListener('pagehide', sendBeacons);
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'hidden') sendBeacons();
  });

  return {
    add(who, entry) {
      waiting.push({ who, entry });
      if (waiting.length >= MAX_ENTRIES) void flush();
      else schedule(waitMs);
    },
    flush,
  };
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
