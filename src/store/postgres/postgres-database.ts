// The Database seam on PostgreSQL: a pool that opens connections as needed and replaces lost ones. Accounts share it by turns:
// short statements, writes and reads of many rows each have connections of their own.
import pg from 'pg';
import { type Runtime, systemRuntime } from '../../base/runtime.ts';
import type { Database, SqlValue, Statement } from '../database.ts';
import { FairGate } from '../fair-gate.ts';
import { DatabaseHistory } from './database-history.ts';
import { KEEP_PARTITIONS_SQL } from './event-partitions.ts';
import { SESSION_NAME } from './older-processes.ts';
import { numbered } from './placeholders.ts';
import { isContention, isLost, storeError } from './postgres-error.ts';
import { SilenceWatch } from './silence-watch.ts';

/** Maximum connections of an API node. Threads of a worker have fewer (src/jobs/connections.ts). */
const MAX_CONNECTIONS = 16;
/**
 * Connections for short statements, for writing records and for reads of many rows. The remaining one is for the
 * service itself.
 */
const SHORT = { places: 9, placesOfAccount: 8, waitingOfAccount: 2000 };
const WRITING = { places: 4, placesOfAccount: 3, waitingOfAccount: 2000 };
const LONG = { places: 2, placesOfAccount: 1, waitingOfAccount: 32 };

const CONNECT_TIMEOUT_MS = 5000;
const STATEMENT_TIMEOUT_MS = 30_000;
/** Longer than the statement timeout, so that the server ends a statement first. */
const LONGEST_SILENCE_MS = STATEMENT_TIMEOUT_MS + 5000;
/**
 * A machine that is paused or cut off in the middle of a transaction holds its locks, and writers on other nodes wait for them. The
 * server does not notice for hours that such a client is gone: it ends the transaction after this time without a statement.
 */
const IDLE_IN_TRANSACTION_MS = 10_000;
/** While the server is unreachable, calls fail at once for this long instead of each waiting for a connection. */
const UNREACHABLE_MS = 1000;
const MAX_ATTEMPTS = 5;
const SESSION_SQL = `SET synchronous_commit = on; SET statement_timeout = ${STATEMENT_TIMEOUT_MS};
  SET idle_in_transaction_session_timeout = ${IDLE_IN_TRANSACTION_MS}`;
/** Message of the driver when the server does not respond to a new connection. */
const CONNECT_TIMED_OUT = /due to connection timeout|timeout expired/;
/** One string, so that both statements take one round trip. */
export const BEGIN_WRITING = `BEGIN; ${KEEP_PARTITIONS_SQL}`;
const INT8_OID = 20;
const NUMERIC_OID = 1700;

/** Integers and sums are returned as numbers. Kindred's numbers stay below 2^53. */
const types = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    oid === INT8_OID || oid === NUMERIC_OID
      ? Number
      : pg.types.getTypeParser(oid, format as 'text')) as typeof pg.types.getTypeParser,
};

export interface PostgresOptions {
  maxConnections?: number | undefined;
  runtime?: Runtime | undefined;
}

export class PostgresDatabase implements Database {
  readonly dialect = 'postgres';
  readonly runtime: Runtime;
  readonly maxConnections: number;
  readonly #pool: pg.Pool;
  readonly #watch: SilenceWatch;
  readonly #history = new DatabaseHistory();
  #unreachableUntilMs = 0;
  readonly #short = new FairGate(SHORT);
  readonly #writing = new FairGate(WRITING);
  readonly #long = new FairGate(LONG);

