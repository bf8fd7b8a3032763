// A server of its own with a database that only a role with a password uses, as the other server of events would be.
import { readFileSync, writeFileSync } from 'node:fs';
import pg from 'pg';
import { type AnotherPostgres, anotherPostgres } from './postgres.ts';

export interface LoginPostgres extends AnotherPostgres {
  /** Of the database `events`. */
  addressFor(user: string, password?: string): string;
  /** As superuser, in the database `events`. */
  query<T extends object>(sql: string): Promise<T[]>;
}

/** Its roles `kindred`, the owner of the database, and `stranger` have the password `right`. */
export async function loginPostgres(): Promise<LoginPostgres> {
  const server = await anotherPostgres();
  const addressFor = (user: string, password = ''): string => {
    const address = new URL(server.url);
    return Object.assign(address, { username: user, password, pathname: '/events' }).href;
  };
  const [{ hba_file: file }] = await query<{ hba_file: string }>(server.url, 'SHOW hba_file');
  writeFileSync(file, `local all kindred,stranger scram-sha-256\n${readFileSync(file, 'utf8')}`);
  for (const sql of [
    "CREATE ROLE kindred LOGIN PASSWORD 'right'",
    "CREATE ROLE stranger LOGIN PASSWORD 'right'",
    'CREATE DATABASE events OWNER kindred',
    'SELECT pg_reload_conf()',
  ]) {
    await query(server.url, sql);
  }
  return { ...server, addressFor, query: (sql) => query(addressFor('postgres'), sql) };
}

async function query<T extends object>(url: string, sql: string): Promise<T[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return (await client.query<T>(sql).finally(() => client.end())).rows;
}
