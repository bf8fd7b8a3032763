// Jobs as the API sees them, over the Database seam.
import { type Job, type JobType, MAX_PENDING_JOBS } from '../../domain/job.ts';
import type { JobStatus } from '../../domain/job-status.ts';
import type { Database, Row, Statement } from '../database.ts';
import type { JobCount, JobFilter, JobStore } from '../job-store.ts';
import type { Page, PageRequest } from '../page.ts';
import { forgetNamedUsers } from './forget-named-users.ts';
import { deletePartsOf, withPartProgress } from './job-parts.ts';
import { jobOf } from './job-row.ts';
import { listRows } from './list-rows.ts';
import { RESULT_FILE_GROUPS } from './result-jobs.ts';
import { refuseLargeObject } from './stored-json.ts';

const OF_CALLER = 'job_id = ? AND account_id = ? AND project_id = ? AND parent_job_id IS NULL';
/** The condition that a worker holds the job. */
const IS_HELD = `(job_status = 'RUNNING' AND worker_id IS NOT NULL)`;
/** A partial index has the jobs of each state. No index has those of both: with OR, all jobs ever run would be read. */
export const COUNTS_SQL = ["job_status = 'PENDING'", IS_HELD]
  .map(
    (state) => `SELECT job_type, job_status, COUNT(*) AS count FROM job WHERE ${state} GROUP BY job_type, job_status`,
  )
  .join(' UNION ALL ');
const FILTER_COLUMNS = ['project_id', 'job_type', 'job_status'] as const;

