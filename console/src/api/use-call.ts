// Reading from the service: one query a call and request, shared by everyone on the page who asks the same.
import { keepPreviousData, type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import type { AnswerOf, OperationPath, RequestOf } from '../../../src/client/index.ts';
import { useClient } from '../session/session.tsx';

export interface CallSettings<Answer> {
  enabled?: boolean;
  /** Milliseconds until asked again; false for never. May depend on the last answer. */
  pollMs?: number | false | ((answer: Answer | undefined) => number | false);
  /** Keep showing the last answer while another request's is on its way (paging, typing). */
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

/** Asks again for whatever the named calls answered, after something changed. */
export function useRefresh(): (...paths: OperationPath[]) => Promise<void> {
  const queries = useQueryClient();
  return (...paths) => refresh(queries, paths);
}

async function refresh(queries: QueryClient, paths: OperationPath[]): Promise<void> {
  await queries.invalidateQueries({ predicate: (query) => paths.includes(query.queryKey[0] as OperationPath) });
}
