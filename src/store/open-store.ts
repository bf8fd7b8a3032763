// Opens everything Kindred keeps: brings the database to the newest schema, then wires the stores over it.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { openPostgres } from './postgres/open-postgres.ts';
import { openSqlite } from './sqlite/open-sqlite.ts';
import type { Store } from './store.ts';

export interface StoreConfig {
  dataDir: string;
  /** `postgres://…`; SQLite in the data folder when unset. */
  databaseUrl?: string | null;
}

export const SQLITE_FILE = 'kindred.sqlite';

export async function openStore(config: StoreConfig): Promise<Store> {
  if (config.databaseUrl) return openPostgres(config.databaseUrl);
  mkdirSync(config.dataDir, { recursive: true });
  return openSqlite(join(config.dataDir, SQLITE_FILE));
}