  constructor(url: string, { maxConnections = MAX_CONNECTIONS, runtime = systemRuntime }: PostgresOptions = {}) {
    this.runtime = runtime;
    this.maxConnections = maxConnections;
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
        this.#watch.opened(client);
        await this.#watch.during(client, async () => {
          await client.query(SESSION_SQL);
          await this.#history.check(client);
        });
      }) as unknown as pg.PoolConfig['onConnect'],
    });
    // The pool drops a lost idle connection itself. The next query opens another.
    this.#pool.on('error', () => {});
    this.#pool.on('remove', (client) => this.#watch.closed(client));
    this.#watch = new SilenceWatch({
      isReachable: () => isReachable(url),
      longestMs: LONGEST_SILENCE_MS,
      onUnreachable: () => this.#isUnreachable(),
      runtime,
    });
  }

  /** Parameters may be arrays, for `= ANY(?)`. */
  all<T>(sql: string, params: readonly (SqlValue | readonly string[])[] = []): Promise<T[]> {
    return this.#short.run(() => this.#query<T>({ text: numbered(sql), values: params as unknown[] }));
  }

  /** Like `all`, but planned once per connection: for reads whose planning costs more than running them. */
  allPrepared<T>(name: string, sql: string, params: readonly SqlValue[]): Promise<T[]> {
    return this.#short.run(() => this.#query<T>({ name, text: numbered(sql), values: params as unknown[] }));
  }

  /** Like `all`, for reads of many rows. */
  allOfMany<T>(sql: string, params: readonly SqlValue[]): Promise<T[]> {
    return this.#long.run(() => this.#query<T>({ text: numbered(sql), values: params as unknown[] }));
  }

  atomic<T>(statements: readonly Statement[]): Promise<T[][]> {
    return this.#short.run(() =>
      this.transaction(async (client) => {
        const responses: T[][] = [];
        for (const { sql, params } of statements) {
          const { rows } = await client.query(numbered(sql), (params ?? []) as unknown[]);
          responses.push(rows);
        }
        return responses;
      }),
    );
  }

  /** Runs a transaction that writes records. While it runs, no partition of the event table is added, removed or moved. */
  writing<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    return this.#writing.run(() => this.transaction(work, BEGIN_WRITING));
  }

  /** Runs the work in one transaction, and again if the server aborted it in favor of another. The work must be repeatable. */
  async transaction<T>(work: (client: pg.PoolClient) => Promise<T>, begin = 'BEGIN'): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#transactionOnce(work, begin);
      } catch (error) {
        if (!isContention(error) || attempt === MAX_ATTEMPTS) throw storeError(error);
      }
    }
  }

  /** Provides a connection for the duration of the work, e.g. to stream. */
  async connection<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    const client = await this.connect();
    try {
      const result = await work(client);
      client.release();
      return result;
    } catch (error) {
      // The connection may be in any state, so it is closed instead of returned to the pool.
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
    if (this.runtime.monotonicMs() < this.#unreachableUntilMs) throw storeError(new Error('Connection terminated'));
    try {
      return await this.#pool.connect();
    } catch (error) {
      if (error instanceof Error && CONNECT_TIMED_OUT.test(error.message)) this.#isUnreachable();
      throw storeError(error);
    }
  }

  /** Resolves when the server has another database than at the start (database-history.ts). */
  get replaced(): Promise<void> {
    return this.#history.changed;
  }

  async ping(): Promise<void> {
    await this.all('SELECT 1');
  }

  close(): Promise<void> {
    this.#watch.stop();
    return this.#pool.end();
  }

  #isUnreachable(): void {
    this.#unreachableUntilMs = this.runtime.monotonicMs() + UNREACHABLE_MS;
  }

  async #query<T>(config: pg.QueryConfig): Promise<T[]> {
    const client = await this.connect();
    try {
      const { rows } = await this.#watch.during(client, () => client.query(config));
      client.release();
      return rows;
    } catch (error) {
      client.release(isLost(error));
      throw storeError(error);
    }
  }

  async #transactionOnce<T>(work: (client: pg.PoolClient) => Promise<T>, begin: string): Promise<T> {
    const client = await this.connect();
    try {
      const result = await this.#watch.during(client, async () => {
        await client.query(begin);
        const response = await work(client);
        await client.query('COMMIT');
        return response;
      });
      client.release();
      return result;
    } catch (error) {
      if (isLost(error)) {
        client.release(true);
        throw error;
      }
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

/** Whether the server responds to a new connection, even if with an error. */
async function isReachable(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: CONNECT_TIMEOUT_MS });
  client.on('error', () => {});
  try {
    await client.connect();
    return true;
  } catch (error) {
    return !isLost(error) || (error as { code?: string }).code?.length === 5;
  } finally {
    void client.end().catch(() => {});
  }
}
