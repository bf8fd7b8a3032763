// A read whose failures are told as the store's own: a disk that cannot be read is no bug of the service.
import type { SQLInputValue, SQLOutputValue } from 'node:sqlite';
import type { PreparedStatements } from './prepared-statements.ts';
import { unavailableError } from './sqlite-error.ts';

type ReadRow = Record<string, SQLOutputValue>;

export class ReadStatement {
  readonly #prepared: PreparedStatements;
  readonly #sql: string;

  constructor(prepared: PreparedStatements, sql: string) {
    this.#prepared = prepared;
    this.#sql = sql;
  }

  get(...params: SQLInputValue[]): ReadRow | undefined {
    try {
      return this.#prepared.of(this.#sql).get(...params);
    } catch (error) {
      throw unavailableError(error) ?? error;
    }
  }

  all(...params: SQLInputValue[]): ReadRow[] {
    try {
      return this.#prepared.of(this.#sql).all(...params);
    } catch (error) {
      throw unavailableError(error) ?? error;
    }
  }
}
