// Lists read to their end, page by page, for tables and pickers that show every entry.
import { useQuery } from '@tanstack/react-query';
import type { Kindred, OperationPath } from '../../../src/client/index.ts';
import { useClient } from '../session/session.tsx';

/** `path` and `request` identify the list, so that it is refetched when that call's results change. */
export function useEntries<Entry>(
  path: OperationPath,
  request: object,
  iterate: (client: Kindred) => AsyncIterable<Entry>,
  settings: { enabled?: boolean; pollMs?: number | false } = {},
) {
  const client = useClient();
  return useQuery<Entry[]>({
    queryKey: [path, request, 'to the end'],
    queryFn: async ({ signal }) => {
      const entries: Entry[] = [];
      for await (const entry of iterate(client)) {
        signal.throwIfAborted();
        entries.push(entry);
      }
      return entries;
    },
    enabled: settings.enabled ?? true,
    refetchInterval: settings.pollMs ?? false,
  });
}
