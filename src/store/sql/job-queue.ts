// The queue of jobs, as workers use it: the row of a job (job-store.ts) is the queue entry, so submitting, running and
// publishing need no second system.
//
//   PENDING ──claim──▶ RUNNING ──finish──▶ SUCCEED
//      ▲                  │ ├─────fail────▶ FAILED      the data shows that it cannot succeed: at once
//      │                  │ └────cancel───▶ CANCELLED   also from PENDING
//      └──release, retry──┘       retry: at most MAX_RETRIES times, then FAILED
//
// A claim raises `attempt` and gives a lease (lease.ts), which every write of a worker asks for. finish() takes the row's lock
// first and publishes the model, the training hours and the status in that one transaction: a result is published once or not
// at all.
//
// No clock decides a lease. A holder raises the counter `heartbeat`; an observer (any worker, see cluster/stillness-watch.ts)
// times with its own monotonic clock how long the counter stood still, and takes the job back only if attempt and counter are
// still those it timed. Clocks may differ between machines and may jump. The one use of wall time is the back-off before a
// retry, and a pause longer than the longest back-off is taken for a clock that was set back.
import type { FailureReason, Job, JobProgress, JobType } from '../../domain/job.ts';
import { MAX_RETRIES } from '../../domain/job.ts';
import type { Model } from '../../domain/model.ts';
import type { Database, Row, Statement } from '../database.ts';
import { ConstraintViolation } from '../database.ts';
import { jobOf } from './job-store.ts';
import { HELD, held, type Lease } from './lease.ts';
import { insertModel } from './model-store.ts';

export interface ClaimedJob {
  readonly job: Job;
  readonly lease: Lease;
}

/** What a successful job leaves behind, published together with its status. */
export interface Publication {
  result: Record<string, unknown>;
  model?: Model;
  /** hours to add to the account's use */
  trainingHours?: number;
}

/** A running job as an observer sees it. */
export interface RunningMark extends Lease {
  readonly heartbeat: number;
}

const STARTED: JobProgress = { fraction: 0, phase: 'start', message: 'A worker has taken the job.' };

export const LONGEST_BACK_OFF_MS = 10 * 60_000;

export class JobQueue {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Types of which a job may be waiting: a cheap read before a claim, which writes. */
  async waitingTypes(): Promise<JobType[]> {
    const rows = await this.#database.all(`SELECT DISTINCT job_type FROM job WHERE job_status = 'PENDING'`);
    return rows.map((row) => row.job_type as JobType);
  }

