// What runs a job: one file a job type in handlers/. A handler computes and writes files; it never touches the job's row. Its
// result is published by the thread that holds the lease, together with the job's status (store/job-queue.ts, finish).
//
// Rules for a handler:
// - It may run again after a crash: what it writes has names made from `attemptId`, so that two attempts never share a file,
//   and files of an attempt that was not published are swept as orphans.
// - JobFailure says that the data, not the service, is at fault: FAILED at once. Anything else that is thrown is retried.
// - When `signal` fires it stops soon and throws the signal's reason; nothing it answers then is published.
import type { Job, JobProgress } from '../domain/job.ts';
import type { BlobStore } from '../store/blob-store.ts';
import type { Lease, Publication } from '../store/job-queue.ts';
import type { Store } from '../store/store.ts';

export interface JobLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

export interface JobContext {
  readonly job: Job;
  /** the fence for a handler that writes to the store before it ends (deployment) */
  readonly lease: Lease;
  /** unique to this attempt of the job; fit for file names and blob keys */
  readonly attemptId: string;
  readonly store: Store;
  readonly blobs: BlobStore;
  /** an empty folder of this attempt's own, removed afterwards */
  readonly scratchDir: string;
  /** cheap; call it as often as there is news */
  readonly progress: (progress: JobProgress) => void;
  readonly signal: AbortSignal;
  readonly log: JobLog;
}

/**
 * `result` becomes job_result; a training job also publishes its model and its hours. A link in a result is kept as a path
 * (`download_path: '/…'`): the API node that shows the job makes the address from its own base address (`download_url`).
 */
export type JobHandler = (context: JobContext) => Promise<Publication>;
