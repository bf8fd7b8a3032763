// Jobs of every project of the account, fresh while something runs.
import { useQueries } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import type { Job, JobStatus, JobType, Kindred, RequestOf } from '../../../src/client/index.ts';
import { useClient } from '../session/session.tsx';
import { useCall, useRefresh } from './use-call.ts';

const RUNNING_POLL_MS = 1000;
const IDLE_POLL_MS = 8000;
/** The most one call answers. */
const PAGE_MOST = 1000;

export function isActive(job: Pick<Job, 'job_status'>): boolean {
  return job.job_status === 'PENDING' || job.job_status === 'RUNNING';
}

export function useProjects() {
  return useCall('/list-projects', { page_size: 1000 });
}

export interface JobFilter {
  projectId?: string;
  type?: JobType;
  status?: JobStatus;
}

/** The newest jobs (up to `perProject` of each project), newest first. */
export function useRecentJobs(filter: JobFilter = {}, perProject = 100) {
  const client = useClient();
  const projects = useProjects();
  const projectIds = filter.projectId
    ? [filter.projectId]
    : (projects.data?.projects ?? []).map((project) => project.project_id);
  return useQueries({
    queries: projectIds.map((projectId) => {
      const request = {
        project_id: projectId,
        ...(filter.type ? { job_type: filter.type } : {}),
        ...(filter.status ? { job_status: filter.status } : {}),
      };
      return {
        queryKey: ['/list-jobs', request, perProject],
        queryFn: ({ signal }: { signal: AbortSignal }) => newestJobs(client, request, perProject, signal),
        // Who looks far back asks for much at a time, and so less often.
        refetchInterval: (query: { state: { data?: Job[] } }) =>
          (query.state.data?.some(isActive) ? RUNNING_POLL_MS : IDLE_POLL_MS) * Math.ceil(perProject / PAGE_MOST),
      };
    }),
    combine: (results) => ({
      jobs: results.flatMap((result) => result.data ?? []).sort((a, b) => b.created_ts - a.created_ts),
      isLoading: projects.isLoading || results.some((result) => result.isLoading),
      error: projects.error ?? results.find((result) => result.error)?.error ?? null,
    }),
  });
}

async function newestJobs(
  client: Kindred,
  request: RequestOf<'/list-jobs'>,
  most: number,
  signal: AbortSignal,
): Promise<Job[]> {
  const jobs: Job[] = [];
  let token: string | undefined;
  do {
    const page_size = Math.min(PAGE_MOST, most - jobs.length);
    const answer = await client.call('/list-jobs', { ...request, page_size, page_token: token }, { signal });
    jobs.push(...answer.jobs);
    token = answer.next_page_token ?? undefined;
  } while (token !== undefined && jobs.length < most);
  return jobs;
}

/**
 * How many jobs wait or run. When one of them ends, whatever it may have changed (models, deployments, the account's hours)
 * is asked for again, so that no page has to watch for it.
 */
export function useActiveJobCount(): number {
  const refresh = useRefresh();
  const active = useRecentJobs()
    .jobs.filter(isActive)
    .map((job) => job.job_id);
  const before = useRef<string[]>([]);
  useEffect(() => {
    const ended = before.current.some((jobId) => !active.includes(jobId));
    before.current = active;
    if (ended) void refresh('/list-models', '/get-model', '/get-account', '/list-jobs', '/get-job');
  });
  return active.length;
}

/** One job, asked for again and again until it has ended. */
export function useJob(projectId: string, jobId: string | null | undefined) {
  return useCall(
    '/get-job',
    { project_id: projectId, job_id: jobId ?? '' },
    { enabled: Boolean(jobId), pollMs: (job) => (!job || isActive(job) ? 700 : false) },
  );
}
