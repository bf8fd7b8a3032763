// Brings a PostgreSQL database to the newest schema, in one transaction under an advisory lock: nodes that start at once wait
// for each other, and a failed migration leaves the database as it was.
import type { ClientBase } from 'pg';
import {
  type AppliedMigration,
  type Fill,
  MIGRATION_TABLE_SQL,
  type Migration,
  pendingMigrations,
} from '../migrations/migration.ts';
import { countStoredInPostgres } from './count-stored.ts';
import { guardOlderProcesses } from './older-processes.ts';
import type { PostgresDatabase } from './postgres-database.ts';
import { withoutTimeLimit } from './silence-watch.ts';

const FILLS: Record<Fill, (client: ClientBase, nowMs: number) => Promise<void>> = {
  'count stored events': countStoredInPostgres,
};

/** Key of an advisory lock, "kindr" in ASCII. Any constant would do. */
const MIGRATION_LOCK = 0x6b696e6472;

export async function migratePostgres(database: PostgresDatabase, migrations: readonly Migration[]): Promise<void> {
  await database.transaction(async (client) => {
    const nowMs = database.runtime.nowMs();
    await withoutTimeLimit(client);
    await client.query('SELECT pg_advisory_xact_lock($1)', [MIGRATION_LOCK]);
    await client.query(MIGRATION_TABLE_SQL);
    const { rows } = await client.query<AppliedMigration>('SELECT version, name FROM schema_migration');
    const pending = pendingMigrations(rows, migrations);
    if (pending.length > 0 && rows.length > 0) await guardOlderProcesses(client);
    for (const migration of pending) {
      await client.query(migration.sql.postgres);
      if (migration.fill) await FILLS[migration.fill](client, nowMs);
      await client.query('INSERT INTO schema_migration (version, name, applied_ts) VALUES ($1, $2, $3)', [
        migration.version,
        migration.name,
        nowMs,
      ]);
    }
  });
}
