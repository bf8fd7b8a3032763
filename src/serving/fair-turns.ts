// Long work of many accounts on the one thread that serves them all. It is cut into steps; in each turn of the event loop at
// most one short slice of it runs, and accounts take turns, so that neither other calls nor another account's work wait
// long. Of an account's own work, the oldest few run at a time, so that one that is long does not hold up all others; work
// that cannot begin soon is refused.
//
// Short work that comes while the turn's slice is not used up is done at once, without a wait.
import type { Steps } from '../base/steps.ts';
import { AppError } from '../errors.ts';

/** Time for work in one turn of the event loop. */
const SLICE_MS = 4;
/** Most work of one account that runs at a time, because each piece of work holds memory. */
const RUNNING_OF_ACCOUNT = 4;
/** Most waiting work of one account, and below of all accounts. */
const MAX_WAITING_OF_ACCOUNT = 256;
const MAX_WAITING = 4096;
/** Work that has not begun after this time is rejected. */
const MAX_WAIT_MS = 5000;

export interface FairTurnsLimits {
  readonly maxWaitingOfAccount: number;
  readonly maxWaitMs: number;
}

interface Work {
  readonly addedMs: number;
  hasBegun: boolean;
  /** Runs until the work is done (returns true) or the time is over. */
  run(untilMs: number): boolean;
  refuse(error: AppError): void;
}

export class FairTurns {
  readonly #limits: FairTurnsLimits;
  /** waiting work by account, in the order of the accounts' turns */
  readonly #waiting = new Map<string, Work[]>();
  #count = 0;
  #spentMs = 0;
  #isTurnPlanned = false;

  constructor(limits: Partial<FairTurnsLimits> = {}) {
    this.#limits = { maxWaitingOfAccount: MAX_WAITING_OF_ACCOUNT, maxWaitMs: MAX_WAIT_MS, ...limits };
  }

  /** How much work waits or runs. */
  get size(): number {
    return this.#count;
  }

  run<T>(accountId: string, steps: Steps<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const work = workOf(steps, resolve, reject);
      if (this.#count === 0 && this.#spentMs < SLICE_MS && this.#runSlice(work)) return;
      const own = this.#waiting.get(accountId) ?? [];
      if (own.length >= this.#limits.maxWaitingOfAccount) work.refuse(tooMuch('RATE_LIMITED'));
      else if (this.#count >= MAX_WAITING) work.refuse(tooMuch('OVERLOADED'));
      else {
        own.push(work);
        this.#waiting.set(accountId, own);
        this.#count++;
      }
    });
  }

  #runSlice(work: Work): boolean {
    const startMs = performance.now();
    work.hasBegun = true;
    const isDone = work.run(startMs + SLICE_MS - this.#spentMs);
    this.#spentMs += performance.now() - startMs;
    this.#planTurn();
    return isDone;
  }

  #planTurn(): void {
    if (this.#isTurnPlanned) return;
    this.#isTurnPlanned = true;
    setImmediate(() => this.#takeTurn());
  }

  #takeTurn(): void {
    this.#isTurnPlanned = false;
    this.#spentMs = 0;
    while (this.#count > 0 && this.#spentMs < SLICE_MS) {
      const [accountId, own] = this.#waiting.entries().next().value!;
      const [work] = own;
      const isLate = !work.hasBegun && performance.now() - work.addedMs > this.#limits.maxWaitMs;
      if (isLate) work.refuse(tooMuch('RATE_LIMITED'));
      const isDone = isLate || this.#runSlice(work);
      own.shift();
      if (isDone) this.#count--;
      else own.splice(RUNNING_OF_ACCOUNT - 1, 0, work);
      this.#waiting.delete(accountId);
      if (own.length > 0) this.#waiting.set(accountId, own);
    }
  }
}

function workOf<T>(steps: Steps<T>, resolve: (value: T) => void, reject: (error: unknown) => void): Work {
  return {
    addedMs: performance.now(),
    hasBegun: false,
    refuse: reject,
    run(untilMs) {
      try {
        do {
          const { done, value } = steps.next();
          if (done) {
            resolve(value);
            return true;
          }
        } while (performance.now() < untilMs);
        return false;
      } catch (error) {
        reject(error);
        return true;
      }
    },
  };
}

function tooMuch(code: 'RATE_LIMITED' | 'OVERLOADED'): AppError {
  const whose = code === 'RATE_LIMITED' ? 'of this account ' : '';
  return new AppError(
    code,
    `New filters and boosts ${whose}take too long to evaluate right now. Try again in a moment, or use fewer conditions.`,
    { retryAfterSec: 1 },
  );
}
