// The small number a dataset goes by in the tables of records and events. It never changes, so it is looked up once.
import { BoundedCache, textBytes } from '../../base/bounded-cache.ts';
import type { PostgresDatabase } from './postgres-database.ts';

export interface NumberedDataset {
  datasetNo: number;
  numShards: number;
}

const CACHE_BYTES = 4 * 1024 * 1024;
const NUMBERED_BYTES = 50;

export class DatasetNumbers {
  readonly #database: PostgresDatabase;
  readonly #cache = new BoundedCache<string, NumberedDataset>({
    name: 'dataset_numbers',
    maxBytes: CACHE_BYTES,
    bytesOf: (_, datasetId) => textBytes(datasetId) + NUMBERED_BYTES,
  });

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
    this.#cache.set(datasetId, found);
    return found;
  }
}
