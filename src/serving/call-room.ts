// Memory for responses while they are being made: texts of items first, then the bytes to send. Large ones of one account
// cannot use up the memory of all; a call that finds no room gets 503 before it has made more than a part. What is sent is
// counted from then on by the HTTP side (src/http/response-limits.ts).

import { ByteBudget } from '../base/byte-budget.ts';
import { SharedTurns } from '../base/turns.ts';
import { MAX_RESPONSE_BYTES } from '../domain/response-limit.ts';
import { AppError } from '../errors.ts';

const MAX_MAKING_BYTES = 16 * MAX_RESPONSE_BYTES;
/** Most calls that are served in one turn, if they are short. */
const CALLS_A_TURN = 32;

export interface CallRoom {
  /** Takes memory until the response is made. Throws if there is not enough. */
  take(bytes: number): void;
  /** `then` runs once the whole response is made, and never if the call fails. */
  whenMade(then: () => void): void;
}

export class CallRooms {
  readonly #budget: ByteBudget;
  readonly #turns = new SharedTurns(CALLS_A_TURN);

  constructor(maxBytes: number = MAX_MAKING_BYTES) {
    this.#budget = new ByteBudget(maxBytes);
  }

  get heldBytes(): number {
    return this.#budget.heldBytes;
  }

  /**
   * Makes a response of the account, together with other calls that have arrived by now. The memory it took is free again when
   * `make` has ended.
   */
  async within<T>(accountId: string, make: (room: CallRoom) => Promise<T>): Promise<T> {
    await this.#turns.join();
    let held = 0;
    const made: (() => void)[] = [];
    const take = (bytes: number): void => {
      if (!this.#budget.take(accountId, bytes)) throw noRoom();
      held += bytes;
    };
    try {
      const response = await make({ take, whenMade: (then) => made.push(then) });
      for (const then of made) then();
      return response;
    } finally {
      if (held > 0) this.#budget.giveBack(accountId, held);
    }
  }
}

function noRoom(): AppError {
  const detail = 'Too many large responses at once. Wait for the ones already requested, then try again.';
  return new AppError('OVERLOADED', detail, { retryAfterSec: 1 });
}
