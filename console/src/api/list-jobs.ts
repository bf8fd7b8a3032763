// Jobs that make lists for many users, as the console submits them and reads the beginning of their file.
import { useQuery } from '@tanstack/react-query';
import type { Job, RequestOf } from '../../../src/client/index.ts';
import type { Objective } from '../../../src/domain/objective.ts';
import type { ListFormat } from '../../../src/domain/recommendation-job.ts';
import { resultAddress } from './download.ts';
import { openResult } from './results.ts';
import { useRecentJobs } from './use-jobs.ts';

export type ListJobRequest = RequestOf<'/submit-recommendation-job'>;

export const FORMAT_NAMES: Record<ListFormat, string> = { jsonl: 'JSON Lines', csv: 'CSV', parquet: 'Parquet' };

export const OBJECTIVE_NAMES: Record<Objective, string> = {
  auto: 'Auto: the model decides',
  discover: 'Discover: new to the user',
  continue: 'Continue: what the user started',
  again: 'Again: what the user had before',
  any: 'Any item',
};

/** A user and the list of the user, as a line of the file has them. */
export interface ListLine {
  user_id: string;
  results: { item: { item_id: string; [attribute: string]: unknown } }[];
}

const PREVIEW_USERS = 10;
/** Characters: a longer one is not shown. */
const MOST_OF_A_LINE = 4_000_000;

export function listPath({ project_id, job_id }: Pick<Job, 'project_id' | 'job_id'>): string {
  return `/projects/${project_id}/lists/${job_id}`;
}

/** Until when the file can be downloaded; null: it is elsewhere, not there yet or expired. */
export function downloadOf(job: Job): { url: string; untilMs: number } | null {
  const { download_url: url, expired_at_sec } = job.job_result ?? {};
  const untilMs = Number(expired_at_sec) * 1000;
  return typeof url === 'string' && untilMs > Date.now() ? { url, untilMs } : null;
}

/** Finished queries for users whose result can still be read. */
export function useUserLists(projectId: string): Job[] {
  const { jobs } = useRecentJobs({ project_id: projectId, job_type: 'QUERYING' });
  return jobs.filter(
    (job) => job.job_status === 'SUCCEED' && job.job_data.query_type === 'user_list' && downloadOf(job) !== null,
  );
}

/** The first lists of the file, which may have gigabytes: the rest is not read. */
export function useFirstLists(job: Job | undefined) {
  const download = job?.job_status === 'SUCCEED' ? downloadOf(job) : null;
  return useQuery({
    queryKey: ['first-lists', job?.job_id],
    queryFn: ({ signal }) => readLines(resultAddress(String(download?.url), 'jsonl'), signal),
    enabled: download !== null,
    staleTime: Number.POSITIVE_INFINITY,
  });
}

async function readLines(address: string, signal: AbortSignal): Promise<ListLine[]> {
  const reader = (await openResult(address, signal)).pipeThrough(new TextDecoderStream()).getReader();
  const lines: string[] = [];
  let rest = '';
  while (lines.length < PREVIEW_USERS && rest.length < MOST_OF_A_LINE) {
    const { done, value } = await reader.read();
    if (done) break;
    const parts = (rest + value).split('\n');
    rest = parts.pop() ?? '';
    lines.push(...parts);
  }
  await reader.cancel();
  return lines.slice(0, PREVIEW_USERS).map((line) => JSON.parse(line) as ListLine);
}
