// Outcomes on SQLite: read on the calling thread, written by the writer thread.
import type { Dataset } from '../../domain/dataset.ts';
import {
  type Impression,
  type ImpressionOutcome,
  type OutcomeStore,
  type ServedBatch,
  servedSize,
} from '../outcome-store.ts';
import { impressionSize } from '../outcomes/impression-touches.ts';
import { SqlOutcomeReads } from '../sql/sql-outcome-store.ts';
import type { SqliteDatabase } from './sqlite-database.ts';
import { targetOf } from './write-protocol.ts';
import type { SqliteWriter } from './writer.ts';

export class SqliteOutcomeStore extends SqlOutcomeReads implements OutcomeStore {
  readonly #writer: SqliteWriter;

  constructor(database: SqliteDatabase, writer: SqliteWriter) {
    super(database);
    this.#writer = writer;
  }

  async addServed(dataset: Dataset, batch: ServedBatch): Promise<void> {
    await this.#writer.submit({ kind: 'add-served', target: targetOf(dataset), batch }, servedSize(batch));
  }

  addImpressions(dataset: Dataset, impressions: readonly Impression[]): Promise<ImpressionOutcome[]> {
    const command = { kind: 'add-impressions' as const, target: targetOf(dataset), impressions };
    return this.#writer.submit(command, impressionSize(impressions));
  }

  async forgetUser(dataset: Dataset, userId: string): Promise<void> {
    const command = { kind: 'forget-outcomes' as const, target: targetOf(dataset), userId };
    await this.#writer.submit(command, { records: 1, bytes: 1000 });
  }
}
