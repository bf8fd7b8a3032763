// The Database seam on PostgreSQL: a pool that opens connections as needed and replaces lost ones. Accounts share it by turns:
// short statements, writes and reads of many rows each have connections of their own.
import pg from 'pg';
import type { Database, SqlValue, Statement } from '../database.ts';
import { FairGate } from '../fair-gate.ts';
import { SESSION_NAME } from './older-processes.ts';
import { numbered } from './placeholders.ts';
import { isContention, storeError } from './postgres-error.ts';

const MAX_CONNECTIONS = 16;
/** Of these connections, those for short statements, for writing records and for reads of many rows; the rest is the service's. */
const SHORT = { places: 9, placesOfAccount: 8, waitingOfAccount: 2000 };
const WRITING = { places: 4, placesOfAccount: 3, waitingOfAccount: 2000 };
const LONG = { places: 2, placesOfAccount: 1, waitingOfAccount: 32 };

const CONNECT_TIMEOUT_MS = 5000;
const STATEMENT_TIMEOUT_MS = 30_000;
const MAX_ATTEMPTS = 5;
const INT8_OID = 20;
const NUMERIC_OID = 1700;

/** Integers and sums come back as numbers; Kindred's stay below 2^53. */
const types = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    oid === INT8_OID || oid === NUMERIC_OID
      ? Number
      : pg.types.getTypeParser(oid, format as 'text')) as typeof pg.types.getTypeParser,
};

export class PostgresDatabase implements Database {
  readonly dialect = 'postgres';
  readonly #pool: pg.Pool;
  readonly #short = new FairGate(SHORT);
  readonly #writing = new FairGate(WRITING);
  readonly #long = new FairGate(LONG);

  constructor(url: string, maxConnections = MAX_CONNECTIONS) {
    this.#pool = new pg.Pool({
      connectionString: url,
      max: maxConnections,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      idleTimeoutMillis: 60_000,
      keepAlive: true,
      application_name: SESSION_NAME,
      types,
      allowExitOnIdle: true,
      // Awaited before the connection is used. Durable whatever the server's default is.
      onConnect: (async (client: pg.PoolClient) => {
        client.on('error', () => {});
        await client.query(`SET synchronous_commit = on; SET statement_timeout = ${STATEMENT_TIMEOUT_MS}`);
      }) as unknown as pg.PoolConfig['onConnect'],
    });
    // A lost idle connection leaves the pool by itself; the next query opens another.
    this.#pool.on('error', () => {});
  }

  /** Also takes arrays, for `= ANY(?)`. */
  all<T>(sql: string, params: readonly (SqlValue | readonly string[])[] = []): Promise<T[]> {
    return this.#short.run(() => this.#query<T>({ text: numbered(sql), values: params as unknown[] }));
  }

  /** As `all`, planned once a connection: for reads whose planning costs more than running them. */
  allPrepared<T>(name: string, sql: string, params: readonly SqlValue[]): Promise<T[]> {
    return this.#short.run(() => this.#query<T>({ name, text: numbered(sql), values: params as unknown[] }));
  }

  /** As `all`, for reads of many rows. */
  allOfMany<T>(sql: string, params: readonly SqlValue[]): Promise<T[]> {
    return this.#long.run(() => this.#query<T>({ text: numbered(sql), values: params as unknown[] }));
  }

  atomic<T>(statements: readonly Statement[]): Promise<T[][]> {
    return this.#short.run(() =>
      this.transaction(async (client) => {
        const answers: T[][] = [];
        for (const { sql, params } of statements) {
          const { rows } = await client.query(numbered(sql), (params ?? []) as unknown[]);
          answers.push(rows);
        }
        return answers;
      }),
    );
  }

  /** A transaction that writes records. */
  writing<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    return this.#writing.run(() => this.transaction(work));
  }

  /** Runs the work in one transaction; again when the server made it give way to another. The work must be repeatable. */
  async transaction<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#transactionOnce(work);
      } catch (error) {
        if (!isContention(error) || attempt === MAX_ATTEMPTS) throw storeError(error);
      }
    }
  }

  /** A connection for the length of the work, e.g. to stream. */
  async connection<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    let client: pg.PoolClient;
    try {
      client = await this.#pool.connect();
    } catch (error) {
      throw storeError(error);
    }
    try {
      const result = await work(client);
      client.release();
      return result;
    } catch (error) {
      // Whatever state it is in, it does not go back to the pool.
      client.release(true);
      throw storeError(error);
    }
  }

  /** Runs the work while no other node runs work of that name. */
  exclusively<T>(name: string, work: () => Promise<T>): Promise<T> {
    return this.#long.run(() =>
      this.connection(async (client) => {
        await client.query('SELECT pg_advisory_lock(hashtextextended($1, 0))', [name]);
        // A failure closes the connection, and with it the lock.
        const result = await work();
        await client.query('SELECT pg_advisory_unlock(hashtextextended($1, 0))', [name]);
        return result;
      }),
    );
  }

  /** A connection the caller must release. */
  async connect(): Promise<pg.PoolClient> {
    try {
      return await this.#pool.connect();
    } catch (error) {
      throw storeError(error);
    }
  }

  async ping(): Promise<void> {
    await this.all('SELECT 1');
  }

  close(): Promise<void> {
    return this.#pool.end();
  }

  async #query<T>(config: pg.QueryConfig): Promise<T[]> {
    try {
      return (await this.#pool.query(config)).rows;
    } catch (error) {
      throw storeError(error);
    }
  }

  async #transactionOnce<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    const client = await this.#pool.connect();
    try {
      await client.query('BEGIN');
      const result = await work(client);
      await client.query('COMMIT');
      client.release();
      return result;
    } catch (error) {
      try {
        await client.query('ROLLBACK');
        client.release();
      } catch {
        client.release(true);
      }
      throw error;
    }
  }
}
