// Creates and drops the tables of partitions, here and on other servers.
import type pg from 'pg';
import { createForeignTableSql, createTableSql, type Piece } from './event-table.ts';
import { ServerUnreachable } from './move-refused.ts';
import { onServer } from './remote-connection.ts';

/** `beforeNew` is called before a table is created: if a piece was removed between two runs, the rows copied into it are lost. */
export async function createTable(client: pg.PoolClient, piece: Piece, beforeNew: () => Promise<void>): Promise<void> {
  const create = async (on: pg.ClientBase): Promise<string> => {
    if (!(await hasTable(on, piece.table))) {
      await beforeNew();
      await on.query(createTableSql(piece));
    }
    return (await on.query<{ name: string }>('SELECT current_schema() AS name')).rows[0].name;
  };
  if (piece.server === null) return void (await create(client));
  await client.query(createForeignTableSql(piece, await onServer(client, piece.server, create)));
}

/**
 * Drops a table whose events are elsewhere by now. If its server is unreachable, the table stays there and `say` names
 * it, so that the move can end.
 */
export async function dropTable(
  client: pg.PoolClient,
  { table, server }: Pick<Piece, 'table' | 'server'>,
  say: (text: string) => void,
): Promise<void> {
  if (server === null) return void (await client.query(`DROP TABLE IF EXISTS ${table}`));
  try {
    await onServer(client, server, (remote) => remote.query(`DROP TABLE IF EXISTS ${table}`));
  } catch (error) {
    if (!(error instanceof ServerUnreachable)) throw error;
    const { message, place } = error;
    say(
      `${message}. The table ${table} may remain in ${place}. If that database comes back, run there: DROP TABLE ${table}`,
    );
  }
  await client.query(`DROP FOREIGN TABLE IF EXISTS ${table}`);
}

export async function hasTable(client: pg.ClientBase, table: string): Promise<boolean> {
  const { rows } = await client.query<{ oid: string | null }>('SELECT to_regclass($1)::text AS oid', [table]);
  return rows[0].oid !== null;
}

/** Returns the name of the server of a foreign table. */
export async function serverOf(client: pg.PoolClient, table: string): Promise<string> {
  const { rows } = await client.query<{ name: string }>(
    'SELECT srvname AS name FROM pg_foreign_table JOIN pg_foreign_server s ON s.oid = ftserver WHERE ftrelid = $1::regclass',
    [table],
  );
  return rows[0].name;
}
