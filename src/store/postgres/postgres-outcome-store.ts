// Outcomes on PostgreSQL: written through the queue of the project's event dataset.
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
import type { PostgresDatabase } from './postgres-database.ts';
import { addImpressions, addServed, forgetOutcomes } from './write-outcomes.ts';
import type { PostgresWriter } from './writer.ts';

export class PostgresOutcomeStore extends SqlOutcomeReads implements OutcomeStore {
  readonly #writer: PostgresWriter;

  constructor(database: PostgresDatabase, writer: PostgresWriter) {
    super(database);
    this.#writer = writer;
  }

  addServed(dataset: Dataset, batch: ServedBatch): Promise<void> {
    return this.#writer.submit(dataset, addServed, batch, servedSize(batch));
  }

  addImpressions(dataset: Dataset, impressions: readonly Impression[]): Promise<ImpressionOutcome[]> {
    return this.#writer.submit(dataset, addImpressions, impressions, impressionSize(impressions));
  }

  forgetUser(dataset: Dataset, userId: string): Promise<void> {
    return this.#writer.submit(dataset, forgetOutcomes, userId, { records: 1, bytes: 1000 });
  }
}
