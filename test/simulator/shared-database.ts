// The database of all runs of a process: migrating takes longer than a run, so it is migrated once, and before each run it is put
// back to what runs begin with. No pragma is set for that: SQLite would then prepare every statement again.
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import type { Row } from '../../src/store/database.ts';
import { MIGRATIONS } from '../../src/store/migrations/index.ts';
import { CHANGE_TRIGGERS, type StoreChanges } from './store-changes.ts';

export interface SharedDatabase {
  readonly db: DatabaseSync;
  run(sql: string, params: readonly unknown[]): Row[];
}

interface Opened extends SharedDatabase {
  /** in the order in which they were created, so that a table comes after those it refers to */
  readonly tables: readonly string[];
  readonly empty: readonly StatementSync[];
  /** puts back what runs begin with */
  fill: readonly StatementSync[];
}

let opened: Opened | null = null;
let listening: StoreChanges | null = null;

/** As it was when `keepAsBeginning` was called, or empty. What changes from now on is told to `changes`. */
export function resetDatabase(changes: StoreChanges): SharedDatabase {
  opened ??= open();
  const { run, empty, fill } = opened;
  listening = null;
  run('BEGIN', []);
  for (const statement of empty) statement.run();
  listening = changes;
  for (const statement of fill) statement.run();
  run('COMMIT', []);
  return opened;
}

/** What is in the database now is what runs begin with. */
export function keepAsBeginning(): void {
  if (opened === null) throw new Error('No run has begun yet.');
  opened.fill = keep(opened.db, opened.tables);
}

function open(): Opened {
  const db = new DatabaseSync(':memory:');
  for (const migration of MIGRATIONS) {
    db.exec(migration.sql.sqlite);
    migration.fill?.sqlite(db);
  }
  const tables = db
    .prepare(`SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY rowid`)
    .all()
    .map(({ name }) => String(name));
  db.function('changed', (what, id) => {
    listening?.note(String(what), id as string | number);
    return null;
  });
  db.exec(CHANGE_TRIGGERS);
  const fill = keep(db, tables);
  const empty = [...tables].reverse().map((name) => db.prepare(`DELETE FROM main.${name}`));
  return { db, run: runner(db), tables, empty, fill };
}

/** Statements are prepared once. Rows come as arrays: making objects of them here takes a fraction of the time the driver takes. */
function runner(db: DatabaseSync): SharedDatabase['run'] {
  const prepared = new Map<string, { statement: StatementSync; names: string[] }>();
  return (sql, params) => {
    let known = prepared.get(sql);
    if (known === undefined) {
      const statement = db.prepare(sql);
      statement.setReturnArrays(true);
      known = { statement, names: statement.columns().map(({ name }) => name) };
      prepared.set(sql, known);
    }
    const { names } = known;
    const rows = known.statement.all(...(params as string[])) as unknown as Row[string][][];
    return rows.map((values) => {
      const row: Row = {};
      for (let n = 0; n < names.length; n++) row[names[n]] = values[n];
      return row;
    });
  };
}

function keep(db: DatabaseSync, tables: readonly string[]): StatementSync[] {
  const filled = tables.filter((name) => db.prepare(`SELECT 1 FROM main.${name} LIMIT 1`).get() !== undefined);
  for (const name of filled) {
    db.exec(`DROP TABLE IF EXISTS temp.first_${name}; CREATE TEMP TABLE first_${name} AS SELECT * FROM main.${name}`);
  }
  return filled.map((name) => db.prepare(`INSERT INTO main.${name} SELECT * FROM temp.first_${name}`));
}
