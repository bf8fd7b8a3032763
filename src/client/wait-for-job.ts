// Follows a job to its end by asking for it, first often, then less so.
import type { Job, JobProgress } from './api-types.ts';
import { KindredError } from './kindred-error.ts';
import { delay } from './retry.ts';

export interface WaitOptions {
  signal?: AbortSignal;
  /** Called when status, phase, message or fraction changed. */
  onProgress?: (progress: JobProgress, job: Job) => void;
  /** Time between two questions at the most; default 2000. */
  maxPollMs?: number;
}

const FIRST_POLL_MS = 100;

/** Thrown by `waitForJob` when the job ended without success; `job` tells all. */
export class KindredJobError extends KindredError {
  readonly job: Job;
  constructor(job: Job) {
    const reason = job.failure_reason;
    const ended = job.job_status === 'CANCELLED' ? 'was canceled' : 'failed';
    super(`${job.job_type} job ${job.job_id} ${ended}${reason ? `: ${reason.message}` : ''}`, {
      code: reason?.code ?? `JOB_${job.job_status}`,
      status: 200,
      operation: '/get-job',
    });
    this.name = 'KindredJobError';
    this.job = job;
  }
}

export async function waitForJob(getJob: () => Promise<Job>, options: WaitOptions = {}): Promise<Job> {
  const maxPollMs = options.maxPollMs ?? 2000;
  let pollMs = Math.min(FIRST_POLL_MS, maxPollMs);
  let shown = '';
  for (;;) {
    options.signal?.throwIfAborted();
    const job = await getJob();
    const state = JSON.stringify([job.job_status, job.progress, job.retry_count]);
    if (state !== shown) {
      shown = state;
      options.onProgress?.(job.progress, job);
    }
    if (job.job_status === 'SUCCEED') return job;
    if (job.job_status === 'FAILED' || job.job_status === 'CANCELLED') throw new KindredJobError(job);
    await delay(pollMs, options.signal);
    pollMs = Math.min(maxPollMs, pollMs * 1.3);
  }
}
