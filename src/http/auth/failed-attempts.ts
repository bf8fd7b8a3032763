// Slows down guessing of secrets: after too many failures per minute for one client and address, further failures get 429.
// The right secret always works, so guessing cannot lock an owner out.
import { BoundedCache, textBytes } from '../../base/bounded-cache.ts';

const WINDOW_MS = 60_000;
const MAX_FAILURES = 60;
const CACHE_BYTES = 4 * 1024 * 1024;
const ATTEMPTS_BYTES = 50;

export class FailedAttempts {
  readonly #failures = new BoundedCache<string, { count: number; untilMs: number }>({
    name: 'failed_attempts',
    maxBytes: CACHE_BYTES,
    bytesOf: (_, who) => textBytes(who) + ATTEMPTS_BYTES,
  });

  /** Counts a failure. Returns the seconds to wait before the next attempt, 0 for none. */
  failed(who: string, nowMs: number): number {
    let entry = this.#failures.get(who);
    if (!entry || entry.untilMs <= nowMs) {
      entry = { count: 0, untilMs: nowMs + WINDOW_MS };
      this.#failures.set(who, entry);
    }
    return ++entry.count <= MAX_FAILURES ? 0 : Math.ceil((entry.untilMs - nowMs) / 1000);
  }
}
