// The three kinds of datasets in one shape, because every page treats them the same way.
import type { AttributeSchema, EventDataset, ItemDataset, UserDataset } from '../../../src/client/index.ts';
import { capacityOf } from '../../../src/domain/dataset.ts';
import { useEntries } from './use-entries.ts';

export type DatasetKind = 'user' | 'item' | 'event';
export const DATASET_KINDS: DatasetKind[] = ['user', 'item', 'event'];

export interface DatasetInfo {
  kind: DatasetKind;
  id: string;
  name: string;
  recordCount: number;
  shardCount: number;
  capacity: number;
  schema: AttributeSchema | null;
  inferredSchema: AttributeSchema;
  createdMs: number | null;
}

export function datasetInfo(kind: DatasetKind, dataset: UserDataset | ItemDataset | EventDataset): DatasetInfo {
  const fields = dataset as EventDataset & Record<string, unknown>;
  return {
    kind,
    id: String(fields[`${kind}_dataset_id`]),
    name: fields.name,
    recordCount: fields.num_records ?? 0,
    shardCount: fields.num_shards,
    capacity: capacityOf(fields),
    schema: fields.attribute_schema,
    inferredSchema: fields.inferred_attribute_schema ?? {},
    createdMs: fields.created_ts ?? null,
  };
}

export function useDatasets() {
  const users = useEntries('/list-user-datasets', {}, (client) => client.iterateUserDatasets());
  const items = useEntries('/list-item-datasets', {}, (client) => client.iterateItemDatasets());
  const events = useEntries('/list-event-datasets', {}, (client) => client.iterateEventDatasets());
  const all: Record<DatasetKind, DatasetInfo[]> = {
    user: (users.data ?? []).map((dataset) => datasetInfo('user', dataset)),
    item: (items.data ?? []).map((dataset) => datasetInfo('item', dataset)),
    event: (events.data ?? []).map((dataset) => datasetInfo('event', dataset)),
  };
  return {
    ...all,
    isLoading: users.isLoading || items.isLoading || events.isLoading,
    error: users.error ?? items.error ?? events.error,
    refetch: () => Promise.all([users.refetch(), items.refetch(), events.refetch()]),
    isEmpty: all.user.length + all.item.length + all.event.length === 0,
  };
}

export const LIST_DATASETS = ['/list-user-datasets', '/list-item-datasets', '/list-event-datasets'] as const;
export const KIND_NAMES: Record<DatasetKind, { one: string; many: string }> = {
  user: { one: 'user', many: 'users' },
  item: { one: 'item', many: 'items' },
  event: { one: 'event', many: 'events' },
};
