// Checks of a project's data as jobs: at most one waits or runs.
import type { JobStore } from '../store/job-store.ts';

/** Returns the check that has not ended; null if there is none. */
export async function unfinishedCheck(
  jobs: Pick<JobStore, 'list'>,
  accountId: string,
  projectId: string,
): Promise<string | null> {
  for (const job_status of ['RUNNING', 'PENDING'] as const) {
    const filter = { project_id: projectId, job_type: 'DATA_HEALTH' as const, job_status };
    const { entries } = await jobs.list(accountId, filter, { page_size: 1, page_token: null });
    if (entries.length > 0) return entries[0].job_id;
  }
  return null;
}
