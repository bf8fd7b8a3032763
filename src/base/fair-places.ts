// Places that accounts share. An account holds at most its share of them, however many others are free, so that another one that
// comes finds a place at once; when all are taken, accounts take turns.
import { FairQueue } from './fair-queue.ts';

export interface PlaceLimits {
  readonly places: number;
  readonly placesOfAccount: number;
}

interface Waiting {
  readonly accountId: string;
  enter(): void;
}

export class FairPlaces {
  readonly #limits: PlaceLimits;
  readonly #waiting = new FairQueue<Waiting>();
  readonly #takenBy = new Map<string, number>();
  #taken = 0;

  constructor(limits: PlaceLimits) {
    this.#limits = limits;
  }

  /** Number of waiting calls of the account. */
  waitingOf(accountId: string): number {
    return this.#waiting.sizeOf(accountId);
  }

  /** Takes a place, at once if there is one: then nothing has to be waited for. */
  enter(accountId: string): Promise<void> | null {
    if (!this.hasPlace(accountId)) return new Promise((enter) => this.#waiting.add(accountId, { accountId, enter }));
    this.#take(accountId);
    return null;
  }

  hasPlace(accountId: string): boolean {
    return this.#taken < this.#limits.places && (this.#takenBy.get(accountId) ?? 0) < this.#limits.placesOfAccount;
  }

  leave(accountId: string): void {
    this.#taken--;
    const left = this.#takenBy.get(accountId)! - 1;
    if (left > 0) this.#takenBy.set(accountId, left);
    else this.#takenBy.delete(accountId);
    const next = this.#waiting.next((waiting) => this.hasPlace(waiting));
    if (next === undefined) return;
    // Taken before the caller resumes, so that no other call takes the place in between.
    this.#take(next.accountId);
    next.enter();
  }

  #take(accountId: string): void {
    this.#taken++;
    this.#takenBy.set(accountId, (this.#takenBy.get(accountId) ?? 0) + 1);
  }
}
