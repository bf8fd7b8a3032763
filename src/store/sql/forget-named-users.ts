// Takes deleted users out of the requests of recommendation jobs that name them, oldest first: one that is submitted meanwhile is
// reached too. A request may be large, so a turn reads only as many as fit in some bytes.
import { ownTurn } from '../../base/turns.ts';
import type { Database } from '../database.ts';
import { fitting } from '../page.ts';

const JOBS_AT_ONCE = 500;
const AT_ONCE = { page_size: JOBS_AT_ONCE, page_token: null, max_bytes: 256 * 1024 };

interface JobHead {
  created_ts: number;
  job_id: string;
  bytes: number;
}

export async function forgetNamedUsers(
  database: Database,
  { accountId, datasetId }: { accountId: string; datasetId: string },
  users: ReadonlySet<string>,
): Promise<void> {
  for (let after: Omit<JobHead, 'bytes'> = { created_ts: 0, job_id: '' }; ; ) {
    const heads = await database.all<JobHead>(
      `SELECT job.created_ts, job.job_id, octet_length(job.job_data) AS bytes
       FROM job JOIN project ON project.project_id = job.project_id
       WHERE job.account_id = ? AND job.job_type = 'RECOMMENDATION'
         AND (project.user_dataset_id = ? OR project.event_dataset_id = ?)
         AND (job.created_ts, job.job_id) > (?, ?)
       ORDER BY job.created_ts, job.job_id LIMIT ?`,
      [accountId, datasetId, datasetId, after.created_ts, after.job_id, JOBS_AT_ONCE],
    );
    if (heads.length === 0) return;
    const sizes = heads.map(({ bytes }) => bytes);
    const jobs = heads.slice(0, fitting(sizes, AT_ONCE));
    for (let ids = jobs.map(({ job_id }) => job_id); ids.length > 0; ) {
      await ownTurn();
      ids = await takeOut(database, ids, users);
    }
    after = jobs[jobs.length - 1];
  }
}

/** Returns the jobs that another node took other users out of meanwhile. */
async function takeOut(database: Database, jobIds: readonly string[], users: ReadonlySet<string>): Promise<string[]> {
  const found = await database.all<{ job_id: string; job_data: string }>(
    `SELECT job_id, job_data FROM job
     WHERE job_id IN (${jobIds.map(() => '?').join(', ')}) AND job_data LIKE '%"user_ids":%'`,
    jobIds,
  );
  const missed: string[] = [];
  for (const { job_id, job_data } of found) {
    const data = JSON.parse(job_data);
    const named: string[] = data.users?.user_ids ?? [];
    const left = named.filter((id) => !users.has(id));
    if (left.length === named.length) continue;
    const changed = JSON.stringify({ ...data, users: { user_ids: left } });
    const sql = 'UPDATE job SET job_data = ? WHERE job_id = ? AND job_data = ? RETURNING job_id';
    const [updated] = await database.atomic([{ sql, params: [changed, job_id, job_data] }]);
    if (updated.length === 0) missed.push(job_id);
  }
  return missed;
}
