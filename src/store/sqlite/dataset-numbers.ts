// The small number a dataset goes by in the tables of records and events, which never changes and is looked up once, and its
// version, which every change of the dataset makes newer.
import { BoundedCache, textBytes } from '../../base/bounded-cache.ts';
import type { SqliteDatabase } from './sqlite-database.ts';

export interface NumberedDataset {
  datasetNo: number;
  numShards: number;
}

/** The counts of a dataset; see `dataset_count`. */
export interface DatasetVersion {
  version: number;
  changes_from: number;
}

const NEW: DatasetVersion = { version: 0, changes_from: 0 };
const CACHE_BYTES = 4 * 1024 * 1024;
const NUMBERED_BYTES = 50;

export class DatasetNumbers {
  readonly #database: SqliteDatabase;
  readonly #cache = new BoundedCache<string, NumberedDataset>({
    name: 'dataset_numbers',
    maxBytes: CACHE_BYTES,
    bytesOf: (_, datasetId) => textBytes(datasetId) + NUMBERED_BYTES,
  });

  constructor(database: SqliteDatabase) {
    this.#database = database;
  }

  /** Undefined until the first record was written. */
  find(datasetId: string): NumberedDataset | undefined {
    const cached = this.#cache.get(datasetId);
    if (cached) return cached;
    const found = this.#database
      .reading('SELECT dataset_no AS datasetNo, num_shards AS numShards FROM dataset_count WHERE dataset_id = ?')
      .get(datasetId) as NumberedDataset | undefined;
    if (!found) return undefined;
    this.#cache.set(datasetId, found);
    return found;
  }

  versionOf(datasetId: string): DatasetVersion {
    const dataset = this.find(datasetId);
    if (dataset === undefined) return NEW;
    const row = this.#database
      .reading('SELECT version, changes_from FROM dataset_count WHERE dataset_no = ?')
      .get(dataset.datasetNo) as DatasetVersion | undefined;
    return row ?? NEW;
  }
}
