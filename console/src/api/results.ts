// The result files of querying and clustering jobs, as JSON. The types match what the service writes.
import { useQuery } from '@tanstack/react-query';
import { type AttributeScalar, type Job, KindredError } from '../../../src/client/index.ts';
import { resultAddress } from './download.ts';

export interface DistributionEntry {
  query: { attribute: string; value: AttributeScalar };
  edges: number[];
  counts: number[];
  mean: number;
  median: number;
  total_users: number;
  note: string | null;
}

export interface ListEntry {
  query: {
    conditions: {
      attribute: string;
      value: AttributeScalar;
      lower_bound?: number | null;
      upper_bound?: number | null;
    }[];
  };
  count: number;
  note: string | null;
  users: { user_id: string; usages: number[]; basis?: string }[];
}

export interface ClusterGroup {
  group_id: number;
  label: string;
  size: number;
  share: number;
  top_items: { item_id: string; name: string | null; share: number; lift: number }[];
  attributes: { attribute: string; value: AttributeScalar; usage: number; average: number; lift: number }[];
  user_ids: string[];
}

export interface ResultFile {
  query_type?: 'user_distribution' | 'user_list';
  cluster_type?: 'user';
  total_users: number;
  population_users?: number;
  queries?: (DistributionEntry | ListEntry)[];
  groups?: ClusterGroup[];
  unassigned?: { count: number };
  silhouette?: number | null;
  map?: { user_id: string; group_id: number | null; x: number; y: number }[];
}

/** Larger results are not shown on a page, but can be downloaded. */
const MOST_BYTES = 64_000_000;

export class ResultTooLarge extends Error {}

export function useResultFile(job: Job | undefined) {
  const url = job?.job_status === 'SUCCEED' ? job.job_result?.download_url : undefined;
  return useQuery({
    queryKey: ['result', job?.job_id],
    queryFn: ({ signal }) => readResult(String(url), signal),
    enabled: typeof url === 'string',
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** The bytes of a result. */
export async function openResult(
  address: string,
  signal: AbortSignal,
): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
  const response = await fetch(address, { signal });
  if (response.ok) return response.body!;
  const problem = (await response.json().catch(() => ({}))) as { code?: string; detail?: string };
  throw new KindredError(problem.detail ?? 'Cannot read the result.', {
    code: problem.code ?? 'UNEXPECTED_ANSWER',
    status: response.status,
  });
}

async function readResult(downloadUrl: string, signal: AbortSignal): Promise<ResultFile> {
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  const reader = (await openResult(resultAddress(downloadUrl, 'json'), signal)).getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    bytes += value.byteLength;
    if (bytes > MOST_BYTES) {
      await reader.cancel();
      throw new ResultTooLarge('The result is too large to show here. Download it instead.');
    }
    pieces.push(value);
  }
  return JSON.parse(await new Blob(pieces).text()) as ResultFile;
}