export class SqlJobStore implements JobStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async submit(job: Job): Promise<'submitted' | 'missing-project' | 'too-many'> {
    refuseLargeObject('job', job);
    const [found, , inserted] = await this.#database.atomic([...locksFor(job), insertJob(job, hasRoomFor(job))]);
    if (found.length === 0) return 'missing-project';
    return inserted.length === 1 ? 'submitted' : 'too-many';
  }

  async submitOnce(job: Job): Promise<{ job_id: string } | 'missing-project' | 'too-many'> {
    refuseLargeObject('job', job);
    const room = hasRoomFor(job);
    const same = unfinishedLike(job);
    const condition = { sql: `${room.sql} AND NOT EXISTS (${same.sql})`, params: [...room.params, ...same.params] };
    const [found, , , jobs] = await this.#database.atomic([...locksFor(job), insertJob(job, condition), same]);
    if (found.length === 0) return 'missing-project';
    return jobs.length === 0 ? 'too-many' : { job_id: String(jobs[0].job_id) };
  }

  async get(accountId: string, projectId: string, jobId: string): Promise<Job | null> {
    const rows = await this.#database.all(`SELECT * FROM job WHERE ${OF_CALLER}`, [jobId, accountId, projectId]);
    return rows.length === 0 ? null : (await withPartProgress(this.#database, rows.map(jobOf)))[0];
  }

  async list(accountId: string, filter: JobFilter, page: PageRequest): Promise<Page<Job>> {
    const asked = FILTER_COLUMNS.filter((column) => filter[column] !== undefined);
    const listing = {
      table: 'job',
      select: 'SELECT * FROM job',
      idColumn: 'job_id',
      read: jobOf,
      where: ['account_id', ...asked]
        .map((column) => `${column} = ? AND `)
        .join('')
        .concat('parent_job_id IS NULL'),
      params: [accountId, ...asked.map((column) => filter[column]!)],
      jsonColumns: ['job_data', 'job_result', 'progress', 'failure_reason'],
    };
    const found = await listRows(this.#database, listing, page);
    return { ...found, entries: await withPartProgress(this.#database, found.entries) };
  }

  async cancel(
    accountId: string,
    projectId: string,
    jobId: string,
    nowMs: number,
  ): Promise<Job | 'ended' | 'switched' | null> {
    const [, changed, , found] = await this.#database.atomic([
      // Locks the row first, so that a deployment cannot switch between the two conditions below.
      { sql: `UPDATE job SET heartbeat = heartbeat WHERE ${OF_CALLER}`, params: [jobId, accountId, projectId] },
      {
        sql: `UPDATE job SET job_status = 'CANCELLED', finished_ts = ?, worker_id = NULL
              WHERE ${OF_CALLER} AND job_status IN ('PENDING', 'RUNNING') AND NOT EXISTS (
                SELECT 1 FROM deployment WHERE deployment.job_id = job.job_id AND state = 'ACTIVE')
              RETURNING *`,
        params: [nowMs, jobId, accountId, projectId],
      },
      deletePartsOf(jobId),
      {
        sql: `UPDATE job SET heartbeat = heartbeat WHERE ${OF_CALLER} RETURNING *`,
        params: [jobId, accountId, projectId],
      },
    ]);
    if (changed.length === 1) return jobOf(changed[0]);
    if (found.length === 0) return null;
    return found[0].job_status === 'RUNNING' ? 'switched' : 'ended';
  }

  async resultsOver(accountId: string, datasetId: string, sinceTs: number): Promise<Record<string, unknown>[]> {
    const rows = await this.#database.all<{ job_result: string }>(
      RESULT_FILE_GROUPS.map(
        (isOfGroup) =>
          `SELECT job.job_result FROM job JOIN project ON project.project_id = job.project_id
             WHERE job.account_id = ? AND job.job_status = 'SUCCEED' AND ${isOfGroup}
               AND job.finished_ts >= ? AND (project.user_dataset_id = ? OR project.event_dataset_id = ?)`,
      ).join(' UNION ALL '),
      RESULT_FILE_GROUPS.flatMap(() => [accountId, sinceTs, datasetId, datasetId]),
    );
    return rows.map(({ job_result }) => JSON.parse(job_result));
  }

  forgetUsers(accountId: string, datasetId: string, users: ReadonlySet<string>): Promise<void> {
    return forgetNamedUsers(this.#database, { accountId, datasetId }, users);
  }

  async counts(): Promise<JobCount[]> {
    return (await this.#database.all(COUNTS_SQL)).map(countOf);
  }

  async heartbeats(): Promise<number> {
    const [row] = await this.#database.all(
      `SELECT COALESCE(SUM(heartbeat), 0) AS heartbeats FROM job WHERE ${IS_HELD}`,
    );
    return Number(row.heartbeats);
  }

  async failedSince(ts: number): Promise<JobCount[]> {
    const rows = await this.#database.all(
      `SELECT job_type, job_status, COUNT(*) AS count FROM job WHERE job_status = 'FAILED' AND finished_ts >= ?
       GROUP BY job_type, job_status`,
      [ts],
    );
    return rows.map(countOf);
  }
}

function countOf(row: Row): JobCount {
  return {
    job_type: row.job_type as JobType,
    job_status: row.job_status as JobStatus,
    count: Number(row.count),
  };
}

/**
 * Locks the project, so that it cannot be deleted before it has unfinished work, and the account, so that jobs submitted at the
 * same moment are counted.
 */
function locksFor({ account_id, project_id }: Job): Statement[] {
  return [
    {
      sql: 'UPDATE project SET name = name WHERE account_id = ? AND project_id = ? RETURNING project_id',
      params: [account_id, project_id],
    },
    { sql: 'UPDATE account SET name = name WHERE account_id = ?', params: [account_id] },
  ];
}

function hasRoomFor({ account_id, project_id }: Job) {
  return {
    sql: `EXISTS (SELECT 1 FROM project WHERE project_id = ? AND account_id = ?)
            AND (SELECT COUNT(*) FROM job WHERE account_id = ? AND job_status = 'PENDING'
              AND parent_job_id IS NULL) < ${MAX_PENDING_JOBS}`,
    params: [project_id, account_id, account_id],
  };
}

function unfinishedLike({ account_id, project_id, job_type, job_data }: Job) {
  return {
    sql: `SELECT job_id FROM job WHERE account_id = ? AND project_id = ? AND job_type = ? AND job_data = ?
            AND job_status IN ('PENDING', 'RUNNING') AND parent_job_id IS NULL`,
    params: [account_id, project_id, job_type, JSON.stringify(job_data)],
  };
}

/** Puts the job into the queue if the condition holds. */
export function insertJob(job: Job, condition: Statement): Statement {
  return {
    sql: `INSERT INTO job (job_id, account_id, project_id, job_type, name, created_ts, job_data, job_status, progress)
          SELECT ?, ?, ?, ?, ?, CAST(? AS BIGINT), ?, 'PENDING', ? WHERE ${condition.sql} RETURNING job_id`,
    params: [
      job.job_id,
      job.account_id,
      job.project_id,
      job.job_type,
      job.name,
      job.created_ts,
      JSON.stringify(job.job_data),
      JSON.stringify(job.progress),
      ...(condition.params ?? []),
    ],
  };
}
