// Jobs: what they are, how many there may be, and what they are called.
import { type IdSource, newId } from './ids.ts';
import type { JobStatus } from './job-status.ts';

export const JOB_TYPES = [
  ...(['TRAINING', 'DEPLOYMENT', 'QUERYING', 'CLUSTERING', 'RECOMMENDATION', 'EXPORT', 'DATA_HEALTH'] as const),
  'IMPORT',
] as const;
export const MAX_RETRIES = 3;
/** Jobs of one account that may wait at the same time, over all its projects. */
export const MAX_PENDING_JOBS = 500;
/** Limit of a result's lines, unless the operator sets another. */
export const DEFAULT_RESULT_GIB = 8;
/** Keeps a job's row small, however many variants are tried. */
export const MAX_TRIALS = 100;
export type JobType = (typeof JOB_TYPES)[number];
/** Jobs whose results are files. These can name users, so they are searched when users are deleted. */
export const RESULT_JOB_TYPES: readonly JobType[] = ['QUERYING', 'CLUSTERING', 'RECOMMENDATION', 'EXPORT'];

export interface JobProgress {
  /** from 0 to 1 */
  fraction: number;
  phase: string;
  message: string;
  /** for a training: the settings tried so far, in order, with their NDCG on held-out events; the newest MAX_TRIALS */
  tried?: Trial[];
  /** for a training that counts on Spark: where its log is */
  spark?: SparkRun;
}

/** The application of a training on a Spark cluster. */
export interface SparkRun {
  application_id: string;
  /** URL of its page while it runs */
  address: string;
}

/** A way of scoring (family and settings) with its quality. */
export interface Trial {
  family: string;
  ndcg: number;
  [setting: string]: unknown;
}

export interface FailureReason {
  code: string;
  message: string;
}

export interface Job {
  account_id: string;
  project_id: string;
  job_id: string;
  job_type: JobType;
  name: string;
  created_ts: number;
  job_data: Record<string, unknown>;
  job_result: Record<string, unknown> | null;
  job_status: JobStatus;
  retry_count: number;
  progress: JobProgress;
  started_ts: number | null;
  finished_ts: number | null;
  failure_reason: FailureReason | null;
}

const DEFAULT_NAMES: Record<JobType, string> = {
  TRAINING: 'Training',
  DEPLOYMENT: 'Deployment',
  QUERYING: 'Query',
  CLUSTERING: 'Groups',
  RECOMMENDATION: 'Recommendations',
  EXPORT: 'Export',
  DATA_HEALTH: 'Data check',
  IMPORT: 'Import',
};

const UTC_MINUTE: Intl.DateTimeFormatOptions = {
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
  timeZone: 'UTC',
};

// Made when it is needed first: at the top of the module it would take every process 30 ms at its start.
let utcMinute: Intl.DateTimeFormat | undefined;

export function defaultJobName(type: JobType, nowMs: number): string {
  return jobName(DEFAULT_NAMES[type], nowMs);
}

/** "Groups of Nov 15, 20:36", in UTC because the service does not know the reader's time zone. */
export function jobName(title: string, nowMs: number): string {
  utcMinute ??= new Intl.DateTimeFormat('en-US', UTC_MINUTE);
  return `${title} of ${utcMinute.format(nowMs)}`;
}

/** A job as it enters the queue. */
export function newJob(
  given: Pick<Job, 'account_id' | 'project_id' | 'job_type' | 'job_data'> & { name?: string },
  source: IdSource,
  nowMs: number = source.nowMs(),
): Job {
  return {
    ...given,
    job_id: newId('job', source, nowMs),
    name: given.name ?? defaultJobName(given.job_type, nowMs),
    created_ts: nowMs,
    job_result: null,
    job_status: 'PENDING',
    retry_count: 0,
    progress: { fraction: 0, phase: 'waiting', message: 'Waiting for a worker.' },
    started_ts: null,
    finished_ts: null,
    failure_reason: null,
  };
}

/** Thrown by a job's handler if its data shows that the job cannot succeed: it fails without retries. */
export class JobFailure extends Error {
  readonly code: string;
  constructor(code: string, message: string) {
    super(message);
    this.name = 'JobFailure';
    this.code = code;
  }
}
