// Reads a job from its row.
import type { Job, JobType } from '../../domain/job.ts';
import type { JobStatus } from '../../domain/job-status.ts';
import type { Row } from '../database.ts';
import { storedObject } from './stored-json.ts';

export function jobOf(row: Row): Job {
  return {
    account_id: String(row.account_id),
    project_id: String(row.project_id),
    job_id: String(row.job_id),
    job_type: row.job_type as JobType,
    name: String(row.name),
    created_ts: Number(row.created_ts),
    job_data: storedObject(row.job_data),
    job_result: row.job_result === null ? null : storedObject(row.job_result),
    job_status: row.job_status as JobStatus,
    retry_count: Number(row.retry_count),
    progress: storedObject(row.progress),
    started_ts: row.started_ts === null ? null : Number(row.started_ts),
    finished_ts: row.finished_ts === null ? null : Number(row.finished_ts),
    failure_reason: row.failure_reason === null ? null : storedObject(row.failure_reason),
  };
}
