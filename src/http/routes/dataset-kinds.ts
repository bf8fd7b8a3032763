// Differences between the three kinds of datasets in the API, and finding the dataset of a call.
import type { Dataset, DatasetKind } from '../../domain/dataset.ts';
import { AppError } from '../../errors.ts';
import type { DatasetStore } from '../../store/registry-store.ts';

export const KINDS = ['user', 'item', 'event'] as const satisfies readonly DatasetKind[];

export type DatasetIdField = `${DatasetKind}_dataset_id`;
export type RecordIdField = `${DatasetKind}_id`;

export const datasetIdField = (kind: DatasetKind): DatasetIdField => `${kind}_dataset_id`;
export const recordIdField = (kind: DatasetKind): RecordIdField => `${kind}_id`;

export const EXAMPLE_DATASET_IDS = {
  user: 'uds_01k9zq4m2v8h3c7f5x1d0b6n9e',
  item: 'ids_01k9zq4m3a0q8r6t2w4y7z5c1d',
  event: 'eds_01k9zq4m3j5e9g2k6m8p0s4v7x',
} as const;

/** The dataset, if it belongs to the caller's account; others are reported as not found. */
export async function findDataset(
  datasets: DatasetStore,
  accountId: string,
  kind: DatasetKind,
  datasetId: string,
): Promise<Dataset> {
  const dataset = await datasets.get(accountId, kind, datasetId);
  if (!dataset) throw datasetNotFound(kind, datasetId);
  return dataset;
}

export function datasetNotFound(kind: DatasetKind, datasetId: string): AppError {
  return new AppError('DATASET_NOT_FOUND', `The ${kind} dataset ${datasetId} was not found.`, {
    errors: [{ pointer: `/${datasetIdField(kind)}`, message: 'was not found' }],
  });
}

export const EXAMPLE_RECORDS = {
  user: { user_id: 'u-1', attributes: { age: 34, country: 'NL' } },
  item: { item_id: 'i-1', attributes: { price: 12.5, genre: ['Drama', 'War'] } },
  event: {
    event_id: 'u-1:i-1:1762000000000',
    user_id: 'u-1',
    item_id: 'i-1',
    ts: 1_762_000_000_000,
    event_type: 'purchase',
    event_value: 1,
    attributes: { device: 'phone' },
  },
};

export const DATASET_TAGS: Record<DatasetKind, string> = {
  user: 'User datasets',
  item: 'Item datasets',
  event: 'Event datasets',
};
