// Statements of one connection, prepared once. They come from a fixed set of texts; the bound is for lists of placeholders of
// many lengths.
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { BoundedCache, textBytes } from '../../base/bounded-cache.ts';

const CACHE_BYTES = 4 * 1024 * 1024;
/** Rough size of what SQLite keeps of a statement. */
const STATEMENT_BYTES = 8 * 1024;

export class PreparedStatements {
  readonly #db: DatabaseSync;
  readonly #prepared = new BoundedCache<string, StatementSync>({
    name: 'statements',
    maxBytes: CACHE_BYTES,
    bytesOf: (_, sql) => textBytes(sql) + STATEMENT_BYTES,
  });

  constructor(db: DatabaseSync) {
    this.#db = db;
  }

  of(sql: string): StatementSync {
    return this.#prepared.getOrMake(sql, () => this.#db.prepare(withoutNewPlans(sql)));
  }
}

/** With a bare `LIMIT ?` SQLite plans the statement again for every bound value, which costs more than most reads. */
export function withoutNewPlans(sql: string): string {
  return sql.replace(/\bLIMIT \?/g, 'LIMIT 0 + ?');
}
