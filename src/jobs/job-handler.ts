// The interface of job handlers: one file per job type in handlers/. A handler computes and writes files; it never changes the
// job's row. The thread that holds the lease publishes its result together with the job's status (store/job-queue.ts, finish).
//
// Rules for a handler:
// - It may run again after a crash. Its files are named by `attemptId`, so that two attempts never share a file; files of an
//   attempt that was not published are swept as orphans.
// - JobFailure means that the data, not the service, is the cause: the job is FAILED without retries. Other errors are retried.
// - When `signal` fires, it stops soon and throws the signal's reason; what it returns then is not published.
import type { SparkSettings } from '../aggregation/spark/spark-application.ts';
import type { Runtime } from '../base/runtime.ts';
import type { Job, JobProgress } from '../domain/job.ts';
import type { Opened } from '../pieces/opened.ts';
import type { BlobStore } from '../store/blob-store.ts';
import type { ClaimedPart, Lease, PartData, Publication } from '../store/job-queue.ts';
import type { StoreConfig } from '../store/open-store.ts';
import type { Store } from '../store/store.ts';

/** Settings that a thread needs to open the stores and run jobs. */
export type JobConfig = StoreConfig & {
  artifactsUrl?: string | null;
  /** disk space for copies of what is read from there; left out or null: the default of the store */
  artifactCacheMb?: number | null;
  /** places that files of jobs may be written to; left out: none */
  exportDestinations?: readonly string[];
  /** places that import jobs may read files from; left out: none */
  importSources?: readonly string[];
  /** users or records of a part, where a job is cut; left out: jobs are not cut */
  jobPartUsers?: number;
  /** largest result of a job, in GiB; left out: the default */
  maxResultGb?: number;
  /** memory that a training may use; left out or null: as much as its largest step can address */
  trainingMemoryMb?: number | null;
  /** Spark settings to count over all events of a training; left out or null: the worker counts */
  spark?: (SparkSettings & { blobsUrl: string }) | null;
};

export interface JobLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

export interface JobContext {
  readonly job: Job;
  /** the part of the job that is to be done; null or left out: the job itself */
  readonly part?: ClaimedPart | null;
  /** number of parts the job was cut into, all done; 0 or left out if it was not cut */
  readonly parts?: number;
  /** fences writes to the store that a handler makes before it ends (deployment) */
  readonly lease: Lease;
  /** unique to this attempt of the job; fit for file names and blob keys */
  readonly attemptId: string;
  readonly store: Store;
  readonly blobs: BlobStore;
  /** for threads of the handler, which open the stores themselves */
  readonly config: JobConfig;
  /** an empty folder for this attempt only, removed afterwards */
  readonly scratchDir: string;
  /** models and data that earlier parts of the job opened on this thread; left out: nothing is kept */
  readonly opened?: Opened;
  /** cheap; call it on every progress */
  readonly progress: (progress: JobProgress) => void;
  readonly signal: AbortSignal;
  readonly log: JobLog;
  readonly runtime: Runtime;
}

/**
 * `result` becomes job_result; a training job also publishes its model and its hours. A link in a result is kept as a path
 * (`download_path: '/…'`): the API node that shows the job makes the address from its own base address (`download_url`).
 */
export type JobHandler = (context: JobContext) => Promise<Publication | JobSplit>;

/** A job that is to be cut into parts, which are handled one by one before the job is again (store/job-queue.ts, split). */
export interface JobSplit {
  readonly split: readonly PartData[];
}

export const isSplit = (done: Publication | JobSplit): done is JobSplit => 'split' in done;
