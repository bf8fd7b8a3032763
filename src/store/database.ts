// The seam between databases: everything but the hot paths (records, events and what goes with them) is written once, in SQL both
// dialects read, over this interface. Placeholders are `?`. Integers come back as numbers, JSON is kept as TEXT, booleans as 0 and 1.

import type { Runtime } from '../base/runtime.ts';

export type SqlValue = string | number | bigint | null | Uint8Array;
export type Row = Record<string, SqlValue>;

export interface Statement {
  sql: string;
  params?: readonly SqlValue[];
}

export interface Database {
  readonly dialect: 'sqlite' | 'postgres';
  /** the source of the time of writes */
  readonly runtime: Runtime;
  /** Runs one read-only statement. */
  all<T = Row>(sql: string, params?: readonly SqlValue[]): Promise<T[]>;
  /**
   * Runs the statements in order in one transaction, durable when it resolves. Returns the rows of each (from RETURNING). If one
   * throws, none has any effect. A statement can be a guard: its WHERE decides whether it changes anything.
   */
  atomic<T = Row>(statements: readonly Statement[]): Promise<T[][]>;
  /** Throws when the database cannot be reached. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** A statement of `atomic` broke a UNIQUE, NOT NULL, CHECK or foreign key rule. */
export class ConstraintViolation extends Error {
  constructor(detail: string) {
    super(detail);
    this.name = 'ConstraintViolation';
  }
}
