// Cuts a scan's blocks into users: all events of a user, oldest first, where they are in the block. Only a user at the seam of
// two blocks is copied together.
import { eventRoom, withEvents } from '../../history/event-room.ts';
import type { EventRun } from '../../history/fold-events.ts';
import type { EventBlock } from '../../store/event-store.ts';

export interface UserRun extends EventRun {
  readonly user: number;
}

export class UserRuns {
  /** the user that the blocks so far end with, who may continue in the next */
  readonly #last = new SplitUser();

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
      if (user === this.#last.user) this.#last.add({ columns: block, from, to });
      from = to;
    }
  }

  /** The last user, after the last block. */
  *rest(): Generator<UserRun> {
    const { user, events, length } = this.#last;
    if (user < 0) return;
    yield { user, columns: events, from: 0, to: length };
    this.#last.start(-1);
  }
}

/** A user whose events come in several blocks. */
class SplitUser {
  user = -1;
  length = 0;
  events = eventRoom(1024);

  start(user: number): void {
    this.user = user;
    this.length = 0;
  }

  add(run: EventRun): void {
    this.events = withEvents(this.events, this.length, run);
    this.length += run.to - run.from;
  }
}
