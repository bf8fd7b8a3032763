// Cuts a scan's blocks into users: all events of a user, oldest first, where they are in the block. Only a user at the seam of
// two blocks is copied together.
import { grown } from '../../base/grown.ts';
import type { EventRun, NumberedEvents } from '../../history/fold-events.ts';
import type { EventBlock } from '../../store/event-store.ts';

export interface UserRun extends EventRun {
  readonly user: number;
}

export class UserRuns {
  /** the user that the blocks so far end with, who may continue in the next */
  readonly #last = new GrowingColumns();

  /** Users that end within the block. Take all of them before the next block is given. */
  *of(block: EventBlock): Generator<UserRun> {
    for (let from = 0; from < block.length; ) {
      const user = block.user[from];
      let to = from + 1;
      while (to < block.length && block.user[to] === user) to++;
      if (user !== this.#last.user) {
        yield* this.rest();
        if (to < block.length) yield { user, columns: block, from, to };
        else this.#last.start(user);
      }
      if (user === this.#last.user) this.#last.add(block, from, to);
      from = to;
    }
  }

  /** The last user, after the last block. */
  *rest(): Generator<UserRun> {
    const { user, length } = this.#last;
    if (user < 0) return;
    yield { user, columns: this.#last, from: 0, to: length };
    this.#last.start(-1);
  }
}

class GrowingColumns implements NumberedEvents {
  user = -1;
  length = 0;
  item = new Uint32Array(1024);
  type = new Uint32Array(1024);
  ts = new Float64Array(1024);
  value = new Float64Array(1024);

  start(user: number): void {
    this.user = user;
    this.length = 0;
  }

  add(block: EventBlock, from: number, to: number): void {
    const needed = this.length + to - from;
    if (needed > this.item.length) {
      const room = Math.max(needed, this.item.length * 2);
      this.item = grown(this.item, new Uint32Array(room));
      this.type = grown(this.type, new Uint32Array(room));
      this.ts = grown(this.ts, new Float64Array(room));
      this.value = grown(this.value, new Float64Array(room));
    }
    this.item.set(block.item.subarray(from, to), this.length);
    this.type.set(block.type.subarray(from, to), this.length);
    this.ts.set(block.ts.subarray(from, to), this.length);
    this.value.set(block.value.subarray(from, to), this.length);
    this.length = needed;
  }
}
