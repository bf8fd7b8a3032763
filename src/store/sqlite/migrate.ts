// Brings a SQLite file to the newest schema: all pending migrations in one transaction that holds the write lock, so that two
// processes starting at once do not run one twice, and a failed migration leaves the file as it was.
import type { DatabaseSync } from 'node:sqlite';
import {
  type AppliedMigration,
  type Fill,
  MIGRATION_TABLE_SQL,
  type Migration,
  pendingMigrations,
} from '../migrations/migration.ts';
import { beginImmediate, openWriterConnection } from './connection.ts';
import { countStoredInSqlite } from './count-stored.ts';

const FILLS: Record<Fill, (db: DatabaseSync, nowMs: number) => void> = { 'count stored events': countStoredInSqlite };

export function migrateSqlite(file: string, migrations: readonly Migration[], nowMs: number): void {
  const db = openWriterConnection(file);
  try {
    beginImmediate(db);
    try {
      db.exec(MIGRATION_TABLE_SQL);
      const applied = db.prepare('SELECT version, name FROM schema_migration').all() as unknown as AppliedMigration[];
      const record = db.prepare('INSERT INTO schema_migration (version, name, applied_ts) VALUES (?, ?, ?)');
      for (const migration of pendingMigrations(applied, migrations)) {
        db.exec(migration.sql.sqlite);
        if (migration.fill) FILLS[migration.fill](db, nowMs);
        record.run(migration.version, migration.name, nowMs);
      }
      db.exec('COMMIT');
    } catch (error) {
      if (db.isTransaction) db.exec('ROLLBACK');
      throw error;
    }
  } finally {
    db.close();
  }
}
