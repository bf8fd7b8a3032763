// What all machines share. Jobs, models, deployments, nodes and automation are the real stores over one SQLite database in
// memory, which runs one transaction after the other. Items and events are a model of theirs (shared-records.ts): the real ones are
// tested against the same model in test/support/store-suite.ts.
import { DatabaseSync } from 'node:sqlite';
import { ConstraintViolation, type Database, type Row, type Statement } from '../../src/store/database.ts';
import { MIGRATIONS } from '../../src/store/migrations/index.ts';
import { createSqlStores } from '../../src/store/sql/sql-stores.ts';
import { PreparedStatements } from '../../src/store/sqlite/prepared-statements.ts';
import { isConstraintError } from '../../src/store/sqlite/sqlite-error.ts';
import type { Store } from '../../src/store/store.ts';
import type { Machine } from './machine.ts';
import { callStore, type NetworkFaults } from './network.ts';
import { SharedRecords } from './shared-records.ts';

/** One database per process, emptied before each run: migrating takes longer than a run. */
let opened: { db: DatabaseSync; prepared: PreparedStatements; empty: string } | null = null;

function openEmpty(): { db: DatabaseSync; prepared: PreparedStatements } {
  if (opened === null) {
    const db = new DatabaseSync(':memory:');
    for (const migration of MIGRATIONS) {
      db.exec(migration.sql.sqlite);
      migration.fill?.sqlite(db);
    }
    const tables = db
      .prepare(`SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'`)
      .all()
      .map(({ name }) => String(name));
    const filled = tables.filter((name) => db.prepare(`SELECT 1 FROM ${name} LIMIT 1`).get() !== undefined);
    for (const name of filled) db.exec(`CREATE TEMP TABLE first_${name} AS SELECT * FROM ${name}`);
    const empty = [
      'PRAGMA foreign_keys = OFF; BEGIN;',
      ...tables.map((name) => `DELETE FROM ${name};`),
      ...filled.map((name) => `INSERT INTO ${name} SELECT * FROM first_${name};`),
      'COMMIT; PRAGMA foreign_keys = ON;',
    ].join('\n');
    opened = { db, prepared: new PreparedStatements(db), empty };
  }
  opened.db.exec(opened.empty);
  return opened;
}

/** Writes that no invariant depends on. */
const IS_HEARTBEAT = /^(INSERT INTO node|UPDATE job SET heartbeat = heartbeat \+ 1)/;

export class SharedStore {
  readonly records: SharedRecords;
  /** of model and result files */
  readonly files = new Set<string>();
  modelDeletions = 0;
  /** True after a write that an invariant may depend on; whoever checks sets it back. */
  isChanged = true;
  readonly #db: DatabaseSync;
  readonly #prepared: PreparedStatements;

  constructor(nowMs: () => number) {
    const { db, prepared } = openEmpty();
    this.#db = db;
    this.#prepared = prepared;
    this.records = new SharedRecords(nowMs);
  }

  /** At once, for set-up and checks. */
  rows(sql: string, ...params: (string | number)[]): Row[] {
    return this.#prepared.of(sql).all(...params) as Row[];
  }

  /** The store as a machine sees it. */
  seenFrom(machine: Machine, faults: NetworkFaults): Store {
    const database: Database = {
      dialect: 'sqlite',
      all: <T>(sql: string, params: readonly unknown[] = []) =>
        callStore(machine, faults, () => this.rows(sql, ...(params as string[])) as T[]),
      atomic: <T>(statements: readonly Statement[]) =>
        callStore(machine, faults, () => this.#atomic(statements) as T[][]),
      ping: async () => {},
      close: async () => {},
    };
    const call = <T>(work: () => T) => callStore(machine, faults, work);
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
      all: async <T>(sql: string, params: readonly unknown[] = []) => this.rows(sql, ...(params as string[])) as T[],
      atomic: async <T>(statements: readonly Statement[]) => this.#atomic(statements) as T[][],
      ping: async () => {},
      close: async () => {},
    };
    return { database, ...createSqlStores(database) } as unknown as Store;
  }

  #atomic(statements: readonly Statement[]): Row[][] {
    if (statements.some(({ sql }) => sql.startsWith('DELETE FROM model'))) this.modelDeletions++;
    this.isChanged ||= statements.some(({ sql }) => !IS_HEARTBEAT.test(sql));
    this.#db.exec('BEGIN');
    try {
      const rows = statements.map(
        ({ sql, params }) => this.#prepared.of(sql).all(...((params ?? []) as string[])) as Row[],
      );
      this.#db.exec('COMMIT');
      return rows;
    } catch (error) {
      this.#db.exec('ROLLBACK');
      throw isConstraintError(error) ? new ConstraintViolation(String(error)) : error;
    }
  }
}
