// All tables of a PostgreSQL database as binary COPY files of one moment, and back. Names of tables and columns come from our own
// migrations and the server's registry, never from a backup, so a new migration needs nothing here.
import { createReadStream, createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type pg from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import { type AppliedMigration, MIGRATION_TABLE_SQL, type Migration } from '../migrations/migration.ts';
import { readPartitions, STOP_WRITERS_SQL } from '../postgres/event-partitions.ts';
import type { PostgresDatabase } from '../postgres/postgres-database.ts';
import { WITHOUT_TIME_LIMIT_SQL, withoutTimeLimit } from '../postgres/silence-watch.ts';
import { type DumpedTable, ownTables } from './manifest.ts';

const MIGRATION_TABLE = 'schema_migration';

export interface PostgresHead {
  migrations: AppliedMigration[];
  tables: DumpedTable[];
  /** keys of the model files that the database refers to */
  artifactKeys: string[];
}

export function readPostgresHead(database: PostgresDatabase): Promise<PostgresHead> {
  return database.connection(headOf);
}

/** Writes `<table>.copy` into the folder for each table. */
export function dumpPostgres(database: PostgresDatabase, folder: string): Promise<PostgresHead> {
  return database.connection(async (client) => {
    const isSpread = await beginAtOneMoment(database, client);
    const head = await headOf(client);
    for (const { table, columns } of head.tables) {
      const condition = isSpread && table === 'event' ? IS_STAYING : 'true';
      // A query, as COPY does not read the partitions of a table.
      const stream = client.query(
        copyTo(`COPY (SELECT ${columns.join(', ')} FROM ${table} WHERE ${condition}) TO STDOUT (FORMAT binary)`),
      );
      await pipeline(stream, createWriteStream(join(folder, `${table}.copy`), { mode: 0o600 }));
    }
    await client.query('COMMIT');
    return head;
  });
}

/**
 * An event that moves to a user of this server is here already while its old copy waits to be deleted on the other server. This
 * condition dumps it once.
 */
const IS_STAYING = `NOT EXISTS (SELECT 1 FROM event_outbox o
  WHERE o.gone AND o.dataset_no = event.dataset_no AND o.event_id = event.event_id AND o.place = event.place)`;

/**
 * Starts the snapshot. With partitions on other servers, writers wait for some milliseconds so that all servers are
 * read at the same moment. Returns whether there are such partitions.
 */
async function beginAtOneMoment(database: PostgresDatabase, client: pg.PoolClient): Promise<boolean> {
  const begin = `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; ${WITHOUT_TIME_LIMIT_SQL}`;
  const remote = (await readPartitions(client)).filter(({ isRemote }) => isRemote);
  if (remote.length === 0) {
    await client.query(begin);
    return false;
  }
  await database.connection(async (writer) => {
    await writer.query(`BEGIN; ${STOP_WRITERS_SQL}`);
    await client.query(begin);
    // The first read of a server decides what the transaction sees of it.
    for (const { table } of remote) await client.query(`SELECT 1 FROM ${table} LIMIT 1`);
    await writer.query('COMMIT');
  });
  return true;
}

export interface PostgresLoad {
  /** Holds `<table>.copy` for each table. */
  folder: string;
  migrations: readonly Migration[];
  /** The tables listed in the backup. It is refused if they differ from those our migrations create. */
  tables: readonly DumpedTable[];
  /** Throws when the backup lacks the files of these models. */
  checkArtifacts(artifactKeys: readonly string[]): void;
}

/** Creates the schema of the backup's version and fills it, in one transaction. The database must be empty. */
export async function loadPostgres(database: PostgresDatabase, load: PostgresLoad): Promise<void> {
  await database.transaction(async (client) => {
    await withoutTimeLimit(client);
    await client.query(MIGRATION_TABLE_SQL);
    for (const { version, name, sql } of load.migrations) {
      await client.query(sql.postgres);
      await client.query(`INSERT INTO ${MIGRATION_TABLE} (version, name, applied_ts) VALUES ($1, $2, $3)`, [
        version,
        name,
        database.runtime.nowMs(),
      ]);
    }
    const tables = await tablesInOrder(client);
    if (!haveSameColumns(tables, load.tables)) throw new Error('its tables are not those of its version of Kindred');
    for (const { table, columns } of tables) {
      const stream = client.query(copyFrom(`COPY ${table} (${columns.join(', ')}) FROM STDIN (FORMAT binary)`));
      await pipeline(createReadStream(join(load.folder, `${table}.copy`)), stream);
    }
    await advanceIdentities(client);
    load.checkArtifacts(await artifactKeysOf(client));
  });
}

export async function hasTables(database: PostgresDatabase): Promise<boolean> {
  const rows = await database.all<{ name: string }>(
    'SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema() LIMIT 1',
  );
  return rows.length > 0;
}

async function headOf(client: pg.PoolClient): Promise<PostgresHead> {
  const { rows: migrations } = await client.query<AppliedMigration>(
    `SELECT version, name FROM ${MIGRATION_TABLE} ORDER BY version`,
  );
  return { migrations, tables: await tablesInOrder(client), artifactKeys: await artifactKeysOf(client) };
}

async function artifactKeysOf(client: pg.PoolClient): Promise<string[]> {
  const { rows } = await client.query<{ artifact_key: string }>('SELECT artifact_key FROM model');
  return rows.map(({ artifact_key }) => artifact_key);
}

function haveSameColumns(ours: readonly DumpedTable[], theirs: readonly DumpedTable[]): boolean {
  const words = (tables: readonly DumpedTable[]) => tables.map(({ table, columns }) => [table, ...columns].join(' '));
  return words(ours).sort().join('\n') === words(theirs).sort().join('\n');
}

/** Lists the tables in an order that satisfies foreign keys. */
async function tablesInOrder(client: pg.PoolClient): Promise<DumpedTable[]> {
  const { rows } = await client.query<{ table: string; columns: string[] }>(
    `SELECT quote_ident(table_name) AS table, array_agg(quote_ident(column_name) ORDER BY ordinal_position)::text[] AS columns
     FROM information_schema.columns WHERE table_schema = current_schema() AND table_name = ANY($1)
     GROUP BY table_name ORDER BY table_name`,
    [ownTables('postgres')],
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

/** COPY brings the numbers, but does not advance the sequence that assigns the next one. */
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
