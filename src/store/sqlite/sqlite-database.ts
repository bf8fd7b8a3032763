// The Database seam on SQLite: reads on the calling thread by its own read-only connection (microseconds for point reads),
// writes through the writer thread.
import type { DatabaseSync } from 'node:sqlite';
import type { Runtime } from '../../base/runtime.ts';
import type { Database, SqlValue, Statement } from '../database.ts';
import { openReaderConnection } from './connection.ts';
import { PreparedStatements } from './prepared-statements.ts';
import { ReadStatement } from './read-statement.ts';
import type { SqliteWriter } from './writer.ts';

const STATEMENT_BYTES = 512;

export class SqliteDatabase implements Database {
  readonly dialect = 'sqlite';
  readonly runtime: Runtime;
  readonly #reader: DatabaseSync;
  readonly #writer: SqliteWriter;
  readonly #prepared: PreparedStatements;

  constructor(file: string, writer: SqliteWriter, runtime: Runtime) {
    this.runtime = runtime;
    this.#reader = openReaderConnection(file);
    this.#prepared = new PreparedStatements(this.#reader);
    this.#writer = writer;
  }

  /** A prepared read on the calling thread, for the hot paths of the stores next to this file. */
  reading(sql: string): ReadStatement {
    return new ReadStatement(this.#prepared, sql);
  }

  /** Runs reads so that all of them see the same state, whatever is written meanwhile. */
  inOneState<T>(read: () => T): T {
    this.#reader.exec('BEGIN');
    try {
      return read();
    } finally {
      if (this.#reader.isTransaction) this.#reader.exec('COMMIT');
    }
  }

  async all<T>(sql: string, params: readonly SqlValue[] = []): Promise<T[]> {
    // Copies rows to plain objects, like those of the writer and of PostgreSQL: node:sqlite creates them without a prototype.
    return this.reading(sql)
      .all(...(params as string[]))
      .map((row) => ({ ...row })) as T[];
  }

  atomic<T>(statements: readonly Statement[]): Promise<T[][]> {
    const bytes = statements.reduce((sum, { params }) => sum + STATEMENT_BYTES + bytesOf(params), 0);
    return this.#writer.submit({ kind: 'atomic', statements }, { records: statements.length, bytes }) as Promise<T[][]>;
  }

  async ping(): Promise<void> {
    await this.all('SELECT 1');
  }

  async close(): Promise<void> {
    await this.#writer.drain();
    this.#reader.close();
    await this.#writer.close();
  }
}

function bytesOf(params: readonly SqlValue[] = []): number {
  return params.reduce<number>(
    (sum, value) =>
      sum + (typeof value === 'string' ? value.length * 2 : value instanceof Uint8Array ? value.byteLength : 8),
    0,
  );
}
