// The queue of jobs over the Database seam. The row's lock is taken first wherever several statements belong together.
import type { FailureReason, JobProgress, JobType } from '../../domain/job.ts';
import { MAX_RETRIES } from '../../domain/job.ts';
import type { Database, Row, SqlValue, Statement } from '../database.ts';
import { ConstraintViolation } from '../database.ts';
import {
  type ClaimedJob,
  type JobQueue,
  type Lease,
  LONGEST_BACK_OFF_MS,
  type PartData,
  type Publication,
  type Retry,
  type RunningMark,
} from '../job-queue.ts';
import { lockParent, lockParentsOf, partOf, settleParent, settleParents, splitStatements } from './job-parts.ts';
import { jobOf } from './job-row.ts';
import { HELD, held } from './lease.ts';
import { erasuresSql } from './sql-dataset-store.ts';
import { insertModel } from './sql-model-store.ts';
import { announceEnds } from './sql-webhook-store.ts';

const MAX_MESSAGE_LENGTH = 2000;
const STARTED: JobProgress = { fraction: 0, phase: 'start', message: 'A worker has taken the job.' };

export class SqlJobQueue implements JobQueue {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async waitingTypes(): Promise<JobType[]> {
    const rows = await this.#database.all(`SELECT DISTINCT job_type FROM job WHERE job_status = 'PENDING'`);
    return rows.map((row) => row.job_type as JobType);
  }

