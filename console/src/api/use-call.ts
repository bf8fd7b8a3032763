// Reads from the service: one query per call and request, shared by all components that need it.
import { keepPreviousData, type Query, type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import type { AnswerOf, OperationPath, RequestOf } from '../../../src/client/index.ts';
import { useClient } from '../session/session.tsx';

export interface CallSettings<Data> {
  enabled?: boolean;
  /** Milliseconds until the next request; false for never. May depend on the last response. */
  pollMs?: number | false | ((response: Data | undefined) => number | false);
  /** Keep showing the last response while the next one loads (paging, typing). */
  keepPrevious?: boolean;
}

export function useCall<Path extends OperationPath>(
  path: Path,
  request: RequestOf<Path>,
  settings: CallSettings<AnswerOf<Path>> = {},
) {
  const client = useClient();
  const { pollMs = false } = settings;
  return useQuery<AnswerOf<Path>>({
    queryKey: [path, request],
    queryFn: ({ signal }) => client.call(path, request, { signal }),
    enabled: settings.enabled ?? true,
    refetchInterval: typeof pollMs === 'function' ? (query) => pollMs(query.state.data) : pollMs,
    placeholderData: settings.keepPrevious ? keepPreviousData : undefined,
  });
}

/** Refetches what the named calls returned, after something changed. */
export function useRefresh(): (...paths: OperationPath[]) => Promise<void> {
  const queries = useQueryClient();
  return (...paths) => refresh(queries, paths);
}

async function refresh(queries: QueryClient, paths: OperationPath[]): Promise<void> {
  const predicate = ({ queryKey }: Query) => paths.includes(queryKey[0] as OperationPath);
  // A first response that is still on its way may be from before the change, and a query does not ask again while it waits for one.
  await queries.cancelQueries({ predicate });
  await queries.invalidateQueries({ predicate });
}
