// Work that accounts share the store for: each in a place, see fair-places.ts. Work of the service itself passes.
import { FairPlaces, type PlaceLimits } from '../base/fair-places.ts';
import { AppError } from '../errors.ts';
import { currentAccount } from './on-behalf-of.ts';

export interface GateLimits extends PlaceLimits {
  /** Most waiting calls of one account. Further calls fail with OVERLOADED. */
  readonly waitingOfAccount: number;
}

export class FairGate {
  readonly #places: FairPlaces;
  readonly #waitingOfAccount: number;

  constructor(limits: GateLimits) {
    this.#places = new FairPlaces(limits);
    this.#waitingOfAccount = limits.waitingOfAccount;
  }

  run<T>(work: () => Promise<T>): Promise<T> {
    const accountId = currentAccount();
    return accountId === null ? work() : this.#runFor(accountId, work);
  }

  async #runFor<T>(accountId: string, work: () => Promise<T>): Promise<T> {
    if (!this.#places.hasPlace(accountId) && this.#places.waitingOf(accountId) >= this.#waitingOfAccount) {
      const detail = 'Too many calls of this account are waiting for the store. Send this call again in a moment.';
      throw new AppError('OVERLOADED', detail, { retryAfterSec: 1 });
    }
    const turn = this.#places.enter(accountId);
    if (turn !== null) await turn;
    try {
      return await work();
    } finally {
      this.#places.leave(accountId);
    }
  }
}
