// Places for work that accounts share. An account holds at most its share of the places, however many others are free, so that
// another one that comes finds a place at once; when all are taken, accounts take turns. Work of the service itself passes.
import { FairQueue } from '../base/fair-queue.ts';
import { AppError } from '../errors.ts';
import { currentAccount } from './on-behalf-of.ts';

export interface GateLimits {
  readonly places: number;
  readonly placesOfAccount: number;
  /** Beyond it the account's work is refused with OVERLOADED. */
  readonly waitingOfAccount: number;
}

interface Waiting {
  readonly accountId: string;
  enter(): void;
}

export class FairGate {
  readonly #limits: GateLimits;
  readonly #waiting = new FairQueue<Waiting>();
  readonly #takenBy = new Map<string, number>();
  #taken = 0;

  constructor(limits: GateLimits) {
    this.#limits = limits;
  }

  run<T>(work: () => Promise<T>): Promise<T> {
    const accountId = currentAccount();
    return accountId === null ? work() : this.#runFor(accountId, work);
  }

  async #runFor<T>(accountId: string, work: () => Promise<T>): Promise<T> {
    if (this.#hasPlace(accountId)) this.#take(accountId);
    else await this.#turn(accountId);
    try {
      return await work();
    } finally {
      this.#leave(accountId);
    }
  }

  #hasPlace(accountId: string): boolean {
    return this.#taken < this.#limits.places && (this.#takenBy.get(accountId) ?? 0) < this.#limits.placesOfAccount;
  }

  #turn(accountId: string): Promise<void> {
    if (this.#waiting.sizeOf(accountId) >= this.#limits.waitingOfAccount) {
      const detail = 'Too many calls of this account are waiting for the store. Send this call again in a moment.';
      return Promise.reject(new AppError('OVERLOADED', detail, { retryAfterSec: 1 }));
    }
    return new Promise((enter) => this.#waiting.add(accountId, { accountId, enter }));
  }

  #take(accountId: string): void {
    this.#taken++;
    this.#takenBy.set(accountId, (this.#takenBy.get(accountId) ?? 0) + 1);
  }

  #leave(accountId: string): void {
    this.#taken--;
    const left = this.#takenBy.get(accountId)! - 1;
    if (left > 0) this.#takenBy.set(accountId, left);
    else this.#takenBy.delete(accountId);
    const next = this.#waiting.next((waiting) => this.#hasPlace(waiting));
    if (next === undefined) return;
    // Taken before it runs: nobody slips in between.
    this.#take(next.accountId);
    next.enter();
  }
}
