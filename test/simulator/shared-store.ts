// What all machines share. Jobs, models, deployments, nodes and automation are the real stores over one SQLite database in
// memory, which runs one transaction after the other. Items and events are a model of theirs (shared-records.ts): the real ones are
// tested against the same model in test/support/store-suite.ts.

import { systemRuntime } from '../../src/domain/runtime.ts';
import { ConstraintViolation, type Database, type Row, type Statement } from '../../src/store/database.ts';
import { createSqlStores } from '../../src/store/sql/sql-stores.ts';
import { isConstraintError } from '../../src/store/sqlite/sqlite-error.ts';
import type { Store } from '../../src/store/store.ts';
import type { Machine } from './machine.ts';
import type { Network } from './network.ts';
import { resetDatabase, type SharedDatabase } from './shared-database.ts';
import { SharedRecords } from './shared-records.ts';
import { StoreChanges } from './store-changes.ts';

export class SharedStore {
  readonly records: SharedRecords;
  /** of model and result files */
  readonly files = new Set<string>();
  readonly changes: StoreChanges;
  readonly #shared: SharedDatabase;
  readonly #nowMs: () => number;

  constructor(nowMs: () => number, keptChanges?: number) {
    this.#nowMs = nowMs;
    this.changes = new StoreChanges(nowMs);
    this.#shared = resetDatabase(this.changes);
    this.records = new SharedRecords(nowMs, keptChanges);
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
    const call = <T>(place: string, work: () => T) => network.call(machine, place, work);
    return {
      database,
      ...createSqlStores(database),
      items: this.records.items(call),
      events: this.records.events(call),
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
