// Projects and jobs of the account. Jobs are polled while any of them runs.
import { useEffect, useRef } from 'react';
import type { RequestOf } from '../../../src/client/index.ts';
import { isActive } from '../../../src/domain/job-status.ts';
import { useCall, useRefresh } from './use-call.ts';
import { useEntries } from './use-entries.ts';

const RUNNING_POLL_MS = 1000;
const IDLE_POLL_MS = 8000;
const RECENT_JOBS = 100;
const NEWEST_JOBS = 10;
const CHANGED_BY_JOBS = [
  ...(['/list-models', '/get-model', '/get-account', '/list-jobs', '/get-job'] as const),
  ...(['/get-data-health', '/get-project-status'] as const),
];

export function useProjects() {
  return useEntries('/list-projects', {}, (client) => client.iterateProjects());
}

/** A page of jobs, newest first, polled. */
export function useJobs(request: RequestOf<'/list-jobs'>, settings: { keepPrevious?: boolean } = {}) {
  return useCall('/list-jobs', request, {
    ...settings,
    pollMs: (response) => (response?.jobs.some(isActive) ? RUNNING_POLL_MS : IDLE_POLL_MS),
  });
}

/** The newest jobs of the account or, if named, of one project. */
export function useRecentJobs(filter: Pick<RequestOf<'/list-jobs'>, 'project_id' | 'job_type'> = {}) {
  const { data, isLoading, error } = useJobs({ ...filter, page_size: RECENT_JOBS });
  return { jobs: data?.jobs ?? [], isLoading, error };
}

/**
 * How many jobs wait or run. When one ends, everything it may have changed (models, deployments, the account's hours) is
 * refetched, so that no page has to watch for it.
 */
export function useActiveJobCount(): number {
  const refresh = useRefresh();
  const waiting = useJobs({ job_status: 'PENDING', page_size: RECENT_JOBS });
  const running = useJobs({ job_status: 'RUNNING', page_size: RECENT_JOBS });
  const active = [waiting, running].flatMap(({ data }) => data?.jobs ?? []).map((job) => job.job_id);
  // A short job begins and ends between two looks: it is noticed when it is first listed as ended.
  const newest = useJobs({ page_size: NEWEST_JOBS });
  const ended = newest.data?.jobs.filter((job) => !isActive(job)).map((job) => job.job_id);
  const before = useRef<{ active: string[]; ended?: string[] }>({ active: [] });
  useEffect(() => {
    const known = before.current;
    const isOver =
      known.active.some((jobId) => !active.includes(jobId)) ||
      (known.ended && ended?.some((jobId) => !known.ended?.includes(jobId)));
    before.current = { active, ended: ended ?? known.ended };
    if (isOver) void refresh(...CHANGED_BY_JOBS);
  });
  return active.length;
}

/** One job, polled until it ends. */
export function useJob(projectId: string, jobId: string | null | undefined) {
  return useCall(
    '/get-job',
    { project_id: projectId, job_id: jobId ?? '' },
    { enabled: Boolean(jobId), pollMs: (job) => (!job || isActive(job) ? 700 : false) },
  );
}
