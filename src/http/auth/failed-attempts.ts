// Slows down whoever tries secrets: after too many failures in a minute for one client and address, further failures are
// answered 429. The right secret always gets in, so nobody can lock an owner out by guessing.
import { BoundedCache, textBytes } from '../../domain/bounded-cache.ts';

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

  /** Counts a failure. Returns how many seconds to wait before the next attempt, 0 for at once. */
  failed(who: string, nowMs: number = Date.now()): number {
    let entry = this.#failures.get(who);
    if (!entry || entry.untilMs <= nowMs) {
      entry = { count: 0, untilMs: nowMs + WINDOW_MS };
      this.#failures.set(who, entry);
    }
    return ++entry.count <= MAX_FAILURES ? 0 : Math.ceil((entry.untilMs - nowMs) / 1000);
  }
}
