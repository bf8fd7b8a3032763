// All tables of a PostgreSQL database as binary COPY files of one moment, and back. Everything about the tables comes from the
// server's own registry, so a new migration needs nothing here.
import { createReadStream, createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type pg from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import { type AppliedMigration, MIGRATION_TABLE_SQL, type Migration } from '../migrations/migration.ts';
import type { PostgresDatabase } from '../postgres/postgres-database.ts';
import type { DumpedTable } from './manifest.ts';

const MIGRATION_TABLE = 'schema_migration';

export interface PostgresDump {
  migrations: AppliedMigration[];
  tables: DumpedTable[];
}

/** Writes `<table>.copy` into the folder for each table. */
export function dumpPostgres(database: PostgresDatabase, folder: string): Promise<PostgresDump> {
  return database.connection(async (client) => {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL statement_timeout = 0');
    const { rows: migrations } = await client.query<AppliedMigration>(
      `SELECT version, name FROM ${MIGRATION_TABLE} ORDER BY version`,
    );
    const tables = await tablesInOrder(client);
    for (const { table, columns } of tables) {
      const stream = client.query(copyTo(`COPY ${table} (${columns.join(', ')}) TO STDOUT (FORMAT binary)`));
      await pipeline(stream, createWriteStream(join(folder, `${table}.copy`)));
    }
    await client.query('COMMIT');
    return { migrations, tables };
  });
}

/** Makes the schema as it was and fills it, in one transaction. The database must be empty. */
export async function loadPostgres(
  database: PostgresDatabase,
  folder: string,
  tables: readonly DumpedTable[],
  migrations: readonly Migration[],
): Promise<void> {
  await database.transaction(async (client) => {
    await client.query('SET LOCAL statement_timeout = 0');
    await client.query(MIGRATION_TABLE_SQL);
    for (const { version, name, sql } of migrations) {
      await client.query(sql.postgres);
      await client.query(`INSERT INTO ${MIGRATION_TABLE} (version, name, applied_ts) VALUES ($1, $2, $3)`, [
        version,
        name,
        Date.now(),
      ]);
    }
    for (const { table, columns } of tables) {
      const stream = client.query(copyFrom(`COPY ${table} (${columns.join(', ')}) FROM STDIN (FORMAT binary)`));
      await pipeline(createReadStream(join(folder, `${table}.copy`)), stream);
    }
    await advanceIdentities(client);
  });
}

export async function hasTables(database: PostgresDatabase): Promise<boolean> {
  const rows = await database.all<{ name: string }>(
    'SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema() LIMIT 1',
  );
  return rows.length > 0;
}

async function tablesInOrder(client: pg.PoolClient): Promise<DumpedTable[]> {
  const { rows } = await client.query<{ table: string; columns: string[] }>(
    `SELECT quote_ident(table_name) AS table, array_agg(quote_ident(column_name) ORDER BY ordinal_position)::text[] AS columns
     FROM information_schema.columns WHERE table_schema = current_schema() AND table_name <> $1
     GROUP BY table_name ORDER BY table_name`,
    [MIGRATION_TABLE],
  );
  const { rows: references } = await client.query<{ from: string; to: string }>(
    `SELECT conrelid::regclass::text AS from, confrelid::regclass::text AS to FROM pg_constraint
     WHERE contype = 'f' AND connamespace = current_schema()::regnamespace AND conrelid <> confrelid`,
  );
  const ordered: DumpedTable[] = [];
  const waiting = new Map(rows.map((row) => [row.table, row]));
  while (waiting.size > 0) {
    const free = [...waiting.values()].filter(
      ({ table }) => !references.some(({ from, to }) => from === table && waiting.has(to)),
    );
    if (free.length === 0) throw new Error('The tables refer to each other in a circle.');
    for (const row of free) {
      ordered.push(row);
      waiting.delete(row.table);
    }
  }
  return ordered;
}

/** COPY brings the numbers but not the counter that gives out the next. */
async function advanceIdentities(client: pg.PoolClient): Promise<void> {
  const { rows } = await client.query<{ table: string; column: string }>(
    `SELECT quote_ident(table_name) AS table, quote_ident(column_name) AS column FROM information_schema.columns
     WHERE table_schema = current_schema() AND is_identity = 'YES'`,
  );
  for (const { table, column } of rows) {
    await client.query(
      `SELECT setval(pg_get_serial_sequence('${table}', '${column}'), max(${column})) FROM ${table} HAVING max(${column}) IS NOT NULL`,
    );
  }
}
