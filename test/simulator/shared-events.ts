// The real store of events on the simulated database, with what its writer thread does (src/store/sqlite/writer-thread.ts): a command
// is one transaction.
import type { Dataset } from '../../src/domain/dataset.ts';
import { MERGE_CHUNK } from '../../src/store/merge-users.ts';
import { joinSteps } from '../../src/store/sqlite/merge-users.ts';
import { outcomeSteps } from '../../src/store/sqlite/outcome-steps.ts';
import type { SqliteReader } from '../../src/store/sqlite/reader.ts';
import type { Erasure } from '../../src/store/sqlite/remains-cleaner.ts';
import type { ScanThreads } from '../../src/store/sqlite/scan-threads.ts';
import type { SqliteDatabase } from '../../src/store/sqlite/sqlite-database.ts';
import { SqliteEventStore } from '../../src/store/sqlite/sqlite-event-store.ts';
import { eventWriter } from '../../src/store/sqlite/write-events.ts';
import { outcomeWriter } from '../../src/store/sqlite/write-outcomes.ts';
import { targetOf, type WriteCommand } from '../../src/store/sqlite/write-protocol.ts';
import { recordWriter } from '../../src/store/sqlite/write-records.ts';
import type { SqliteWriter } from '../../src/store/sqlite/writer.ts';
import { ACCOUNT } from './names.ts';
import type { SharedDatabase } from './shared-database.ts';

const datasetOf = (kind: 'user' | 'event'): Dataset => ({
  account_id: ACCOUNT,
  dataset_id: `${kind}s`,
  kind,
  name: 'test',
  num_shards: 1,
  attribute_schema: null,
  num_records: 0,
  created_ts: 1,
});
const USERS = datasetOf('user');
export const EVENTS = datasetOf('event');

type Run = (command: WriteCommand, nowMs: number) => unknown;

/** Of a database, which keeps its statements. */
const writers = new WeakMap<SharedDatabase, { run: Run; ended: (committed: boolean) => void }>();

/** For a run: what it writes is seen by all that are opened in it. */
export class SharedEvents {
  readonly #database: SharedDatabase;
  readonly #run: Run;
  readonly #keptChanges: number;
  readonly #nowMs: () => number;

  /** `keptChanges`: versions that the log of changed users goes back. */
  constructor(database: SharedDatabase, nowMs: () => number, keptChanges: number) {
    const writer = writers.get(database) ?? writerOf(database);
    writers.set(database, writer);
    // The runs before were rolled back.
    writer.ended(false);
    this.#database = database;
    this.#run = writer.run;
    this.#keptChanges = keptChanges;
    this.#nowMs = nowMs;
  }

  /** As a process opens it, with caches of its own. What it writes is written before the call returns. */
  open(): SqliteEventStore {
    const { run } = this.#database;
    const reading = (sql: string) => ({
      get: (...params: unknown[]) => run(sql, params)[0],
      all: (...params: unknown[]) => run(sql, params),
    });
    const writer = { submit: async (command: WriteCommand) => this.#write(command) };
    return new SqliteEventStore(
      { reading } as unknown as SqliteDatabase,
      writer as unknown as SqliteWriter,
      {} as SqliteReader,
      {} as ScanThreads,
    );
  }

  /** As the store's mergeUsers. */
  merge(from: string, into: string): void {
    const targets = { target: targetOf(EVENTS), userTarget: targetOf(USERS) };
    this.#write({ kind: 'merge-users', ...targets, from, into, maxEvents: MERGE_CHUNK });
  }

  #write(command: WriteCommand): unknown {
    const result = this.#run(command, this.#nowMs());
    this.#database.run(
      'DELETE FROM event_change WHERE version <= (SELECT version FROM dataset_count WHERE dataset_id = ?) - ?',
      [EVENTS.dataset_id, this.#keptChanges],
    );
    return result;
  }
}

const nothingDue: Erasure = { due: () => {}, logDue: () => {} };

function writerOf({ connection, atomic }: SharedDatabase): { run: Run; ended: (committed: boolean) => void } {
  const lists = outcomeSteps(connection);
  const events = eventWriter(connection, lists, nothingDue);
  const outcomes = outcomeWriter(connection, lists);
  const records = recordWriter(connection, nothingDue);
  const act = (command: WriteCommand, nowMs: number): unknown => {
    if (command.kind === 'upsert-events') return events.upsert(command, nowMs);
    if (command.kind === 'delete-events') return events.delete(command, nowMs);
    if (command.kind === 'delete-places') return events.deletePlaces(command, nowMs);
    if (command.kind !== 'merge-users') throw new Error(`Nothing in a run writes ${command.kind}.`);
    return joinSteps(records.merge(command, nowMs), () => {
      outcomes.merge(command);
      return events.move(command, nowMs);
    });
  };
  const run = (command: WriteCommand, nowMs: number): unknown => {
    let isDone = false;
    try {
      const result = atomic(() => act(command, nowMs));
      isDone = true;
      return result;
    } finally {
      events.ended(isDone);
    }
  };
  return { run, ended: events.ended };
}
