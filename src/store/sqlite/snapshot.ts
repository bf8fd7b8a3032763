// A consistent copy of the database file while others write to it: VACUUM INTO reads one moment and writes a compact file.
import { existsSync } from 'node:fs';
import type { AppliedMigration } from '../migrations/migration.ts';
import { openReaderConnection } from './connection.ts';

/** Answers the migrations the copy has seen. */
export function snapshotSqlite(file: string, target: string): AppliedMigration[] {
  if (!existsSync(file)) throw new Error(`There is no database ${file}.`);
  const source = openReaderConnection(file);
  try {
    source.prepare('VACUUM INTO ?').run(target);
  } finally {
    source.close();
  }
  const copy = openReaderConnection(target);
  try {
    return copy
      .prepare('SELECT version, name FROM schema_migration ORDER BY version')
      .all() as unknown as AppliedMigration[];
  } finally {
    copy.close();
  }
}
