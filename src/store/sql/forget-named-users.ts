// Takes deleted users out of the requests of recommendation jobs that name them, oldest first: one that is submitted meanwhile is
// reached too. A request may name users by the megabyte, so each is read in a turn of its own.
import { ownTurn } from '../../domain/turns.ts';
import type { Database } from '../database.ts';

const JOBS_AT_ONCE = 100;

export async function forgetNamedUsers(
  database: Database,
  { accountId, datasetId }: { accountId: string; datasetId: string },
  users: ReadonlySet<string>,
): Promise<void> {
  for (let after = { created_ts: 0, job_id: '' }; ; ) {
    const jobs = await database.all<{ created_ts: number; job_id: string }>(
      `SELECT job.created_ts, job.job_id FROM job JOIN project ON project.project_id = job.project_id
       WHERE job.account_id = ? AND job.job_type = 'RECOMMENDATION'
         AND (project.user_dataset_id = ? OR project.event_dataset_id = ?)
         AND (job.created_ts, job.job_id) > (?, ?)
       ORDER BY job.created_ts, job.job_id LIMIT ?`,
      [accountId, datasetId, datasetId, after.created_ts, after.job_id, JOBS_AT_ONCE],
    );
    for (const { job_id } of jobs) {
      do await ownTurn();
      while (!(await takeOut(database, job_id, users)));
    }
    if (jobs.length < JOBS_AT_ONCE) return;
    after = jobs[jobs.length - 1];
  }
}

/** False when another node has taken other users out of the job meanwhile. */
async function takeOut(database: Database, jobId: string, users: ReadonlySet<string>): Promise<boolean> {
  const [found] = await database.all<{ job_data: string }>(
    `SELECT job_data FROM job WHERE job_id = ? AND job_data LIKE '%"user_ids":%'`,
    [jobId],
  );
  if (!found) return true;
  const data = JSON.parse(found.job_data);
  const named: string[] = data.users?.user_ids ?? [];
  const left = named.filter((id) => !users.has(id));
  if (left.length === named.length) return true;
  const changed = JSON.stringify({ ...data, users: { user_ids: left } });
  const sql = 'UPDATE job SET job_data = ? WHERE job_id = ? AND job_data = ? RETURNING job_id';
  const [updated] = await database.atomic([{ sql, params: [changed, jobId, found.job_data] }]);
  return updated.length > 0;
}
