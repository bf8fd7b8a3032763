// Other servers that keep events, as foreign servers of PostgreSQL (postgres_fdw). Their address and password are in the registry
// of the main server, where only the role of Kindred and superusers can read the password.
import pg from 'pg';
import { MoveRefused } from './move-refused.ts';

/** Rows that go over the network at a time. */
const OPTIONS = {
  fetch_size: '2000',
  batch_size: '1000',
  connect_timeout: '5',
  // As Kindred's own connections: a commit is on the disk when it returns.
  options: '-c synchronous_commit=on',
};
/** Of the address, as the driver and PostgreSQL's library both know them. */
const SSL_OPTIONS = ['sslmode', 'sslrootcert'];

/** The foreign server for the address, created if it is new. */
export async function serverFor(client: pg.ClientBase, url: string): Promise<string> {
  const address = new pg.Client({ connectionString: url });
  const { host, port, database = '', user = '' } = address;
  const password = typeof address.password === 'string' ? address.password : '';
  const ssl = SSL_OPTIONS.flatMap((name) => {
    const value = new URL(url).searchParams.get(name);
    return value === null ? [] : [[name, value]];
  });
  await client.query('CREATE EXTENSION IF NOT EXISTS postgres_fdw').catch((error: Error) => {
    throw new MoveRefused(
      `PostgreSQL's extension postgres_fdw is missing (${error.message}). As its superuser run: CREATE EXTENSION postgres_fdw; GRANT USAGE ON FOREIGN DATA WRAPPER postgres_fdw TO the role of Kindred.`,
    );
  });
  const place = { host, port: String(port), dbname: database };
  const { rows } = await client.query<{ name: string; options: string[] }>(
    "SELECT srvname AS name, srvoptions AS options FROM pg_foreign_server WHERE srvname LIKE 'kindred_events_%'",
  );
  const known = rows.find(({ options }) =>
    Object.entries(place).every(([name, value]) => options.includes(`${name}=${value}`)),
  );
  const server =
    known?.name ?? `kindred_events_${1 + Math.max(0, ...rows.map(({ name }) => Number(name.slice(15)) || 0))}`;
  if (known === undefined) {
    const options = { ...place, ...OPTIONS, ...Object.fromEntries(ssl) };
    await client.query(`CREATE SERVER ${server} FOREIGN DATA WRAPPER postgres_fdw OPTIONS (${listOf(options)})`);
  }
  // In one message and so in one transaction: others use it meanwhile. The password may be new.
  await client.query(
    `DROP USER MAPPING IF EXISTS FOR CURRENT_USER SERVER ${server};
     CREATE USER MAPPING FOR CURRENT_USER SERVER ${server} OPTIONS (${listOf({ user, ...(password && { password }) })})`,
  );
  return server;

  function listOf(options: Record<string, string>): string {
    return Object.entries(options)
      .map(([name, value]) => `${name} ${pg.escapeLiteral(value)}`)
      .join(', ');
  }
}

/** Runs the work on the foreign server itself, for what goes not through foreign tables. */
export async function onServer<T>(
  client: pg.ClientBase,
  server: string,
  work: (remote: pg.Client) => Promise<T>,
): Promise<T> {
  const { rows } = await client.query<{ options: string[] }>(
    'SELECT srvoptions || umoptions AS options FROM pg_user_mappings JOIN pg_foreign_server USING (srvname) WHERE srvname = $1 AND usename = current_user',
    [server],
  );
  const options = Object.fromEntries(
    (rows[0]?.options ?? []).map((option) => {
      const at = option.indexOf('=');
      return [option.slice(0, at), option.slice(at + 1)];
    }),
  );
  const remote = new pg.Client({
    ...{ host: options.host, port: Number(options.port), database: options.dbname },
    ...{ user: options.user, password: options.password, connectionTimeoutMillis: 5000 },
    ...(options.sslmode &&
      options.sslmode !== 'disable' && { ssl: { rejectUnauthorized: options.sslmode.startsWith('verify') } }),
  });
  remote.on('error', () => {});
  try {
    await remote.connect().catch((error: Error) => {
      throw new MoveRefused(`Cannot reach the server ${options.host}:${options.port}: ${error.message}`);
    });
    return await work(remote);
  } finally {
    await remote.end().catch(() => {});
  }
}
