// Statistics of records that several pages show.
import { useMemo } from 'react';
import type { Project } from '../../../src/client/index.ts';
import { isNameOfItems } from '../../../src/domain/item-name.ts';
import type { DatasetKind } from './datasets.ts';
import { useCall } from './use-call.ts';

export type { AttributeStatistics } from '../../../src/client/index.ts';

/** The query field that names a dataset of a kind. */
export function datasetField(kind: DatasetKind, datasetId: string): Record<string, string> {
  return { [`${kind}_dataset_id`]: datasetId };
}

export function useEventStatistics(eventDatasetId: string | null | undefined, buckets = 60) {
  return useCall(
    '/get-event-statistics',
    { event_dataset_id: eventDatasetId ?? '', buckets },
    { enabled: Boolean(eventDatasetId) },
  );
}

export function useEventTypes(eventDatasetId: string | null | undefined) {
  const statistics = useEventStatistics(eventDatasetId);
  return { types: statistics.data?.types ?? [], isLoading: statistics.isLoading };
}

export function useAttributeStatistics(kind: DatasetKind, datasetId: string | null | undefined) {
  return useCall('/get-attribute-statistics', datasetField(kind, datasetId ?? ''), { enabled: Boolean(datasetId) });
}

/** The attribute that holds an item's name, if there is one. */
export function nameAttribute(attributes: Iterable<string>): string | null {
  for (const attribute of attributes) if (isNameOfItems(attribute)) return attribute;
  return null;
}

export function useTargetTypes(project: Project): string[] {
  const { types } = useEventTypes(project.event_dataset_id);
  return useMemo(() => {
    const names = types.map(({ event_type }) => event_type);
    return [project.target_event_type, ...names.filter((name) => name !== project.target_event_type)];
  }, [types, project.target_event_type]);
}
