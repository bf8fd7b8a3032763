// Opens everything Kindred keeps: brings the database to the newest schema, then wires the stores over it.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Database } from './database.ts';
import { MIGRATIONS } from './migrations/index.ts';
import { migrateSqlite } from './sqlite/migrate.ts';
import { SqliteDatabase } from './sqlite/sqlite-database.ts';
import { SqliteWriter } from './sqlite/writer.ts';

export interface StoreConfig {
  dataDir: string;
  /** `postgres://…`; SQLite in the data folder when unset. */
  databaseUrl?: string | null;
}

export const SQLITE_FILE = 'kindred.sqlite';

export async function openDatabase(config: StoreConfig): Promise<Database> {
  mkdirSync(config.dataDir, { recursive: true });
  const file = join(config.dataDir, SQLITE_FILE);
  migrateSqlite(file, MIGRATIONS);
  return new SqliteDatabase(file, new SqliteWriter(file));
}
