// Slows down whoever tries secrets: after too many failures in a minute for one client and address, further failures are
// answered 429. The right secret always gets in, so nobody can lock an owner out by guessing.

const WINDOW_MS = 60_000;
const MAX_FAILURES = 60;
const MAX_TRACKED = 10_000;

export class FailedAttempts {
  readonly #failures = new Map<string, { count: number; untilMs: number }>();

  /** Counts a failure. Returns how many seconds to wait before the next attempt, 0 for at once. */
  failed(who: string, nowMs: number = Date.now()): number {
    let entry = this.#failures.get(who);
    if (!entry || entry.untilMs <= nowMs) {
      this.#failures.delete(who);
      if (this.#failures.size >= MAX_TRACKED) this.#failures.delete(this.#failures.keys().next().value!);
      entry = { count: 0, untilMs: nowMs + WINDOW_MS };
      this.#failures.set(who, entry);
    }
    return ++entry.count <= MAX_FAILURES ? 0 : Math.ceil((entry.untilMs - nowMs) / 1000);
  }
}
