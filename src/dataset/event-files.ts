// Parts of events in files of this machine, read back one at a time.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BlockFile, type Column } from './block-file.ts';
import { NO_DISLIKES } from './dislikes.ts';
import type { EventTable } from './event-table.ts';
import { firstAtLeast } from './first-at-least.ts';
import type { EventNames, EventPart, TrainingEvents } from './training-events.ts';

interface WrittenPart {
  readonly file: BlockFile;
  readonly firstUser: number;
  readonly firstEvent: number;
  readonly userCount: number;
  readonly length: number;
  readonly dislikes: number;
}

/** Index of each column in a file. */
const COLUMN = { userOffsets: 0, item: 1, type: 2, value: 3, ts: 4, user: 5, disliked: 6, dislikedTs: 7 } as const;

interface Columns {
  readonly userOffsets: Uint32Array;
  readonly item: Uint32Array;
  readonly type: Uint8Array;
  readonly value: Float32Array;
  readonly ts: Float64Array;
  /** the user of each dislike; this and the next two are columns of dislikes */
  readonly user: Uint32Array;
  readonly disliked: Uint32Array;
  readonly dislikedTs: Float64Array;
}

export class EventFiles implements AsyncDisposable {
  userCount = 0;
  length = 0;
  dislikeCount = 0;
  readonly #within: string;
  #folder: string | null = null;
  readonly #written: WrittenPart[] = [];
  /** arrays of a pass that ended, which the next one reuses */
  #spare: Columns | null = null;

  /** `folder`: left out, the system's folder for temporary files. */
  constructor(folder?: string) {
    this.#within = folder ?? tmpdir();
  }

  get partCount(): number {
    return this.#written.length;
  }

  /** Appends the next users with their events. */
  async add({ userCount, length, userOffsets, item, type, value, ts, dislikes }: EventTable): Promise<void> {
    this.#folder ??= await mkdtemp(join(this.#within, 'events-'));
    const { user, item: disliked, ts: dislikedTs } = dislikes ?? NO_DISLIKES;
    const columns = { userOffsets, item, type, value, ts, user, disliked, dislikedTs };
    const file = await BlockFile.write(
      join(this.#folder, String(this.#written.length)),
      (Object.keys(COLUMN) as (keyof typeof COLUMN)[]).map((name) => columns[name]),
    );
    const numbers = { userCount, length, dislikes: user.length };
    this.#written.push({ file, firstUser: this.userCount, firstEvent: this.length, ...numbers });
    this.#spare = null;
    this.userCount += userCount;
    this.length += length;
    this.dislikeCount += user.length;
  }

  /** Part by part; the columns of one are overwritten by the next. */
  async *parts(names: EventNames): AsyncGenerator<EventPart> {
    const columns = this.#spare ?? this.#columns();
    this.#spare = null;
    try {
      for (const { file, firstUser, firstEvent, userCount, length, dislikes } of this.#written) {
        const read = async <Name extends keyof Columns>(name: Name, to: number): Promise<Columns[Name]> => {
          const into = columns[name].subarray(0, to) as Columns[Name];
          await file.read(COLUMN[name], 0, into);
          return into;
        };
        yield {
          ...names,
          firstUser,
          firstEvent,
          userCount,
          length,
          userOffsets: await read('userOffsets', userCount + 1),
          item: await read('item', length),
          type: await read('type', length),
          value: await read('value', length),
          ts: await read('ts', length),
          dislikes: {
            user: await read('user', dislikes),
            item: await read('disliked', dislikes),
            ts: await read('dislikedTs', dislikes),
          },
        };
      }
    } finally {
      this.#spare = columns;
    }
  }

  /** Users of one part, rows [from, to) of it. */
  async some(n: number, { from, to }: { from: number; to: number }, names: EventNames): Promise<EventTable> {
    const { file, dislikes } = this.#written[n];
    const userOffsets = new Uint32Array(to - from + 1);
    await file.read(COLUMN.userOffsets, from, userOffsets);
    const [first] = userOffsets;
    for (let row = 0; row < userOffsets.length; row++) userOffsets[row] -= first;
    const length = userOffsets[to - from];
    const read = async <T extends Column>(name: keyof Columns, at: number, into: T): Promise<T> => {
      await file.read(COLUMN[name], at, into);
      return into;
    };
    const users = await read('user', 0, new Uint32Array(dislikes));
    const firstDislike = firstAtLeast(users, from);
    const own = users.subarray(firstDislike, firstAtLeast(users, to));
    return {
      ...names,
      userCount: to - from,
      length,
      userOffsets,
      item: await read('item', first, new Uint32Array(length)),
      type: await read('type', first, new Uint8Array(length)),
      value: await read('value', first, new Float32Array(length)),
      ts: await read('ts', first, new Float64Array(length)),
      dislikes: {
        user: own.map((row) => row - from),
        item: await read('disliked', firstDislike, new Uint32Array(own.length)),
        ts: await read('dislikedTs', firstDislike, new Float64Array(own.length)),
      },
    };
  }

  /** Allocates columns with room for the largest part. */
  #columns(): Columns {
    const room = (count: (part: WrittenPart) => number) => Math.max(0, ...this.#written.map(count));
    const events = room(({ length }) => length);
    const dislikes = room((part) => part.dislikes);
    return {
      userOffsets: new Uint32Array(room(({ userCount }) => userCount) + 1),
      item: new Uint32Array(events),
      type: new Uint8Array(events),
      value: new Float32Array(events),
      ts: new Float64Array(events),
      user: new Uint32Array(dislikes),
      disliked: new Uint32Array(dislikes),
      dislikedTs: new Float64Array(dislikes),
    };
  }

  /** All events in the order in which they were added. `lengths`: number of events of each user. */
  events(names: EventNames, lengths: Uint32Array): TrainingEvents {
    const { userCount, length, dislikeCount } = this;
    return {
      ...names,
      userCount,
      length,
      dislikeCount,
      held: null,
      lengthOf: (user) => lengths[user],
      parts: () => this.parts(names),
    };
  }

  async close(): Promise<void> {
    for (const { file } of this.#written.splice(0)) await file.close();
    if (this.#folder !== null) await rm(this.#folder, { recursive: true, force: true });
    this.#folder = null;
    this.#spare = null;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
