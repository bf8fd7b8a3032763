// The entries with which a backup describes itself. The first, `manifest.json`, says which database it contains and the version
// of its schema. The last, `checksums.json`, proves that the file is complete.
//
// A backup may come from anywhere, so nothing it says becomes part of a path or a statement: names of tables and columns come
// from our own migrations, and names of entries are checked against what a backup can hold.
import { isBlobKey } from '../blob/blob-key.ts';
import { MODEL_PREFIX, RESULT_PREFIX } from '../blob-store.ts';
import { MIGRATIONS } from '../migrations/index.ts';
import { type AppliedMigration, type Migration, pendingMigrations } from '../migrations/migration.ts';

export const BACKUP_FORMAT = 1;
export const MANIFEST_ENTRY = 'manifest.json';
export const CHECKSUMS_ENTRY = 'checksums.json';
export const SQLITE_ENTRY = 'kindred.sqlite';
export const CREDENTIALS_ENTRY = 'credentials.json';
export const ARTIFACTS_PREFIX = 'artifacts/';

const TABLE_ENTRY = /^tables\/([a-z_]+)\.copy$/;
const MIB = 1024 * 1024;
/** Maximum bytes of the entries that are read into memory or that no other limit covers. */
const MAX_BYTES = new Map([
  [MANIFEST_ENTRY, MIB],
  [CREDENTIALS_ENTRY, MIB],
  [CHECKSUMS_ENTRY, 256 * MIB],
]);

export interface DumpedTable {
  table: string;
  columns: string[];
}

export interface Manifest {
  format: number;
  database: 'sqlite' | 'postgres';
  created_ts: number;
  migrations: AppliedMigration[];
  /** Empty for SQLite. */
  tables: DumpedTable[];
}

export function tableEntry(table: string): string {
  return `tables/${table}.copy`;
}

/** The tables that our migrations create, without the one that records migrations. Other tables of a database are ignored. */
export function ownTables(dialect: 'sqlite' | 'postgres'): string[] {
  const made = MIGRATIONS.flatMap(({ sql }) => [...sql[dialect].matchAll(/CREATE TABLE (\w+)/g)]);
  // A table may be created again under its name, when it is partitioned.
  return [...new Set(made.map(([, table]) => table))];
}

/** Returns why a backup cannot have this entry, or null. */
export function refuseEntry({ name, bytes }: { name: string; bytes: number }): string | null {
  const table = TABLE_ENTRY.exec(name)?.[1];
  if (table !== undefined) return ownTables('postgres').includes(table) ? null : `${name} is not a table of Kindred`;
  if (name.startsWith(ARTIFACTS_PREFIX)) {
    const key = name.slice(ARTIFACTS_PREFIX.length);
    const isOurs = isBlobKey(key) && (key.startsWith(MODEL_PREFIX) || key.startsWith(RESULT_PREFIX));
    return isOurs ? null : `${JSON.stringify(name)} is not a name a backup uses`;
  }
  if (name === SQLITE_ENTRY) return null;
  const limit = MAX_BYTES.get(name);
  if (limit === undefined) return `${JSON.stringify(name)} is not a name a backup uses`;
  return bytes <= limit ? null : `${name} is too large`;
}

/** Throws an Error that says what is wrong with the manifest. */
export function readManifest(text: string): Manifest {
  const manifest = JSON.parse(text) as Partial<Manifest> | null;
  if (manifest?.format !== BACKUP_FORMAT) {
    throw new Error(`it has format ${JSON.stringify(manifest?.format)}, this version reads ${BACKUP_FORMAT}`);
  }
  const { database, created_ts = 0, migrations, tables = [] } = manifest;
  if (database !== 'sqlite' && database !== 'postgres') throw new Error('its manifest names no database');
  if (!isArrayOf(migrations, isMigration)) throw new Error('its manifest names no migrations');
  if (!isArrayOf(tables, isTable)) throw new Error('its manifest names no tables');
  return { format: BACKUP_FORMAT, database, created_ts, migrations, tables };
}

/** Returns our migrations up to the schema of the backup. Throws if the backup is from a newer version. */
export function migrationsOf(applied: readonly AppliedMigration[]): readonly Migration[] {
  pendingMigrations(applied, MIGRATIONS);
  const made = MIGRATIONS.slice(0, applied.length);
  const isOurs = made.every(({ version, name }) => applied.some((one) => one.version === version && one.name === name));
  if (!isOurs || applied.length === 0) throw new Error('its schema was not made by Kindred');
  return made;
}

function isArrayOf<T>(value: unknown, isOne: (entry: unknown) => entry is T): value is T[] {
  return Array.isArray(value) && value.length < 1000 && value.every(isOne);
}

function isMigration(value: unknown): value is AppliedMigration {
  const { version, name } = (value ?? {}) as Partial<AppliedMigration>;
  return Number.isInteger(version) && typeof name === 'string';
}

function isTable(value: unknown): value is DumpedTable {
  const { table, columns } = (value ?? {}) as Partial<DumpedTable>;
  return typeof table === 'string' && isArrayOf(columns, (column) => typeof column === 'string');
}
