// The small number a dataset goes by in the tables of records and events. It never changes, so it is looked up once.
import type { PostgresDatabase } from './postgres-database.ts';

export interface NumberedDataset {
  datasetNo: number;
  numShards: number;
}

const MAX_CACHED = 10_000;

export class DatasetNumbers {
  readonly #database: PostgresDatabase;
  readonly #cache = new Map<string, NumberedDataset>();

  constructor(database: PostgresDatabase) {
    this.#database = database;
  }

  /** Undefined until the first record was written. */
  async find(datasetId: string): Promise<NumberedDataset | undefined> {
    const cached = this.#cache.get(datasetId);
    if (cached) return cached;
    const [found] = await this.#database.all<NumberedDataset>(
      'SELECT dataset_no AS "datasetNo", num_shards AS "numShards" FROM dataset_count WHERE dataset_id = ?',
      [datasetId],
    );
    if (!found) return undefined;
    if (this.#cache.size >= MAX_CACHED) this.#cache.clear();
    this.#cache.set(datasetId, found);
    return found;
  }
}
