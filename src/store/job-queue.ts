// The queue of jobs, as workers use it. The row of a job (job-store.ts) is the queue entry, so submitting, running and
// publishing need no second system.
//
//   PENDING ──claim──▶ RUNNING ──finish──▶ SUCCEED
//      ▲                  │ ├─────fail────▶ FAILED      the data shows that it cannot succeed: at once
//      │                  │ └────cancel───▶ CANCELLED   also from PENDING
//      └──release, retry──┘       retry: at most MAX_RETRIES times, then FAILED
//
// A job can be cut into parts, which are entries of the same queue: claimed, kept, retried and taken back like jobs.
//
//   RUNNING ──split──▶ RUNNING, held by nobody, while its parts run ──all SUCCEED──▶ PENDING ──claim──▶ joins them
//                         └──a part is FAILED──▶ FAILED           cancel ends the parts too
//
// Parts are seen by workers alone. They are deleted when their job ends.
//
// A claim raises `attempt`. The pair (job, attempt) is the lease: every write of a worker is conditional on the attempt it was
// given and on RUNNING, so a worker that lost its lease (paused, cut off, thought dead) can change nothing, however late it
// wakes up. `finish` publishes the model, the training hours and the status in one transaction: a result is published once
// or not at all.
//
// No clock decides a lease. A holder raises the counter `heartbeat`; an observer (any worker, see cluster/stillness-watch.ts)
// times with its own monotonic clock how long the counter did not move, and takes the job back only if attempt and counter
// are still those it timed. Clocks may differ between machines and may jump. The one use of wall time is the back-off before
// a retry, and a pause longer than the longest back-off is taken for a clock that was set back; and whose turn it is.
import type { FailureReason, Job, JobProgress, JobType } from '../domain/job.ts';
import type { Model } from '../domain/model.ts';

export const LONGEST_BACK_OFF_MS = 10 * 60_000;

export interface Lease {
  readonly jobId: string;
  /** fencing token: a worker with an older attempt can change nothing */
  readonly attempt: number;
}

export interface ClaimedJob {
  readonly job: Job;
  readonly lease: Lease;
  /** set if this is a part of a job */
  readonly part: ClaimedPart | null;
  /** how many parts the job was cut into, all of which have succeeded; 0 if it was not cut */
  readonly parts: number;
}

export interface ClaimedPart {
  /** id of the job that was cut */
  readonly jobId: string;
  /** position among the parts, from 0 */
  readonly number: number;
  /** the data that `split` received for this part */
  readonly data: PartData;
}

export type PartData = Record<string, unknown>;

/** With more parts, managing them would take longer than running them. */
export const MAX_PARTS = 256;

/** The progress of a cut job when its parts are done. Joining them takes the rest. */
export const JOIN_FROM = 0.9;

/** The result of a successful job, stored together with its status. */
export interface Publication {
  result: Record<string, unknown>;
  /** only for a training, whose running time is added to the account's training hours */
  model?: Model;
  /** The result names users of these datasets, none of whom was deleted up to this count of erasures. */
  erasures?: { datasetIds: readonly string[]; count: number };
}

/** A running job and its heartbeat, as read by an observer. */
export interface RunningMark extends Lease {
  readonly heartbeat: number;
}

/** Why and when a job runs again. */
export interface Retry {
  readonly reason: FailureReason;
  readonly backOffMs: number;
  readonly nowMs: number;
}

export interface JobQueue {
  /** Job types that may have a waiting job. This read is cheap; `claim` writes. */
  waitingTypes(): Promise<JobType[]>;
  /**
   * Claims a waiting job of these types that may run now. Only one deployment runs at a time in a project. Accounts take turns:
   * first the account with the fewest running jobs of these types, then the one that waited longest since its last job. Within an
   * account the oldest job comes first.
   */
  claim(workerId: string, types: readonly JobType[], nowMs: number): Promise<ClaimedJob | null>;
  /** Renews the lease and writes the progress; false if the lease is lost (taken back, canceled). */
  heartbeat(lease: Lease, progress: JobProgress): Promise<boolean>;
  /**
   * Publishes the result and ends the job, once: a repeated call of the attempt that published returns true. False if the lease
   * was lost, or if users that the result may name were deleted since; then nothing was published.
   */
  finish(lease: Lease, publication: Publication, nowMs: number): Promise<boolean>;
  /** Cuts the job into parts, in their order, and returns it to the queue until they are done; false if the lease was lost. */
  split(lease: Lease, parts: readonly PartData[]): Promise<boolean>;
  /** The results of a job's parts, in their order. null stands for a part that is not done. */
  partResults(jobId: string): Promise<(Record<string, unknown> | null)[]>;
  /** Whether the job was cut and has not ended, so that files of its parts are still needed. */
  waitsForParts(jobId: string): Promise<boolean>;
  /** Ends the job as FAILED, without retries. If it is a part, its job fails too. */
  fail(lease: Lease, reason: FailureReason, nowMs: number): Promise<boolean>;
  /** Puts the job back after an unexpected error, or ends it when its retries are used up. */
  retry(lease: Lease, retry: Retry): Promise<boolean>;
  /** Hands the job back without counting a retry, when its worker shuts down. */
  release(lease: Lease): Promise<boolean>;
  /**
   * Whether the result files of each attempt are needed: its job has not ended, or the job has published the result of this
   * attempt. Once it is false, it stays false.
   */
  neededResults(leases: readonly Lease[]): Promise<boolean[]>;
  /** Every running job with its heartbeat. Observers compare these over time. */
  running(): Promise<RunningMark[]>;
  /** Takes a job back if its heartbeat still has not moved since the mark was read. */
  takeBack(mark: RunningMark, retry: Retry): Promise<boolean>;
  /** Takes back all jobs of a worker that is known to be dead; returns how many. */
  takeBackFrom(workerId: string, retry: Retry): Promise<number>;
}
