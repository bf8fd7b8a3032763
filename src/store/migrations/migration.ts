// Defines schema migrations, and finds those that a database still needs. Migrations are numbered, run in order at start under a
// lock, recorded in `schema_migration`, and never edited once released: a change is a new migration.
import { AppError } from '../../errors.ts';

export interface Migration {
  version: number;
  name: string;
  /** One script per dialect; several statements separated by semicolons. */
  sql: { sqlite: string; postgres: string };
  /** A change that SQL alone cannot compute from the existing rows. Runs in the same transaction. */
  fill?: Fill;
}

/** Names of such changes. Each database implements them in its `migrate.ts`. */
export type Fill = 'count stored events';

export interface AppliedMigration {
  version: number;
  name: string;
}

export const MIGRATION_TABLE_SQL = `CREATE TABLE IF NOT EXISTS schema_migration (
  version BIGINT PRIMARY KEY,
  name TEXT NOT NULL,
  applied_ts BIGINT NOT NULL
)`;

/** Returns the migrations to run, in order. Throws if a newer Kindred has changed the database. */
export function pendingMigrations(
  applied: readonly AppliedMigration[],
  known: readonly Migration[],
): readonly Migration[] {
  const knownVersions = new Set(known.map((migration) => migration.version));
  const unknown = applied.filter(({ version }) => !knownVersions.has(version));
  if (unknown.length > 0) {
    const newest = unknown.reduce((a, b) => (a.version > b.version ? a : b));
    throw new AppError(
      'STORE_UNAVAILABLE',
      `The database was written by a newer Kindred: it has schema migration ${newest.version} (${newest.name}), ` +
        `this one knows migrations up to ${Math.max(0, ...knownVersions)}. Start the newer version, or restore a backup made with this one.`,
    );
  }
  const done = new Set(applied.map(({ version }) => version));
  return known.filter(({ version }) => !done.has(version)).sort((a, b) => a.version - b.version);
}
