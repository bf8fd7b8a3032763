// Parts of a job, as rows of the queue (../job-queue.ts says what becomes of them). Whatever ends a part locks the row of its job
// first, so that of two parts that end at the same moment the later one sees the other, and a job that is canceled meanwhile
// leaves no part behind.
import type { Job, JobProgress } from '../../domain/job.ts';
import type { Database, Row, Statement } from '../database.ts';
import { type ClaimedPart, JOIN_FROM, type Lease, type PartData } from '../job-queue.ts';
import { HELD, held } from './lease.ts';
import { announceEnds } from './sql-webhook-store.ts';

/** The condition for a job that waits for its parts: no worker holds it. */
const WAITS = `job_status = 'RUNNING' AND worker_id IS NULL AND part_count > 0`;
const ENDED = `job_status IN ('SUCCEED', 'FAILED', 'CANCELLED')`;
const PARENT = 'job_id = (SELECT parent_job_id FROM job part WHERE part.job_id = ?)';
/** Progress at which the parts begin. Cutting takes the share before. */
const PARTS_FROM = 0.02;

const CUT: JobProgress = { fraction: PARTS_FROM, phase: 'parts', message: 'The job was cut into parts.' };
const JOINING: JobProgress = {
  fraction: JOIN_FROM,
  phase: 'join',
  message: 'All parts are done. Waiting to be joined.',
};

export function partOf(row: Row): ClaimedPart | null {
  if (row.parent_job_id === null) return null;
  const { part } = JSON.parse(String(row.job_data)) as { part: PartData };
  return { jobId: String(row.parent_job_id), number: Number(row.part_no), data: part };
}

/** Cuts a job. The last statement returns the job if it was cut. */
export function splitStatements(lease: Lease, parts: readonly PartData[]): Statement[] {
  const waiting = JSON.stringify({ fraction: 0, phase: 'waiting', message: 'Waiting for a worker.' });
  return [
    { sql: `UPDATE job SET heartbeat = heartbeat + 1 WHERE ${HELD}`, params: held(lease) },
    ...parts.map((part, number) => ({
      // A part has the creation time of its job, and so its place in the queue.
      sql: `INSERT INTO job (job_id, account_id, project_id, job_type, name, created_ts, job_data, job_status, progress,
              parent_job_id, part_no)
            SELECT ?, account_id, project_id, job_type, name, created_ts, ?, 'PENDING', ?, job_id, CAST(? AS BIGINT)
            FROM job WHERE ${HELD}`,
      params: [`${lease.jobId}.${number}`, JSON.stringify({ part }), waiting, number, ...held(lease)],
    })),
    {
      // The attempt that cut the job is over: its worker can change nothing any more.
      sql: `UPDATE job SET attempt = attempt + 1, worker_id = NULL, part_count = ?, progress = ?
            WHERE ${HELD} RETURNING job_id`,
      params: [parts.length, JSON.stringify(CUT), ...held(lease)],
    },
  ];
}

/** Locks the part's job. Run it before anything that may end a part. */
export function lockParent(jobId: string): Statement {
  return { sql: `UPDATE job SET heartbeat = heartbeat WHERE ${PARENT}`, params: [jobId] };
}

/** Locks the jobs of all parts that the worker runs. */
export function lockParentsOf(workerId: string): Statement {
  const sql = `UPDATE job SET heartbeat = heartbeat WHERE job_id IN (SELECT parent_job_id FROM job part
    WHERE part.worker_id = ? AND part.parent_job_id IS NOT NULL)`;
  return { sql, params: [workerId] };
}

/**
 * Updates the job's status from its parts and deletes parts of ended jobs. Run it after anything that may have ended
 * this part or job.
 */
export function settleParent(jobId: string, nowMs: number): Statement[] {
  return [
    ...settle(`AND ${PARENT}`, [jobId], nowMs),
    {
      sql: `DELETE FROM job WHERE parent_job_id IN (SELECT job_id FROM job parent
              WHERE (parent.job_id = ? OR parent.${PARENT}) AND parent.${ENDED})`,
      params: [jobId, jobId],
    },
  ];
}

/** Like settleParent, for all jobs. Run it after a change that may have ended many. */
export function settleParents(nowMs: number): Statement[] {
  return [
    ...settle('', [], nowMs),
    {
      sql: `DELETE FROM job WHERE parent_job_id IN (SELECT job_id FROM job parent WHERE part_count > 0 AND parent.${ENDED})`,
    },
  ];
}

function settle(which: string, params: readonly string[], nowMs: number): Statement[] {
  const partsThat = (condition: string) =>
    `(SELECT 1 FROM job part WHERE part.parent_job_id = job.job_id AND part.job_status ${condition})`;
  return [
    {
      sql: `UPDATE job SET job_status = 'FAILED', finished_ts = ?, failure_reason = (SELECT part.failure_reason FROM job part
              WHERE part.parent_job_id = job.job_id AND part.job_status = 'FAILED' ORDER BY part.part_no LIMIT 1)
            WHERE ${WAITS} ${which} AND EXISTS ${partsThat("= 'FAILED'")}`,
      params: [nowMs, ...params],
    },
    {
      sql: `UPDATE job SET job_status = 'PENDING', progress = ?
            WHERE ${WAITS} ${which} AND NOT EXISTS ${partsThat("<> 'SUCCEED'")}`,
      params: [JSON.stringify(JOINING), ...params],
    },
    announceEnds(`part_count > 0 ${which}`, params, nowMs),
  ];
}

export function deletePartsOf(jobId: string): Statement {
  return {
    sql: `DELETE FROM job WHERE parent_job_id = (SELECT job_id FROM job parent WHERE parent.job_id = ? AND parent.${ENDED})`,
    params: [jobId],
  };
}

/** Gives jobs that wait for their parts the progress of these parts. */
export async function withPartProgress(database: Database, jobs: readonly Job[]): Promise<Job[]> {
  const waiting = jobs.filter(({ job_status, progress }) => job_status === 'RUNNING' && progress.phase === CUT.phase);
  if (waiting.length === 0) return [...jobs];
  const rows = await database.all(
    `SELECT parent_job_id, job_status, progress FROM job WHERE parent_job_id IN (${waiting.map(() => '?').join(', ')})`,
    waiting.map(({ job_id }) => job_id),
  );
  const byParent = Map.groupBy(rows, (row) => String(row.parent_job_id));
  return jobs.map((job) => {
    const parts = byParent.get(job.job_id);
    return parts === undefined || job.progress.phase !== CUT.phase ? job : { ...job, progress: sumOf(parts) };
  });
}

function sumOf(parts: readonly Row[]): JobProgress {
  let done = 0;
  let running = 0;
  let fraction = 0;
  for (const { job_status, progress } of parts) {
    if (job_status === 'SUCCEED') done++;
    if (job_status === 'RUNNING') running++;
    fraction += job_status === 'SUCCEED' ? 1 : (JSON.parse(String(progress)) as JobProgress).fraction;
  }
  return {
    fraction: PARTS_FROM + (JOIN_FROM - PARTS_FROM) * (fraction / parts.length),
    phase: CUT.phase,
    message: `${done} of ${parts.length} parts are done, ${running} running.`,
  };
}