  async claim(workerId: string, types: readonly JobType[], nowMs: number): Promise<ClaimedJob | null> {
    // SQLite runs one writing statement at a time. On PostgreSQL the row lock, together with skipping locked rows, has
    // the same effect.
    const lock = this.#database.dialect === 'postgres' ? 'FOR UPDATE OF candidate SKIP LOCKED' : '';
    const ofTypes = `job_type IN (${types.map(() => '?').join(', ')})`;
    let rows: Row[];
    try {
      [rows] = await this.#database.atomic([
        {
          sql: `UPDATE job SET job_status = 'RUNNING', attempt = attempt + 1, heartbeat = heartbeat + 1, worker_id = ?,
                  started_ts = CASE WHEN part_count > 0 THEN started_ts ELSE CAST(? AS BIGINT) END, progress = ?
                WHERE job_id = (
                  SELECT candidate.job_id FROM job candidate
                  JOIN account ON account.account_id = candidate.account_id
                  LEFT JOIN (SELECT account_id, COUNT(*) AS jobs FROM job
                    WHERE job_status = 'RUNNING' AND worker_id IS NOT NULL AND ${ofTypes} GROUP BY account_id) running ON running.account_id = candidate.account_id
                  WHERE candidate.job_status = 'PENDING' AND candidate.${ofTypes}
                    AND (candidate.not_before_ts <= ? OR candidate.not_before_ts > ?)
                    AND NOT (candidate.job_type = 'DEPLOYMENT' AND EXISTS (
                      SELECT 1 FROM job other WHERE other.project_id = candidate.project_id
                        AND other.job_type = 'DEPLOYMENT' AND other.job_status = 'RUNNING'))
                  ORDER BY COALESCE(running.jobs, 0), account.last_claim_ts, candidate.created_ts,
                    COALESCE(candidate.parent_job_id, candidate.job_id), candidate.part_no
                  LIMIT 1 ${lock})
                RETURNING *`,
          params: [workerId, nowMs, JSON.stringify(STARTED), ...types, ...types, nowMs, nowMs + LONGEST_BACK_OFF_MS],
        },
        {
          sql: `UPDATE account SET last_claim_ts = ? WHERE account_id IN (
                  SELECT account_id FROM job WHERE job_status = 'RUNNING' AND worker_id = ? AND started_ts = ?)`,
          params: [nowMs, workerId, nowMs],
        },
      ]);
    } catch (error) {
      // Two workers claimed two deployments of one project at the same time. The unique index allows only one.
      if (error instanceof ConstraintViolation) return null;
      throw error;
    }
    if (rows.length === 0) return null;
    const job = jobOf(rows[0]);
    const lease = { jobId: job.job_id, attempt: Number(rows[0].attempt) };
    return { job, lease, part: partOf(rows[0]), parts: Number(rows[0].part_count) };
  }

  async heartbeat(lease: Lease, progress: JobProgress): Promise<boolean> {
    const [rows] = await this.#database.atomic([
      {
        sql: `UPDATE job SET heartbeat = heartbeat + 1, progress = ? WHERE ${HELD} RETURNING job_id`,
        params: [JSON.stringify(progress), ...held(lease)],
      },
    ]);
    return rows.length === 1;
  }

  async finish(lease: Lease, publication: Publication, nowMs: number): Promise<boolean> {
    const statements: Statement[] = [
      lockParent(lease.jobId),
      // Locks the row: whoever cancels the job or takes it back now waits, and then finds it ended.
      { sql: `UPDATE job SET heartbeat = heartbeat + 1 WHERE ${HELD}`, params: held(lease) },
    ];
    const { datasetIds, count } = publication.erasures ?? { datasetIds: [], count: 0 };
    const isUnerased = datasetIds.length > 0 ? `AND (${erasuresSql(datasetIds)}) = CAST(? AS BIGINT)` : '';
    if (datasetIds.length > 0) {
      // Locks the datasets: a user deleted at the same moment is either counted here, or the deletion finds this result.
      const places = datasetIds.map(() => '?').join(', ');
      const sql = `UPDATE dataset_count SET erasures = erasures WHERE dataset_id IN (${places})`;
      statements.push({ sql, params: datasetIds });
    }
    if (publication.model) statements.push(insertModel(publication.model, lease), countTrainingHours(lease, nowMs));
    statements.push({
      sql: `UPDATE job SET job_status = 'SUCCEED', job_result = ?, finished_ts = ?, progress = ?, worker_id = NULL
            WHERE ${HELD} ${isUnerased} RETURNING job_id`,
      params: [
        JSON.stringify(publication.result),
        nowMs,
        JSON.stringify({ fraction: 1, phase: 'done', message: '' }),
        ...held(lease),
        ...(datasetIds.length > 0 ? [...datasetIds, count] : []),
      ],
    });
    statements.push(...settleParent(lease.jobId, nowMs), announceEnds('job_id = ?', [lease.jobId], nowMs));
    // Also true if this attempt published earlier and only the response was lost: the worker must not discard its
    // result then.
    statements.push({
      sql: `SELECT job_id FROM job WHERE job_id = ? AND attempt = ? AND job_status = 'SUCCEED'`,
      params: held(lease),
    });
    const rows = await this.#database.atomic(statements);
    return rows.at(-1)!.length === 1;
  }

  async split(lease: Lease, parts: readonly PartData[]): Promise<boolean> {
    const rows = await this.#database.atomic(splitStatements(lease, parts));
    return rows.at(-1)!.length === 1;
  }

  async partResults(jobId: string): Promise<(Record<string, unknown> | null)[]> {
    const sql = 'SELECT job_result FROM job WHERE parent_job_id = ? ORDER BY part_no';
    const rows = await this.#database.all<{ job_result: string | null }>(sql, [jobId]);
    return rows.map(({ job_result }) => job_result && JSON.parse(job_result));
  }

  async waitsForParts(jobId: string): Promise<boolean> {
    const sql = `SELECT 1 FROM job WHERE job_id = ? AND part_count > 0 AND job_status IN ('PENDING', 'RUNNING')`;
    return (await this.#database.all(sql, [jobId])).length > 0;
  }

  async neededResults(leases: readonly Lease[]): Promise<boolean[]> {
    if (leases.length === 0) return [];
    const jobIds = [...new Set(leases.map(({ jobId }) => jobId))];
    const rows = await this.#database.all(
      `SELECT job_id, job_status, attempt FROM job WHERE job_id IN (${jobIds.map(() => '?').join(', ')})
         AND job_status IN ('PENDING', 'RUNNING', 'SUCCEED')`,
      jobIds,
    );
    const jobs = new Map(rows.map((row) => [String(row.job_id), row]));
    return leases.map(({ jobId, attempt }) => {
      const job = jobs.get(jobId);
      return job !== undefined && (job.job_status !== 'SUCCEED' || Number(job.attempt) === attempt);
    });
  }

  async fail(lease: Lease, reason: FailureReason, nowMs: number): Promise<boolean> {
    const [, rows] = await this.#database.atomic([
      lockParent(lease.jobId),
      {
        sql: `UPDATE job SET job_status = 'FAILED', failure_reason = ?, finished_ts = ?, worker_id = NULL
              WHERE ${HELD} RETURNING job_id`,
        params: [JSON.stringify({ ...reason, message: shortened(reason.message) }), nowMs, ...held(lease)],
      },
      ...settleParent(lease.jobId, nowMs),
      announceEnds('job_id = ?', [lease.jobId], nowMs),
    ]);
    return rows.length === 1;
  }

  async retry(lease: Lease, retry: Retry): Promise<boolean> {
    const [, rows] = await this.#database.atomic([
      lockParent(lease.jobId),
      retryStatement(HELD, held(lease), retry),
      ...settleParent(lease.jobId, retry.nowMs),
      announceEnds('job_id = ?', [lease.jobId], retry.nowMs),
    ]);
    return rows.length === 1;
  }

  async release(lease: Lease): Promise<boolean> {
    const [rows] = await this.#database.atomic([
      {
        sql: `UPDATE job SET job_status = 'PENDING', worker_id = NULL,
                started_ts = CASE WHEN part_count > 0 THEN started_ts ELSE NULL END
              WHERE ${HELD} RETURNING job_id`,
        params: held(lease),
      },
    ]);
    return rows.length === 1;
  }

  async running(): Promise<RunningMark[]> {
    const rows = await this.#database.all(`SELECT job_id, attempt, heartbeat FROM job
      WHERE job_status = 'RUNNING' AND worker_id IS NOT NULL`);
    return rows.map((row) => ({
      jobId: String(row.job_id),
      attempt: Number(row.attempt),
      heartbeat: Number(row.heartbeat),
    }));
  }

  async takeBack(mark: RunningMark, retry: Retry): Promise<boolean> {
    const [, rows] = await this.#database.atomic([
      lockParent(mark.jobId),
      retryStatement(`${HELD} AND heartbeat = ?`, [...held(mark), mark.heartbeat], retry),
      ...settleParent(mark.jobId, retry.nowMs),
      announceEnds('job_id = ?', [mark.jobId], retry.nowMs),
    ]);
    return rows.length === 1;
  }

  async takeBackFrom(workerId: string, retry: Retry): Promise<number> {
    const [, rows] = await this.#database.atomic([
      lockParentsOf(workerId),
      retryStatement(`worker_id = ? AND job_status = 'RUNNING'`, [workerId], retry),
      ...settleParents(retry.nowMs),
      announceEnds('TRUE', [], retry.nowMs),
    ]);
    return rows.length;
  }
}

/** Adds the whole time the job ran, of which the handler's is only a part. If a clock was set back, nothing is subtracted. */
function countTrainingHours(lease: Lease, nowMs: number): Statement {
  return {
    sql: `UPDATE account SET training_hours = training_hours + (
            SELECT CASE WHEN started_ts < CAST(? AS BIGINT) THEN (CAST(? AS BIGINT) - started_ts) / 3600000.0 ELSE 0 END
            FROM job WHERE ${HELD})
          WHERE account_id = (SELECT account_id FROM job WHERE ${HELD})`,
    params: [nowMs, nowMs, ...held(lease), ...held(lease)],
  };
}

/** Cut short because a message may quote data and is part of every list of jobs. */
const shortened = (message: string): string => message.slice(0, MAX_MESSAGE_LENGTH);

function retryStatement(where: string, params: readonly SqlValue[], { reason, backOffMs, nowMs }: Retry): Statement {
  const exhausted = `retry_count >= ${MAX_RETRIES}`;
  return {
    sql: `UPDATE job SET
            job_status = CASE WHEN ${exhausted} THEN 'FAILED' ELSE 'PENDING' END,
            failure_reason = CASE WHEN ${exhausted} THEN ? ELSE NULL END,
            finished_ts = CASE WHEN ${exhausted} THEN CAST(? AS BIGINT) ELSE NULL END,
            started_ts = CASE WHEN ${exhausted} OR part_count > 0 THEN started_ts ELSE NULL END,
            progress = CASE WHEN ${exhausted} THEN progress ELSE ? END,
            not_before_ts = ?,
            worker_id = NULL,
            retry_count = CASE WHEN ${exhausted} THEN retry_count ELSE retry_count + 1 END
          WHERE ${where} RETURNING job_id`,
    params: [
      JSON.stringify({
        code: reason.code,
        message: `The job was tried ${MAX_RETRIES + 1} times. ${shortened(reason.message)}`,
      }),
      nowMs,
      JSON.stringify({ fraction: 0, phase: 'waiting', message: `Will be tried again. ${shortened(reason.message)}` }),
      nowMs + Math.min(backOffMs, LONGEST_BACK_OFF_MS),
      ...params,
    ],
  };
}
