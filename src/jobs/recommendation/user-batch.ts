// Users on their way to a list thread: ids, and their events as columns where a scan has read them.
import { eventRoom, withEvents } from '../../history/event-room.ts';
import type { UserRun } from '../../insight/users/user-runs.ts';

/** Events oldest first. Those of user n are [offsets[n], offsets[n + 1]). Numbers are those of the event store. */
export interface BatchEvents {
  readonly offsets: Uint32Array<ArrayBuffer>;
  readonly item: Uint32Array<ArrayBuffer>;
  readonly type: Uint32Array<ArrayBuffer>;
  readonly ts: Float64Array<ArrayBuffer>;
  readonly value: Float64Array<ArrayBuffer>;
}

export interface UserBatch {
  readonly userIds: readonly string[];
  /** null if they were not read yet */
  readonly events: BatchEvents | null;
}

/** Small enough that no thread waits long for the last batch, and large enough for the row groups of a table. */
const BATCH_USERS = 512;
const BATCH_EVENTS = 32_768;
/** Most items in all lists of a batch, because several batches are in memory. */
const BATCH_ITEMS = BATCH_USERS * 100;

/** `listLength`: the most items of a list. */
export function usersPerBatch(listLength: number): number {
  return Math.max(1, Math.min(BATCH_USERS, Math.floor(BATCH_ITEMS / listLength)));
}

interface BatchLimits {
  readonly users: number;
  /** most of a user's newest events that are taken */
  readonly historyLimit: number;
}

/** Gathers users with their events. */
export class BatchFiller {
  readonly #limits: BatchLimits;
  readonly #idsOf: (users: readonly number[]) => Promise<readonly string[]>;
  #users: number[] = [];
  #offsets: number[] = [0];
  #columns = eventRoom(BATCH_EVENTS);

  /** `idsOf` returns the ids for the store's numbers. */
  constructor(limits: BatchLimits, idsOf: (users: readonly number[]) => Promise<readonly string[]>) {
    this.#limits = limits;
    this.#idsOf = idsOf;
  }

  /** Copies the events of the run. */
  add({ user, columns, from, to }: UserRun): void {
    const start = this.#offsets.at(-1)!;
    const oldest = Math.max(from, to - this.#limits.historyLimit);
    this.#columns = withEvents(this.#columns, start, { columns, from: oldest, to });
    this.#users.push(user);
    this.#offsets.push(start + to - oldest);
  }

  get isFull(): boolean {
    return this.#users.length >= this.#limits.users || this.#offsets.at(-1)! >= BATCH_EVENTS;
  }

  /** Returns null if nobody was added. */
  async take(): Promise<UserBatch | null> {
    if (this.#users.length === 0) return null;
    const end = this.#offsets.at(-1)!;
    const { item, type, ts, value } = this.#columns;
    const batch: UserBatch = {
      userIds: await this.#idsOf(this.#users),
      events: {
        offsets: Uint32Array.from(this.#offsets),
        item: item.slice(0, end),
        type: type.slice(0, end),
        ts: ts.slice(0, end),
        value: value.slice(0, end),
      },
    };
    this.#users = [];
    this.#offsets = [0];
    return batch;
  }
}

/** The buffers to transfer to a thread instead of copying them. */
export function transferOf({ events }: UserBatch): ArrayBuffer[] {
  return events === null
    ? []
    : Object.values(events as BatchEvents & Record<string, never>).map(({ buffer }) => buffer);
}
