// The database of all runs of a process: migrating takes longer than a run, so it is migrated once. Each run is one transaction, which
// is rolled back before the next one: that is cheaper than emptying tables, and a write copies each page it changes once in a run.
import { DatabaseSync } from 'node:sqlite';
import type { Row } from '../../src/store/database.ts';
import { MIGRATIONS } from '../../src/store/migrations/index.ts';
import { Statements } from './statements.ts';
import { CHANGE_TRIGGERS, type StoreChanges } from './store-changes.ts';

export interface SharedDatabase {
  run(sql: string, params: readonly unknown[]): Row[];
  /** to prepare statements on */
  readonly connection: DatabaseSync;
  /** All of it or nothing. */
  atomic<T>(work: () => T): T;
}

type Change = readonly [what: string, id: string | number];

interface Opened extends SharedDatabase {
  readonly db: DatabaseSync;
  readonly statements: Statements;
}

let opened: Opened | null = null;
let listening: StoreChanges | null = null;
/** what was told of the rows that runs begin with */
let beginning: readonly Change[] | null = null;
let heard: Change[] = [];

/** As it was when `keepAsBeginning` was called, or empty. What changes from now on, and what it begins with, is told to `changes`. */
export function resetDatabase(changes: StoreChanges): SharedDatabase {
  opened ??= open();
  const { db, statements } = opened;
  if (db.isTransaction) db.exec('ROLLBACK');
  db.exec('BEGIN');
  statements.forget();
  heard = [];
  for (const [what, id] of beginning ?? []) changes.note(what, id);
  listening = changes;
  return opened;
}

/** What is in the database now is what runs begin with. */
export function keepAsBeginning(): void {
  if (opened === null) throw new Error('No run has begun yet.');
  opened.db.exec('COMMIT; BEGIN');
  beginning = heard;
}

function open(): Opened {
  const db = new DatabaseSync(':memory:');
  // A write copies the pages it changes, so small ones.
  db.exec('PRAGMA page_size = 1024');
  for (const { sql } of MIGRATIONS) db.exec(sql.sqlite);
  db.function('changed', (what, id) => {
    const change = [String(what), id as string | number] as const;
    if (beginning === null) heard.push(change);
    listening?.note(...change);
    return null;
  });
  db.exec(CHANGE_TRIGGERS);
  const statements = new Statements(db);
  const atomic = <T>(work: () => T): T => {
    statements.run('SAVEPOINT whole', []);
    try {
      return work();
    } catch (error) {
      statements.run('ROLLBACK TO whole', []);
      statements.forget();
      throw error;
    } finally {
      statements.run('RELEASE whole', []);
    }
  };
  const connection = { prepare: (sql: string) => statements.prepare(sql) } as unknown as DatabaseSync;
  return { db, statements, connection, run: (sql, params) => statements.run(sql, params), atomic };
}
