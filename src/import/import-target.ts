// The dataset a file is imported into, when a new one is made for it.
import type { Kindred } from '../client/index.ts';
import { RECORDS_PER_SHARD } from '../domain/dataset.ts';
import { RECORD_KINDS, type RecordKind } from '../domain/import-job.ts';

/** The order to import in: a training started early finds what events name. */
export const KIND_ORDER: readonly RecordKind[] = RECORD_KINDS;

export const MIN_SHARDS = 10;
const MAX_NAME_LENGTH = 128;
/** Typical compression ratio of text. */
const COMPRESSION = 6;

export interface DatasetWish {
  kind: RecordKind;
  name: string;
  numShards: number;
}

/** Returns shards with room for 1.5 times the estimated records. */
export function shardsFor(estimatedRecords: number): number {
  return Math.max(MIN_SHARDS, Math.ceil((estimatedRecords * 1.5) / RECORDS_PER_SHARD));
}

/** Estimates the number of rows from the file's size and its first rows. */
export function estimateRows(file: { sizeBytes: number; compressed: boolean }, sample: readonly unknown[]): number {
  const sampleBytes = sample.reduce<number>(
    (sum, row) => sum + (Array.isArray(row) ? row.join(',').length + 1 : 80),
    0,
  );
  if (sampleBytes === 0) return sample.length;
  const bytes = file.sizeBytes * (file.compressed ? COMPRESSION : 1);
  return Math.max(sample.length, Math.ceil(bytes / (sampleBytes / sample.length)));
}

/** `films_2024.csv.gz` → `films 2024` */
export function datasetNameFor(fileName: string): string {
  const base = fileName.replace(/(\.(csv|tsv|txt|dat|jsonl|ndjson|json|parquet|gz))+$/i, '');
  return base.replace(/[_-]+/g, ' ').trim().slice(0, MAX_NAME_LENGTH) || 'Imported';
}

export async function createDataset(kindred: Kindred, { kind, name, numShards }: DatasetWish): Promise<string> {
  const request = { name: name.trim().slice(0, MAX_NAME_LENGTH) || 'Imported', num_shards: numShards };
  if (kind === 'users') return (await kindred.createUserDataset(request)).user_dataset_id;
  if (kind === 'items') return (await kindred.createItemDataset(request)).item_dataset_id;
  return (await kindred.createEventDataset(request)).event_dataset_id;
}
