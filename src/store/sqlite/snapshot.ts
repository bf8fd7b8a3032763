// A consistent copy of the database file while others write to it, and what such a copy must be before it is used.
import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { type AppliedMigration, MIGRATION_TABLE_SQL, type Migration } from '../migrations/migration.ts';
import { openReaderConnection } from './connection.ts';

export interface SqliteHead {
  migrations: AppliedMigration[];
  tables: never[];
  /** keys of the model files that the database refers to */
  artifactKeys: string[];
}

/** VACUUM INTO reads one moment and writes a compact file, without what was deleted. */
export function snapshotSqlite(file: string, target: string): void {
  const source = openExisting(file);
  try {
    source.prepare('VACUUM INTO ?').run(target);
  } finally {
    source.close();
  }
}

export function readSqliteHead(file: string): SqliteHead {
  const db = openExisting(file);
  try {
    return headOf(db);
  } finally {
    db.close();
  }
}

/**
 * Checks a copy and returns its head: its pages are sound, and it contains our tables and indexes and nothing else. A foreign
 * trigger or view would run inside the service. `migrationsOf` says which migrations made it.
 */
export function checkSqliteCopy(
  file: string,
  migrationsOf: (applied: readonly AppliedMigration[]) => readonly Migration[],
): SqliteHead {
  const db = new DatabaseSync(file, { readOnly: true });
  try {
    db.exec('PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON');
    const [{ integrity_check: verdict }] = db.prepare('PRAGMA integrity_check(1)').all() as {
      integrity_check: string;
    }[];
    if (verdict !== 'ok') throw new Error(`its database is damaged: ${verdict}`);
    const isRecorded = db
      .prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'schema_migration'")
      .get();
    if (!isRecorded) throw new Error('its database was not made by Kindred');
    const head = headOf(db);
    const strange = differenceOf(schemaOf(db), schemaBy(migrationsOf(head.migrations)));
    if (strange !== undefined) throw new Error(`its database has a schema that is not ours: ${strange}`);
    if (db.prepare('PRAGMA foreign_key_check').all().length > 0) throw new Error('its database contradicts itself');
    return head;
  } catch (error) {
    const isOurs = error instanceof Error && !('errcode' in error);
    throw isOurs ? error : new Error('its database is damaged', { cause: error });
  } finally {
    db.close();
  }
}

function headOf(db: DatabaseSync): SqliteHead {
  const migrations = db.prepare('SELECT version, name FROM schema_migration ORDER BY version').all();
  const models = db.prepare('SELECT artifact_key FROM model').all() as { artifact_key: string }[];
  return {
    migrations: migrations.map((row) => ({ ...row })) as unknown as AppliedMigration[],
    tables: [],
    artifactKeys: models.map(({ artifact_key }) => artifact_key),
  };
}

/** Definitions by type and name, without the tables of SQLite itself. */
function schemaOf(db: DatabaseSync): Map<string, string> {
  const rows = db
    .prepare(
      "SELECT type || ' ' || name AS object, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\'",
    )
    .all() as { object: string; sql: string | null }[];
  return new Map(rows.map(({ object, sql }) => [object, (sql ?? '').replace(/\s+/g, ' ')]));
}

function schemaBy(migrations: readonly Migration[]): Map<string, string> {
  const db = new DatabaseSync(':memory:');
  try {
    db.exec(MIGRATION_TABLE_SQL);
    for (const { sql } of migrations) db.exec(sql.sqlite);
    return schemaOf(db);
  } finally {
    db.close();
  }
}

/** Returns the first object that only one of them has, or that differs. */
function differenceOf(found: Map<string, string>, expected: Map<string, string>): string | undefined {
  return [...found.keys(), ...expected.keys()].find((object) => found.get(object) !== expected.get(object));
}

function openExisting(file: string): DatabaseSync {
  if (!existsSync(file))
    throw new Error(`There is no database ${file}. If the service uses PostgreSQL, set KINDRED_DATABASE_URL.`);
  return openReaderConnection(file);
}