  /** The oldest job of these types that may run now; one deployment at a time in a project. */
  async claim(workerId: string, types: readonly JobType[], nowMs: number): Promise<ClaimedJob | null> {
    // On SQLite the statement is alone in the database; on PostgreSQL the row lock, and skipping locked rows, does the same.
    const lock = this.#database.dialect === 'postgres' ? 'FOR UPDATE SKIP LOCKED' : '';
    let rows: Row[];
    try {
      [rows] = await this.#database.atomic([
        {
          sql: `UPDATE job SET job_status = 'RUNNING', attempt = attempt + 1, heartbeat = heartbeat + 1, worker_id = ?,
                  started_ts = ?, progress = ?
                WHERE job_id = (
                  SELECT candidate.job_id FROM job candidate
                  WHERE candidate.job_status = 'PENDING' AND candidate.job_type IN (${types.map(() => '?').join(', ')})
                    AND (candidate.not_before_ts <= ? OR candidate.not_before_ts > ?)
                    AND NOT (candidate.job_type = 'DEPLOYMENT' AND EXISTS (
                      SELECT 1 FROM job other WHERE other.project_id = candidate.project_id
                        AND other.job_type = 'DEPLOYMENT' AND other.job_status = 'RUNNING'))
                  ORDER BY candidate.created_ts, candidate.job_id LIMIT 1 ${lock})
                RETURNING *`,
          params: [workerId, nowMs, JSON.stringify(STARTED), ...types, nowMs, nowMs + LONGEST_BACK_OFF_MS],
        },
      ]);
    } catch (error) {
      // Two workers took two deployments of one project in the same instant: the unique index lets one of them have it.
      if (error instanceof ConstraintViolation) return null;
      throw error;
    }
    if (rows.length === 0) return null;
    const job = jobOf(rows[0]);
    return { job, lease: { jobId: job.job_id, attempt: Number(rows[0].attempt) } };
  }

  /** Keeps the lease; false when it is lost (taken back, cancelled). Also writes the progress. */
  async heartbeat(lease: Lease, progress: JobProgress): Promise<boolean> {
    const [rows] = await this.#database.atomic([
      {
        sql: `UPDATE job SET heartbeat = heartbeat + 1, progress = ? WHERE ${HELD} RETURNING job_id`,
        params: [JSON.stringify(progress), ...held(lease)],
      },
    ]);
    return rows.length === 1;
  }

  /** Publishes the result and ends the job; false when the lease was lost and nothing was published. */
  async finish(lease: Lease, publication: Publication, nowMs: number): Promise<boolean> {
    const statements: Statement[] = [
      // Takes the row's lock: whoever cancels or takes the job back now waits, and then finds it ended.
      { sql: `UPDATE job SET heartbeat = heartbeat + 1 WHERE ${HELD}`, params: held(lease) },
    ];
    if (publication.model) statements.push(insertModel(publication.model, lease));
    if (publication.trainingHours) {
      statements.push({
        sql: `UPDATE account SET training_hours = training_hours + ?
              WHERE account_id = (SELECT account_id FROM job WHERE ${HELD})`,
        params: [publication.trainingHours, ...held(lease)],
      });
    }
    statements.push({
      sql: `UPDATE job SET job_status = 'SUCCEED', job_result = ?, finished_ts = ?, progress = ?, worker_id = NULL
            WHERE ${HELD} RETURNING job_id`,
      params: [
        JSON.stringify(publication.result),
        nowMs,
        JSON.stringify({ fraction: 1, phase: 'done', message: '' }),
        ...held(lease),
      ],
    });
    const rows = await this.#database.atomic(statements);
    return rows[rows.length - 1].length === 1;
  }

  /** Ends the job as FAILED, without retries. */
  async fail(lease: Lease, reason: FailureReason, nowMs: number): Promise<boolean> {
    const [rows] = await this.#database.atomic([
      {
        sql: `UPDATE job SET job_status = 'FAILED', failure_reason = ?, finished_ts = ?, worker_id = NULL
              WHERE ${HELD} RETURNING job_id`,
        params: [JSON.stringify(reason), nowMs, ...held(lease)],
      },
    ]);
    return rows.length === 1;
  }

  /** Puts the job back after an unexpected error, or ends it when its retries are used up. */
  async retry(lease: Lease, reason: FailureReason, backOffMs: number, nowMs: number): Promise<boolean> {
    const [rows] = await this.#database.atomic([retryStatement(HELD, held(lease), reason, backOffMs, nowMs)]);
    return rows.length === 1;
  }

  /** Hands the job back without counting a retry, when its worker shuts down. */
  async release(lease: Lease): Promise<boolean> {
    const [rows] = await this.#database.atomic([
      {
        sql: `UPDATE job SET job_status = 'PENDING', worker_id = NULL, started_ts = NULL WHERE ${HELD} RETURNING job_id`,
        params: held(lease),
      },
    ]);
    return rows.length === 1;
  }

  /** Every running job with its heartbeat: what an observer times. */
  async running(): Promise<RunningMark[]> {
    const rows = await this.#database.all(`SELECT job_id, attempt, heartbeat FROM job WHERE job_status = 'RUNNING'`);
    return rows.map((row) => ({
      jobId: String(row.job_id),
      attempt: Number(row.attempt),
      heartbeat: Number(row.heartbeat),
    }));
  }

  /** Takes a job back whose heartbeat stood still, if it still does. */
  async takeBack(mark: RunningMark, reason: FailureReason, backOffMs: number, nowMs: number): Promise<boolean> {
    const [rows] = await this.#database.atomic([
      retryStatement(`${HELD} AND heartbeat = ?`, [...held(mark), mark.heartbeat], reason, backOffMs, nowMs),
    ]);
    return rows.length === 1;
  }

  /** Takes back all jobs of a worker that is known to be dead; answers how many. */
  async takeBackFrom(workerId: string, reason: FailureReason, backOffMs: number, nowMs: number): Promise<number> {
    const [rows] = await this.#database.atomic([
      retryStatement(`worker_id = ? AND job_status = 'RUNNING'`, [workerId], reason, backOffMs, nowMs),
    ]);
    return rows.length;
  }
}

function retryStatement(
  where: string,
  params: (string | number)[],
  reason: FailureReason,
  backOffMs: number,
  nowMs: number,
): Statement {
  const exhausted = `retry_count >= ${MAX_RETRIES}`;
  return {
    sql: `UPDATE job SET
            job_status = CASE WHEN ${exhausted} THEN 'FAILED' ELSE 'PENDING' END,
            failure_reason = CASE WHEN ${exhausted} THEN ? ELSE NULL END,
            finished_ts = CASE WHEN ${exhausted} THEN CAST(? AS BIGINT) ELSE NULL END,
            started_ts = CASE WHEN ${exhausted} THEN started_ts ELSE NULL END,
            progress = CASE WHEN ${exhausted} THEN progress ELSE ? END,
            not_before_ts = ?,
            worker_id = NULL,
            retry_count = CASE WHEN ${exhausted} THEN retry_count ELSE retry_count + 1 END
          WHERE ${where} RETURNING job_id`,
    params: [
      JSON.stringify({
        code: reason.code,
        message: `The job was tried ${MAX_RETRIES + 1} times. ${reason.message}`,
      }),
      nowMs,
      JSON.stringify({ fraction: 0, phase: 'waiting', message: `Will be tried again. ${reason.message}` }),
      nowMs + Math.min(backOffMs, LONGEST_BACK_OFF_MS),
      ...params,
    ],
  };
}
