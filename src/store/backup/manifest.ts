// What a backup says about itself. The first entry, `manifest.json`, tells what is inside; the last, `checksums.json`, proves
// that the file is whole.
import type { AppliedMigration } from '../migrations/migration.ts';

export const BACKUP_FORMAT = 1;
export const MANIFEST_ENTRY = 'manifest.json';
export const CHECKSUMS_ENTRY = 'checksums.json';
export const SQLITE_ENTRY = 'kindred.sqlite';
export const CREDENTIALS_ENTRY = 'credentials.json';
export const TABLES_PREFIX = 'tables/';
export const ARTIFACTS_PREFIX = 'artifacts/';

export interface DumpedTable {
  table: string;
  columns: string[];
}

export interface Manifest {
  format: number;
  database: 'sqlite' | 'postgres';
  created_ts: number;
  migrations: AppliedMigration[];
  /** PostgreSQL only, in an order in which foreign keys hold. */
  tables: DumpedTable[];
}
