// Item records by id, for names and attributes next to bare ids. Each is fetched once and cached.
import { useQueries, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useClient } from '../session/session.tsx';
import { nameAttribute } from './statistics.ts';

export interface ItemInfo {
  id: string;
  name: string;
  attributes: Record<string, unknown>;
}

export function itemInfo(id: string, attributes: Record<string, unknown>): ItemInfo {
  const naming = nameAttribute(Object.keys(attributes));
  const name = naming === null ? undefined : attributes[naming];
  const { [naming ?? '']: _, ...others } = attributes;
  return {
    id,
    name: typeof name === 'string' && name !== '' ? name : id,
    attributes: name === undefined ? attributes : others,
  };
}

function itemKey(itemDatasetId: string, itemId: string) {
  return ['/get-dataset-record', { item_dataset_id: itemDatasetId, item_id: itemId }, 'info'];
}

/** Caches items already on the page, so that their names show elsewhere without another request. */
export function useKnownItems(itemDatasetId: string, infos: ItemInfo[]): void {
  const queries = useQueryClient();
  useEffect(() => {
    for (const info of infos) {
      const key = itemKey(itemDatasetId, info.id);
      if (info.name !== info.id && queries.getQueryData(key) === undefined) queries.setQueryData(key, info);
    }
  });
}

/** By id; an item that is not in the dataset has only its id. */
export function useItems(itemDatasetId: string, ids: string[]): Map<string, ItemInfo> {
  const client = useClient();
  const wanted = [...new Set(ids)];
  return useQueries({
    queries: wanted.map((id) => ({
      queryKey: itemKey(itemDatasetId, id),
      queryFn: async () => {
        try {
          const record = await client.getDatasetRecord({ item_dataset_id: itemDatasetId, item_id: id });
          return itemInfo(id, (record.attributes ?? {}) as Record<string, unknown>);
        } catch (error) {
          // Events may name items that are not, or no longer, in the item dataset.
          if ((error as { code?: string }).code === 'RECORD_NOT_FOUND') return itemInfo(id, {});
          throw error;
        }
      },
      staleTime: 300_000,
    })),
    combine: (results) =>
      new Map(results.flatMap((result) => (result.data ? [[result.data.id, result.data] as const] : []))),
  });
}
