// Users and items: records by id with attributes. `dataset.dataset_id` was resolved for the caller's account beforehand.
import type { Dataset } from '../domain/dataset.ts';
import type { EntityRecord } from '../domain/record.ts';
import type { RecordColumns } from '../domain/record-columns.ts';
import type { Page, PageRequest } from './page.ts';

/** Outcome of one record of a batch, in the batch's order. */
export type UpsertOutcome = 'stored' | 'full';

/** How many deletions of a dataset `changesSince` can look back over, and how many changes it answers at most. */
export const KEPT_DELETIONS = 10_000;
export const MAX_CHANGES = 50_000;

export interface RecordStore {
  /** Ids are unique within the batch. Durable when it resolves. A record over the dataset's capacity is 'full', the others are stored. */
  upsert(dataset: Dataset, records: RecordColumns | readonly EntityRecord[]): Promise<UpsertOutcome[]>;
  get(datasetId: string, id: string): Promise<EntityRecord | null>;
  /** In the order of the ids; null where there is none. */
  getMany(datasetId: string, ids: readonly string[]): Promise<(EntityRecord | null)[]>;
  /** Answers how many there were. */
  delete(dataset: Dataset, ids: readonly string[]): Promise<number>;
  /** Newest (last written) first. */
  list(datasetId: string, page: PageRequest, search?: string): Promise<Page<EntityRecord>>;
  /** Every record, in blocks of so many at most, fewer where they are large; never the whole dataset in memory. */
  scan(datasetId: string, blockSize?: number): AsyncIterable<EntityRecord[]>;
  /** Rises with every change of the dataset's records: what a cache compares. */
  version(datasetId: string): Promise<number>;
  /** Records written or deleted since a version, so that a cache can follow without reading all; null when that is not known any more. */
  changesSince(datasetId: string, version: number): Promise<{ version: number; ids: string[] } | null>;
}
