// How fast lists were returned to each account by this node in the last minutes, for people who look at the console. Logarithmic
// buckets: a quantile is right to 12%. Two windows take turns, so figures are of the last 5 to 10 minutes.
import { BoundedCache, textBytes } from '../base/bounded-cache.ts';

const WINDOW_MS = 5 * 60_000;
const FIRST_MS = 0.05;
const RATIO = 1.25;
/** The last one holds everything above 10 s. */
const BUCKETS = 56;
const LOG_RATIO = Math.log(RATIO);
const CACHE_BYTES = 2 * 1024 * 1024;

export interface ServingFigures {
  /** length of the period that the figures cover, up to now */
  readonly minutes: number;
  readonly calls: number;
  /** null if there were no calls */
  readonly p50_ms: number | null;
  readonly p99_ms: number | null;
}

interface Windows {
  /** number of the current window since 1970 */
  window: number;
  current: Uint32Array;
  before: Uint32Array;
}

export class ServingTimes {
  readonly #accounts = new BoundedCache<string, Windows>({
    name: 'serving_times',
    maxBytes: CACHE_BYTES,
    bytesOf: (_, key) => textBytes(key) + 2 * 4 * BUCKETS + 200,
  });

  readonly #startedMs: number;

  constructor(startedMs: number) {
    this.#startedMs = startedMs;
  }

  observe(accountId: string, ms: number, nowMs: number): void {
    const bucket = Math.ceil(Math.log(ms / FIRST_MS) / LOG_RATIO);
    this.#of(accountId, nowMs).current[Math.max(0, Math.min(BUCKETS - 1, bucket))]++;
  }

  read(accountId: string, nowMs: number): ServingFigures {
    const { current, before } = this.#of(accountId, nowMs);
    const counts = current.map((count, bucket) => count + before[bucket]);
    const calls = counts.reduce((sum, count) => sum + count, 0);
    const sinceMs = Math.min(WINDOW_MS + (nowMs % WINDOW_MS), nowMs - this.#startedMs);
    const minutes = Math.max(1, Math.ceil(sinceMs / 60_000));
    return { minutes, calls, p50_ms: quantile(counts, calls, 0.5), p99_ms: quantile(counts, calls, 0.99) };
  }

  #of(accountId: string, nowMs: number): Windows {
    const window = Math.floor(nowMs / WINDOW_MS);
    let windows = this.#accounts.get(accountId);
    if (windows === undefined) {
      windows = { window, current: new Uint32Array(BUCKETS), before: new Uint32Array(BUCKETS) };
      this.#accounts.set(accountId, windows);
    } else if (windows.window !== window) {
      const { current, before } = windows;
      const isNext = windows.window === window - 1;
      windows.before = isNext ? current : before.fill(0);
      windows.current = isNext ? before.fill(0) : current.fill(0);
      windows.window = window;
    }
    return windows;
  }
}

/** The middle of the bucket that holds it. */
function quantile(counts: Uint32Array, calls: number, share: number): number | null {
  if (calls === 0) return null;
  let below = 0;
  const bucket = counts.findIndex((count) => {
    below += count;
    return below >= share * calls;
  });
  return Number((FIRST_MS * RATIO ** (bucket - 0.5)).toPrecision(2));
}
