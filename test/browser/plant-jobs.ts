// Job rows in states that are hard to meet in time: waiting for long, running on a worker that is elsewhere, long ago.
import type { JobProgress, JobType } from '../../src/domain/job.ts';
import { openStore } from '../../src/store/open-store.ts';
import { newId } from '../support/new-ids.ts';
import type { ServiceProcess } from '../support/service.ts';
import type { TasteProject } from '../support/taste-project.ts';

const NO_PROGRESS: JobProgress = { fraction: 0, phase: '', message: '' };

export async function plantJob(
  service: ServiceProcess,
  project: TasteProject,
  {
    type = 'TRAINING',
    name,
    notBefore = 0,
    running,
  }: { type?: JobType; name: string; notBefore?: number; running?: JobProgress },
): Promise<string> {
  const jobId = newId('job');
  await insertJobs(service, `VALUES (?, ?, ?, '${type}', ?, ?, '{}', ?, 1, ?, ?, ?, NULL, NULL)`, [
    jobId,
    project.account_id,
    project.project_id,
    name,
    Date.now(),
    running ? 'RUNNING' : 'PENDING',
    JSON.stringify(running ?? NO_PROGRESS),
    notBefore,
    running ? Date.now() : null,
  ]);
  return jobId;
}

/** A training that failed for this reason, and a check of the data that succeeded after it. */
export async function plantFailedTraining(
  service: ServiceProcess,
  project: TasteProject,
  reason: string,
): Promise<void> {
  const now = Date.now();
  for (const [type, status, message, ageMs] of [
    ['TRAINING', 'FAILED', reason, 2000],
    ['DATA_HEALTH', 'SUCCEED', null, 1000],
  ] as const) {
    await insertJobs(service, `VALUES (?, ?, ?, '${type}', ?, ?, '{}', '${status}', 0, ?, 0, ?, ?, ?)`, [
      newId('job', now - ageMs),
      project.account_id,
      project.project_id,
      type,
      now - ageMs,
      JSON.stringify(NO_PROGRESS),
      now - ageMs,
      now - ageMs,
      message && JSON.stringify({ code: 'PLANTED', message }),
    ]);
  }
}

/** `old job 1` is the oldest. */
export async function plantOldJobs(service: ServiceProcess, project: TasteProject, count: number): Promise<void> {
  await insertJobs(
    service,
    `WITH RECURSIVE old (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM old WHERE n < ${count})
     SELECT 'job-old-' || n, ?, ?, 'TRAINING', 'old job ' || n, 1600000000000 + n, '{}', 'CANCELLED', 0, ?, 0, NULL, NULL, NULL FROM old`,
    [project.account_id, project.project_id, JSON.stringify(NO_PROGRESS)],
  );
}

async function insertJobs(service: ServiceProcess, rows: string, params: (string | number | null)[]): Promise<void> {
  const store = await openStore(service);
  const columns = `job_id, account_id, project_id, job_type, name, created_ts, job_data, job_status, retry_count, progress,
    not_before_ts, started_ts, finished_ts, failure_reason`;
  await store.database.atomic([{ sql: `INSERT INTO job (${columns}) ${rows}`, params }]);
  await store.close();
}
