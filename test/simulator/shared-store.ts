// What all machines share: the real stores over one SQLite database in memory, which runs one transaction after the other. Items are a
// model of their store (shared-records.ts): the real one is tested against such a model in test/support/store-suite.ts.
import { systemRuntime } from '../../src/base/runtime.ts';
import { ConstraintViolation, type Database, type Row, type Statement } from '../../src/store/database.ts';
import type { EventStore } from '../../src/store/event-store.ts';
import { createSqlStores } from '../../src/store/sql/sql-stores.ts';
import { isConstraintError } from '../../src/store/sqlite/sqlite-error.ts';
import type { Store } from '../../src/store/store.ts';
import type { Machine } from './machine.ts';
import type { Network } from './network.ts';
import { resetDatabase, type SharedDatabase } from './shared-database.ts';
import { SharedEvents } from './shared-events.ts';
import { type Call, SharedRecords } from './shared-records.ts';
import { StoreChanges } from './store-changes.ts';

/** Fewer than a run has, so that forgetting them happens. */
const KEPT_CHANGES = 12;

export class SharedStore {
  readonly records: SharedRecords;
  /** of model and result files */
  readonly files = new Set<string>();
  readonly changes: StoreChanges;
  readonly #shared: SharedDatabase;
  readonly #nowMs: () => number;
  readonly #events: SharedEvents;

  /** `keptChanges`: versions that the log of changed users goes back. */
  constructor(nowMs: () => number, keptChanges: number = KEPT_CHANGES) {
    this.#nowMs = nowMs;
    this.changes = new StoreChanges(nowMs);
    this.#shared = resetDatabase(this.changes);
    this.#events = new SharedEvents(this.#shared, nowMs, keptChanges);
    this.records = new SharedRecords(nowMs, this.#events);
  }

  /** At once, for set-up and checks. */
  rows(sql: string, ...params: (string | number)[]): Row[] {
    return this.#shared.run(sql, params);
  }

  deleteFile(key: string): void {
    if (this.files.delete(key)) this.changes.deletedFiles.push(key);
  }

  /** The store as a machine sees it. */
  seenFrom(machine: Machine, network: Network): Store {
    const database: Database = {
      dialect: 'sqlite',
      runtime: machine.runtime,
      all: <T>(sql: string, params: readonly unknown[] = []) =>
        network.call(machine, sql, () => this.rows(sql, ...(params as string[])) as T[]),
      // Many transactions begin with the same lock: the statement after it tells them apart.
      atomic: <T>(statements: readonly Statement[]) =>
        network.call(machine, (statements[1] ?? statements[0]).sql, () => this.#atomic(statements) as T[][]),
      ping: async () => {},
      close: async () => {},
    };
    const call: Call = (place, work) => network.call(machine, place, work);
    return {
      database,
      ...createSqlStores(database),
      items: this.records.items(call),
      events: eventsSeen(this.#events.open(), call),
    } as unknown as Store;
  }

  /** The store without delays or faults, for set-up. */
  direct(): Store {
    const database: Database = {
      dialect: 'sqlite',
      runtime: { ...systemRuntime, nowMs: this.#nowMs },
      all: async <T>(sql: string, params: readonly unknown[] = []) => this.rows(sql, ...(params as string[])) as T[],
      atomic: async <T>(statements: readonly Statement[]) => this.#atomic(statements) as T[][],
      ping: async () => {},
      close: async () => {},
    };
    return { database, ...createSqlStores(database) } as unknown as Store;
  }

  #atomic(statements: readonly Statement[]): Row[][] {
    const { run, atomic } = this.#shared;
    const rows = ({ sql, params = [] }: Statement) => run(sql, params);
    try {
      return statements.length === 1 ? [rows(statements[0])] : atomic(() => statements.map(rows));
    } catch (error) {
      throw isConstraintError(error) ? new ConstraintViolation(String(error)) : error;
    }
  }
}

/** What serving asks of events, over the network. */
function eventsSeen(store: EventStore, call: Call): EventStore {
  return {
    version: (datasetId) => call('event version', () => store.version(datasetId)),
    changesSince: (datasetId, version) => call('changed users', () => store.changesSince(datasetId, version)),
    history: (datasetId, userId, limit) => call('history', () => store.history(datasetId, userId, limit)),
  } as Partial<EventStore> as EventStore;
}
