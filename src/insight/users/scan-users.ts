// All users of a range, streamed: first those with usable events, as batches of histories, then the others with their
// attributes. Numbers users in that order (user-directory.ts). Only ids and one batch at a time are in memory.

import type { G1Model } from '../../artifact/g1-model.ts';
import type { Attributes } from '../../domain/record.ts';
import { EventFolder, type EventNumbers } from '../../history/fold-events.ts';
import { historyRulesOf } from '../../history/history-rules.ts';
import type { PiecePlace } from '../../pieces/piece.ts';
import type { UserCounts } from '../../pieces/piece-users.ts';
import { isRecordsAlone, type UserRange } from '../../pieces/user-range.ts';
import type { EventBlock, EventStore } from '../../store/event-store.ts';
import type { RecordStore } from '../../store/record-store.ts';
import type { HistoryBatch } from './history-batch.ts';
import { internedTable, UserDirectory } from './user-directory.ts';
import { type UserRun, UserRuns } from './user-runs.ts';

export interface UserScanInput extends Pick<PiecePlace, 'elsewhere'> {
  readonly events: EventStore;
  readonly users: RecordStore;
  readonly eventDatasetId: string;
  readonly userDatasetId: string;
  /** all events of the users in the range */
  readonly blocks: AsyncIterable<EventBlock>;
  readonly range: UserRange;
  readonly model: G1Model;
  readonly numbers: EventNumbers;
  /** most of a user's newest events that are looked at */
  readonly historyLimit: number;
  /** later times count as this one */
  readonly nowMs: number;
  readonly signal?: AbortSignal;
}

/** A user whose events, if any, say nothing. */
export interface OtherUser {
  readonly user: number;
  readonly userId: string;
  readonly attributes: Attributes;
  /** seen items: warm indices, then cold places from warmItemCount on */
  readonly seen: readonly number[];
}

/** Records read at once: they may be large. */
const ATTRIBUTE_BLOCK = 100;
/** Number of ids looked up at a time. */
const IDS_AT_ONCE = 10_000;

export class UserScan {
  readonly directory: UserDirectory;
  /** users of the event store, with or without events, of all ranges */
  readonly knownUsers: number;
  readonly #input: UserScanInput;
  readonly #folder: EventFolder;
  #idsRead: Promise<void> | null = null;
  /** how many added and silent users have ids so far, if only some ids are read */
  #named = { added: 0, silent: 0 };
  /** users of the user dataset alone */
  #recordUsers = 0;
  /** users with events but no history, by the store's number */
  readonly #silent: { storeUser: number; seen: number[] }[] = [];

  constructor(input: UserScanInput) {
    const { range, elsewhere } = input;
    this.#input = input;
    this.knownUsers = range.knownUsers;
    this.directory = new UserDirectory(elsewhere?.length ?? range.knownUsers);
    this.#folder = new EventFolder(historyRulesOf(input.model), input.numbers);
  }

  /**
   * Users with a history, filled into the given batches in turn: with two batches, one may be worked on while the next is
   * filled, but must be done with before the one after that is taken.
   */
  async *histories(batches: readonly HistoryBatch[]): AsyncGenerator<HistoryBatch> {
    const { blocks, signal, historyLimit } = this.#input;
    let turn = 0;
    let batch = batches[0];
    batch.clear(0);
    const runs = new UserRuns();
    /** The batch that is full comes out first: filling the next one overwrites what the consumer had before. */
    const fill = function* (this: UserScan, users: Iterable<UserRun>): Generator<HistoryBatch> {
      for (const run of users) {
        if (run.user >= this.knownUsers) continue;
        const entries = Math.min(run.to - run.from, historyLimit);
        if (!batch.fits(entries)) {
          const next = batch.first + batch.count;
          yield batch;
          batch = batches[++turn % batches.length];
          batch.clear(next);
          if (!batch.fits(entries)) throw new Error(`a batch of histories has no room for ${entries} events`);
        }
        this.#foldUser(run, batch);
      }
    }.bind(this);
    for await (const block of blocks) {
      signal?.throwIfAborted();
      yield* fill(runs.of(block));
      // Starts only when there is other work to do meanwhile.
      if (turn > 0 && this.#input.range.records) this.readIds().catch(() => undefined);
    }
    yield* fill(runs.rest());
    if (batch.count > 0) yield batch;
    await this.readIds();
  }

  /** The directory knows the ids of the users that were read: after `histories` of all. */
  readIds(): Promise<void> {
    if (this.#input.range.records) this.#idsRead ??= this.#readAllIds();
    else this.#idsRead = (this.#idsRead ?? Promise.resolve()).then(() => this.#readMoreIds());
    return this.#idsRead;
  }

  async #readAllIds(): Promise<void> {
    const { events, eventDatasetId, elsewhere } = this.#input;
    this.directory.setIds(elsewhere ?? (await internedTable(events, eventDatasetId, 'user', this.knownUsers)));
  }

  async #readMoreIds(): Promise<void> {
    const { events, eventDatasetId } = this.#input;
    const { storeNumbers } = this.directory;
    const silent = this.#silent.slice(this.#named.silent).map(({ storeUser }) => storeUser);
    const numbers = [...storeNumbers.subarray(this.#named.added), ...silent];
    this.#named = { added: storeNumbers.length, silent: this.#silent.length };
    for (let from = 0; from < numbers.length; from += IDS_AT_ONCE) {
      const some = numbers.slice(from, from + IDS_AT_ONCE);
      this.directory.addIds(some, await events.idsOf(eventDatasetId, 'user', some));
    }
  }

  /** Number of users of each kind. Call it after `others` has ended. */
  get counts(): UserCounts {
    const withHistory = this.directory.length - this.#silent.length - this.#recordUsers;
    return [withHistory, this.#silent.length, this.#recordUsers];
  }

  /** The rest, after `histories` has ended: users whose events say nothing, and users of the user dataset without events. */
  async *others(): AsyncGenerator<OtherUser[]> {
    const { users, userDatasetId, signal, range } = this.#input;
    for (let from = 0; from < this.#silent.length; from += ATTRIBUTE_BLOCK) {
      const silent = this.#silent.slice(from, from + ATTRIBUTE_BLOCK);
      const ids = silent.map(({ storeUser }) => this.directory.idOf(storeUser));
      const records = await users.getMany(userDatasetId, ids);
      yield silent.map(({ storeUser, seen }, n) => {
        const user = this.directory.length;
        this.directory.addWithEvents(storeUser);
        return { user, userId: ids[n], attributes: records[n]?.attributes ?? {}, seen };
      });
    }
    if (!range.records) return;
    if (isRecordsAlone(range)) this.directory.markKnown();
    for await (const records of users.scan(userDatasetId)) {
      signal?.throwIfAborted();
      const block: OtherUser[] = [];
      for (const { id, attributes } of records) {
        const user = this.directory.length;
        if (this.directory.addRecord(id)) block.push({ user, userId: id, attributes, seen: [] });
      }
      this.#recordUsers += block.length;
      if (block.length > 0) yield block;
    }
  }

  #foldUser({ user: storeUser, columns, from, to }: UserRun, batch: HistoryBatch): void {
    const oldest = Math.max(from, to - this.#input.historyLimit);
    const start = batch.offsets[batch.count];
    const length = this.#folder.fold({ columns, from: oldest, to }, batch, start, this.#input.nowMs);
    if (length > 0) {
      batch.end(length, this.#folder.others);
      this.directory.addWithEvents(storeUser);
    } else {
      this.#silent.push({ storeUser, seen: Array.from(this.#folder.others) });
    }
  }
}
