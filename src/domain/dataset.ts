// Datasets of users, items and events, and their capacity.

export type EntityKind = 'user' | 'item';
export type DatasetKind = EntityKind | 'event';
export type AttributeHandling = 'NUMERICAL' | 'CATEGORICAL';
export type AttributeSchema = Record<string, AttributeHandling>;

export interface Dataset {
  account_id: string;
  dataset_id: string;
  kind: DatasetKind;
  name: string;
  num_shards: number;
  attribute_schema: AttributeSchema | null;
  created_ts: number;
  num_records: number;
}

export const RECORDS_PER_SHARD = 100_000;
export const MAX_BATCH_RECORDS = 1000;
export const MAX_EVENT_BYTES = 20_480;
export const DEFAULT_NUM_SHARDS = 10;
export const MAX_NUM_SHARDS = 100_000;

export function capacityOf(dataset: Pick<Dataset, 'num_shards'>): number {
  return dataset.num_shards * RECORDS_PER_SHARD;
}
