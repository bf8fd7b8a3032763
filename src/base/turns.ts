// Turns of the event loop: each step of long work gets one of its own, so that waiting calls are served between any two steps,
// and short work that arrives together shares one.
import { setImmediate as nextTurn } from 'node:timers/promises';

let last: Promise<void> = Promise.resolve();

/** Resolves in a turn of its own. First come, first served. */
export function ownTurn(): Promise<void> {
  last = last.then(() => nextTurn());
  return last;
}

interface Turn extends PromiseWithResolvers<void> {
  joined: number;
}

/** Processor time: where a shared turn takes more, fewer share the next ones. */
const SHARED_TURN_MS = 8;

/**
 * Callers that join in one turn of the event loop continue together in a later turn, each step of all of them after the other,
 * while the code and data of the step are in the processor's caches.
 */
export class SharedTurns {
  readonly #limit: number;
  readonly #waiting: Turn[] = [];
  #most: number;

  /** At most `limit` callers continue in one turn. Other events are handled before the next turn. */
  constructor(limit: number) {
    this.#limit = limit;
    this.#most = limit;
  }

  join(): Promise<void> {
    let turn = this.#waiting.at(-1);
    if (turn === undefined || turn.joined >= this.#most) {
      turn = { ...Promise.withResolvers<void>(), joined: 0 };
      if (this.#waiting.push(turn) === 1) setImmediate(this.#take);
    }
    turn.joined++;
    return turn.promise;
  }

  readonly #take = (): void => {
    const turn = this.#waiting.shift()!;
    const before = process.threadCpuUsage();
    // The tick comes when everything that can continue without waiting has done so.
    turn.promise.then(() => process.nextTick(() => this.#measure(process.threadCpuUsage(before))));
    turn.resolve();
    if (this.#waiting.length > 0) setImmediate(this.#take);
  };

  #measure({ user, system }: NodeJS.CpuUsage): void {
    const isLong = user + system > SHARED_TURN_MS * 1000;
    this.#most = isLong ? Math.max(1, Math.floor(this.#most / 2)) : Math.min(this.#limit, this.#most * 2);
  }
}
