// Slows down whoever tries secrets: after too many failures in a minute for one client and address, further attempts are
// refused unread until the minute is over. A good client behind the same address is not held up.

const WINDOW_MS = 60_000;
const MAX_FAILURES = 60;
const MAX_TRACKED = 10_000;

export class FailedAttempts {
  readonly #failures = new Map<string, { count: number; untilMs: number }>();

  /** Seconds to wait, or 0 when an attempt is allowed. */
  waitSec(who: string, nowMs: number = Date.now()): number {
    const entry = this.#failures.get(who);
    if (!entry || entry.untilMs <= nowMs || entry.count < MAX_FAILURES) return 0;
    return Math.ceil((entry.untilMs - nowMs) / 1000);
  }

  failed(who: string, nowMs: number = Date.now()): void {
    const entry = this.#failures.get(who);
    if (entry && entry.untilMs > nowMs) {
      entry.count++;
      return;
    }
    this.#failures.delete(who);
    if (this.#failures.size >= MAX_TRACKED) this.#failures.delete(this.#failures.keys().next().value!);
    this.#failures.set(who, { count: 1, untilMs: nowMs + WINDOW_MS });
  }
}
