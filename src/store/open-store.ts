// Opens everything Kindred keeps: brings the database to the newest schema, then wires the stores over it.
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { type Runtime, systemRuntime } from '../base/runtime.ts';
import type { Store } from './store.ts';

export interface StoreConfig {
  dataDir: string;
  /** `postgres://…`; SQLite in the data folder when unset. */
  databaseUrl?: string | null;
  /**
   * Maximum connections to PostgreSQL; defaults to those of an API node. At least 2: a scan holds one while the ids of
   * its users are read on another.
   */
  connections?: number | undefined;
}

export const SQLITE_FILE = 'kindred.sqlite';

export async function openStore(config: StoreConfig, runtime: Runtime = systemRuntime): Promise<Store> {
  // Only the code of the database in use is loaded, which keeps commands fast to start.
  if (config.databaseUrl) {
    const { openPostgres } = await import('./postgres/open-postgres.ts');
    return openPostgres(config.databaseUrl, { maxConnections: config.connections, runtime });
  }
  mkdirSync(config.dataDir, { recursive: true, mode: 0o700 });
  const file = join(config.dataDir, SQLITE_FILE);
  // SQLite would create a file that others can read. Its log gets the same permissions as the file.
  closeSync(openSync(file, 'a', 0o600));
  const { openSqlite } = await import('./sqlite/open-sqlite.ts');
  return openSqlite(file, runtime);
}
