// Limits calls to a rate with a burst of one second. Time is monotonic: a clock that jumps neither frees nor blocks calls.

export class TokenBucket {
  #ratePerSec: number;
  #capacity: number;
  #tokens: number;
  #filledMs: number;

  constructor(ratePerSec: number, nowMs: number) {
    this.#ratePerSec = ratePerSec;
    this.#capacity = Math.max(1, ratePerSec);
    this.#tokens = this.#capacity;
    this.#filledMs = nowMs;
  }

  /** Changes the rate, e.g. when more nodes share it. The remaining burst stays. */
  setRate(ratePerSec: number, nowMs: number): void {
    if (ratePerSec === this.#ratePerSec) return;
    this.#fill(nowMs);
    this.#ratePerSec = ratePerSec;
    this.#capacity = Math.max(1, ratePerSec);
    this.#tokens = Math.min(this.#tokens, this.#capacity);
  }

  /** Takes one token. Returns 0 if there was one, else the milliseconds until there is one. */
  take(nowMs: number): number {
    this.#fill(nowMs);
    // Refilling adds fractions, so a whole token may be a rounding error short.
    if (this.#tokens >= 1 - 1e-9) {
      this.#tokens = Math.max(0, this.#tokens - 1);
      return 0;
    }
    return ((1 - this.#tokens) / this.#ratePerSec) * 1000;
  }

  /** Returns a token that was taken from the wrong bucket. */
  giveBack(): void {
    this.#tokens = Math.min(this.#capacity, this.#tokens + 1);
  }

  #fill(nowMs: number): void {
    const elapsedMs = Math.max(0, nowMs - this.#filledMs);
    this.#tokens = Math.min(this.#capacity, this.#tokens + (elapsedMs / 1000) * this.#ratePerSec);
    this.#filledMs = nowMs;
  }
}
