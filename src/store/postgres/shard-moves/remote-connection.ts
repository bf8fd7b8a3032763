// Connections of the command itself to another server, for what cannot go through foreign tables.
import pg from 'pg';
import { ServerUnreachable } from './move-refused.ts';
import { type Options, optionsOf } from './server-address.ts';
import { tlsOf } from './tls-options.ts';

/** Runs the work on the foreign server. */
export async function onServer<T>(
  client: pg.ClientBase,
  server: string,
  work: (remote: pg.Client) => Promise<T>,
): Promise<T> {
  const { rows } = await client.query<{ options: string[] }>(
    'SELECT srvoptions || umoptions AS options FROM pg_user_mappings JOIN pg_foreign_server USING (srvname) WHERE srvname = $1 AND usename = current_user',
    [server],
  );
  return connected(optionsOf(rows[0]?.options ?? null), work);
}

/** Runs the work on a server with these options, whether it is registered already or not. */
export async function connected<T>(options: Options, work: (remote: pg.Client) => Promise<T>): Promise<T> {
  const remote = new pg.Client({
    host: options.host,
    port: Number(options.port),
    database: options.dbname,
    user: options.user,
    password: options.password,
    connectionTimeoutMillis: 5000,
    ssl: tlsOf(options),
  });
  remote.on('error', () => {});
  try {
    await remote.connect().catch((error: Error) => {
      throw new ServerUnreachable(`${options.host}:${options.port}/${options.dbname}`, error.message);
    });
    return await work(remote);
  } finally {
    await remote.end().catch(() => {});
  }
}
