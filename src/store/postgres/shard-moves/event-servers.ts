// Other servers that keep events, as foreign servers of PostgreSQL (postgres_fdw). Their address and password are in the registry
// of the main server, where only the role of Kindred and superusers can read the password.
//
// Calls of all nodes use the registry at once. So what changes in it is tried before it is committed: by a connection of the command,
// and by one of the main server.
import type pg from 'pg';
import { inTransaction } from './in-transaction.ts';
import { MoveRefused } from './move-refused.ts';
import { connected } from './remote-connection.ts';
import { changesOf, listOf, type Options, optionsOf, readAddress, type ServerAddress } from './server-address.ts';

/** Rows sent over the network at a time. */
const OPTIONS = {
  fetch_size: '2000',
  batch_size: '1000',
  connect_timeout: '5',
  // As on Kindred's own connections, a commit is on disk when it returns.
  options: '-c synchronous_commit=on',
};

interface KnownServer {
  name: string;
  options: Options;
  /** Null if this role has no user mapping. */
  login: Options | null;
}

/** Returns the foreign server at this address, or null. Changes nothing. */
export async function knownServer(client: pg.ClientBase, url: string): Promise<string | null> {
  const { place } = readAddress(url);
  return (await readServers(client)).find(isAt(place))?.name ?? null;
}

/**
 * Returns the foreign server at this address, and creates it if it is new. A different user, password or TLS option replaces the
 * stored one if it works.
 */
export async function serverFor(client: pg.ClientBase, url: string, say: (text: string) => void): Promise<string> {
  const address = readAddress(url);
  await createExtension(client);
  const servers = await readServers(client);
  const known = servers.find(isAt(address.place));
  const sql = known === undefined ? createSql(servers, address) : updateSql(known, address);
  const name = known?.name ?? nextName(servers);
  if (sql === '') return name;
  const { host, port } = address.place;
  const login = { user: address.user, ...(address.password && { password: address.password }) };
  await connected({ ...(known?.options ?? address.place), ...address.ssl, ...login }, (remote) =>
    refuseOthers(client, remote, name, address),
  );
  await inTransaction(client, async () => {
    await client.query(sql);
    await tryServer(client, name).catch((error: Error & { detail?: string }) => {
      throw new MoveRefused(`The main server cannot connect to ${host}:${port}: ${error.detail ?? error.message}`);
    });
  });
  if (known !== undefined) say(`The connection settings of ${host}:${port} are updated.`);
  return name;
}

async function createExtension(client: pg.ClientBase): Promise<void> {
  await client.query('CREATE EXTENSION IF NOT EXISTS postgres_fdw').catch((error: Error) => {
    throw new MoveRefused(
      `PostgreSQL's extension postgres_fdw is missing (${error.message}). As its superuser run: CREATE EXTENSION postgres_fdw; GRANT USAGE ON FOREIGN DATA WRAPPER postgres_fdw TO the role of Kindred.`,
    );
  });
}

async function readServers(client: pg.ClientBase): Promise<KnownServer[]> {
  const { rows } = await client.query<{ name: string; options: string[]; has_login: boolean; login: string[] | null }>(
    `SELECT s.srvname AS name, srvoptions AS options, umid IS NOT NULL AS has_login, umoptions AS login
     FROM pg_foreign_server s LEFT JOIN pg_user_mappings ON srvid = s.oid AND usename = current_user
     WHERE s.srvname LIKE 'kindred_events_%'`,
  );
  return rows.map(({ name, options, has_login, login }) => ({
    name,
    options: optionsOf(options),
    login: has_login ? optionsOf(login) : null,
  }));
}

const isAt =
  (place: Options) =>
  ({ options }: KnownServer): boolean =>
    Object.entries(place).every(([name, value]) => options[name] === value);

function nextName(servers: readonly KnownServer[]): string {
  return `kindred_events_${1 + Math.max(0, ...servers.map(({ name }) => Number(name.slice(15)) || 0))}`;
}

function createSql(servers: readonly KnownServer[], address: ServerAddress): string {
  const name = nextName(servers);
  const options = { ...address.place, ...OPTIONS, ...address.ssl };
  return `CREATE SERVER ${name} FOREIGN DATA WRAPPER postgres_fdw OPTIONS (${listOf(options)});
    ${createLoginSql(name, address)}`;
}

/** Returns an empty string if nothing differs. */
function updateSql({ name, options, login }: KnownServer, address: ServerAddress): string {
  const ofServer = changesOf(options, address.ssl);
  const ofLogin = login && changesOf(login, { user: address.user, password: address.password || null });
  return [
    ...(ofServer ? [`ALTER SERVER ${name} OPTIONS (${ofServer})`] : []),
    // The mapping is not dropped and created again: a running transaction would then open a second connection, which
    // does not see what the first one wrote.
    ...(ofLogin ? [`ALTER USER MAPPING FOR CURRENT_USER SERVER ${name} OPTIONS (${ofLogin})`] : []),
    ...(login === null ? [createLoginSql(name, address)] : []),
  ].join(';');
}

function createLoginSql(server: string, { user, password }: ServerAddress): string {
  const login = { user, ...(password && { password }) };
  return `CREATE USER MAPPING FOR CURRENT_USER SERVER ${server} OPTIONS (${listOf(login)})`;
}

/** Throws if the new user may connect but cannot use the tables that are in use. */
async function refuseOthers(client: pg.ClientBase, remote: pg.Client, server: string, to: ServerAddress) {
  const { rows: tables } = await client.query<{ options: string[] }>(
    'SELECT ftoptions AS options FROM pg_foreign_table JOIN pg_foreign_server s ON s.oid = ftserver WHERE srvname = $1',
    [server],
  );
  const used = tables.map(({ options }) => optionsOf(options));
  const { rows: denied } = await remote.query<{ name: string; owner: string }>(
    `SELECT tablename AS name, tableowner AS owner FROM pg_tables
     JOIN unnest($1::text[], $2::text[]) AS used (schema, name) ON schemaname = schema AND tablename = name
     WHERE NOT pg_has_role(tableowner, 'USAGE')`,
    [used.map(({ schema_name }) => schema_name), used.map(({ table_name }) => table_name)],
  );
  if (denied.length === 0) return;
  const [{ name, owner }] = denied;
  throw new MoveRefused(`${to.user} may not change the table ${name} on the other server. Use its owner, ${owner}.`);
}

/** Makes the main server connect with the options that this transaction changed. Imports nothing. */
async function tryServer(client: pg.ClientBase, server: string): Promise<void> {
  const { rows } = await client.query<{ here: string }>('SELECT quote_ident(current_schema()) AS here');
  await client.query(
    `IMPORT FOREIGN SCHEMA pg_catalog LIMIT TO (kindred_nothing) FROM SERVER ${server} INTO ${rows[0].here}`,
  );
}
