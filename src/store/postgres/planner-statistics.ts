// PostgreSQL plans by statistics, which autovacuum renews about once a minute. An import writes hundreds of thousands of rows in
// that time, under plans made for empty tables (an index that shares a prefix looks as good as the right one). So the node that
// writes requests new statistics whenever it has written three times as much as last time.
import type { PostgresDatabase } from './postgres-database.ts';

const FIRST_AFTER_RECORDS = 5000;
const GROWTH = 3;

export class PlannerStatistics {
  readonly #database: PostgresDatabase;
  #written = 0;
  #next = FIRST_AFTER_RECORDS;
  #running: Promise<void> | undefined;

  constructor(database: PostgresDatabase) {
    this.#database = database;
  }

  wrote(records: number): void {
    this.#written += records;
    if (this.#written < this.#next || this.#running) return;
    this.#next = this.#written * GROWTH;
    this.#running = this.#renew().finally(() => {
      this.#running = undefined;
    });
  }

  async close(): Promise<void> {
    await this.#running;
  }

  async #renew(): Promise<void> {
    try {
      await this.#database.connection((client) => client.query('ANALYZE event, interned, record'));
    } catch {
      // Statistics only affect speed, and autovacuum will update them.
    }
  }
}
