// Jobs as the API sees them: submitted, read, listed, canceled, counted. How workers take and end them is job-queue.ts.
import type { Job, JobType } from '../domain/job.ts';
import type { JobStatus } from '../domain/job-status.ts';
import type { Page, PageRequest } from './page.ts';

export interface JobFilter {
  project_id?: string;
  job_type?: JobType;
  job_status?: JobStatus;
}

export interface JobCount {
  job_type: JobType;
  job_status: JobStatus;
  count: number;
}

export interface JobStore {
  /** 'too-many' if the account has MAX_PENDING_JOBS waiting jobs already. */
  submit(job: Job): Promise<'submitted' | 'missing-project' | 'too-many'>;
  /**
   * Returns the id of an unfinished job of the project with the same type and data. If there is none, submits this job and
   * returns its id.
   */
  submitOnce(job: Job): Promise<{ job_id: string } | 'missing-project' | 'too-many'>;
  get(accountId: string, projectId: string, jobId: string): Promise<Job | null>;
  list(accountId: string, filter: JobFilter, page: PageRequest): Promise<Page<Job>>;
  /** Returns the canceled job, 'ended' if it has ended already, or 'switched' if it is a deployment that already serves. */
  cancel(
    accountId: string,
    projectId: string,
    jobId: string,
    nowMs: number,
  ): Promise<Job | 'ended' | 'switched' | null>;
  /** Results of querying, clustering and recommendation jobs over the dataset, published since a time. */
  resultsOver(accountId: string, datasetId: string, sinceTs: number): Promise<Record<string, unknown>[]>;
  /** Removes users from the requests of recommendation jobs that name them. */
  forgetUsers(accountId: string, datasetId: string, users: ReadonlySet<string>): Promise<void>;
  /**
   * Numbers of waiting and running jobs and parts, for metrics. Only what a worker holds counts as running: a job that
   * waits for its parts is left out.
   */
  counts(): Promise<JobCount[]>;
  /**
   * Sum of all running jobs' heartbeats: it changes while workers are alive. A job of a lost worker stays RUNNING, but
   * its heartbeat stops.
   */
  heartbeats(): Promise<number>;
  /** Numbers of jobs that failed since a time, by type. */
  failedSince(ts: number): Promise<JobCount[]>;
}
