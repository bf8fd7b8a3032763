// Keeps a job's lease while its handler runs, and turns the outcome into the job's next state. This thread never computes:
// heavy handlers run in their own thread (job-threads.ts), so that heartbeats are on time.
//
// The handler's signal fires for one of two reasons: the lease is lost (taken back, canceled, or no heartbeat could be written
// for so long that another worker may have the job), or the worker shuts down and returns the job to the queue.

import { type Runtime, systemRuntime, type Timer } from '../base/runtime.ts';
import { type FailureReason, JobFailure, type JobProgress } from '../domain/job.ts';
import type { ClaimedJob, JobQueue, Publication } from '../store/job-queue.ts';
import { isSplit, type JobSplit } from './job-handler.ts';
import { backOffMs, type JobTiming } from './timing.ts';

export type JobOutcome = 'succeeded' | 'split' | 'failed' | 'retried' | 'released' | 'lost';

/** Runs the handler; progress may be called from it at any time. */
export type RunHandler = (control: {
  progress: (progress: JobProgress) => void;
  signal: AbortSignal;
}) => Promise<Publication | JobSplit>;

export interface HoldOptions {
  queue: JobQueue;
  claimed: ClaimedJob;
  run: RunHandler;
  timing: JobTiming;
  /** fires when the worker shuts down */
  shutdown: AbortSignal;
  onError: (error: unknown) => void;
  runtime?: Runtime;
}

interface Pace {
  readonly timing: JobTiming;
  readonly runtime: Runtime;
}

class LeaseLost extends Error {}
class ShuttingDown extends Error {}

export async function holdLease(options: HoldOptions): Promise<JobOutcome> {
  const { queue, claimed, timing, shutdown, runtime = systemRuntime } = options;
  const { lease, job } = claimed;
  const control = new AbortController();
  const stop = () => control.abort(new ShuttingDown('The worker is shutting down.'));
  if (shutdown.aborted) stop();
  shutdown.addEventListener('abort', stop, { once: true });

  let progress = job.progress;
  const pace = { timing, runtime };
  const heart = new Heart(
    () => queue.heartbeat(lease, progress),
    pace,
    () => control.abort(new LeaseLost()),
  );
  const putBack = async (reason: FailureReason): Promise<JobOutcome> => {
    const wait = backOffMs(timing, job.retry_count);
    const retry = () => queue.retry(lease, { reason, backOffMs: wait, nowMs: runtime.nowMs() });
    return (await untilWritten(retry, pace)) ? 'retried' : 'lost';
  };
  let done: Awaited<ReturnType<RunHandler>>;
  try {
    done = await options.run({
      progress: (next) => {
        progress = next;
        heart.progressed();
      },
      signal: control.signal,
    });
    if (control.signal.aborted) throw control.signal.reason;
  } catch (error) {
    await heart.stop();
    const reason: unknown = control.signal.aborted ? control.signal.reason : error;
    if (reason instanceof LeaseLost) return 'lost';
    if (reason instanceof ShuttingDown) return (await queue.release(lease)) ? 'released' : 'lost';
    if (reason instanceof JobFailure) {
      const failure = { code: reason.code, message: reason.message };
      return (await untilWritten(() => queue.fail(lease, failure, runtime.nowMs()), pace)) ? 'failed' : 'lost';
    }
    options.onError(reason);
    return putBack({ code: 'UNEXPECTED_ERROR', message: `Unexpected error: ${messageOf(reason)}` });
  } finally {
    shutdown.removeEventListener('abort', stop);
  }
  await heart.stop();
  // If this throws, it is unknown whether the result was published, so it is neither retried nor discarded here.
  if (isSplit(done)) {
    const { split } = done;
    return (await untilWritten(() => queue.split(lease, split), pace)) ? 'split' : 'lost';
  }
  const publication = done;
  if (await untilWritten(() => queue.finish(lease, publication, runtime.nowMs()), pace)) return 'succeeded';
  if (publication.erasures === undefined) return 'lost';
  // If the lease is still held, publishing failed because users were deleted at the last moment.
  return putBack({ code: 'USERS_DELETED', message: 'Users were deleted while the result was published.' });
}

/** Writes heartbeats regularly and soon after progress, one at a time. Gives up if none could be written for three quarters of the lease. */
class Heart {
  readonly #beat: () => Promise<boolean>;
  readonly #timing: JobTiming;
  readonly #runtime: Runtime;
  readonly #lost: () => void;
  #timer: Timer | null = null;
  #beating: Promise<void> | null = null;
  /** start of the last heartbeat that was written */
  #writtenMs: number;
  #endedMs: number;
  #hasProgress = false;
  #stopped = false;

  constructor(beat: () => Promise<boolean>, { timing, runtime }: Pace, lost: () => void) {
    this.#beat = beat;
    this.#timing = timing;
    this.#runtime = runtime;
    this.#writtenMs = this.#endedMs = runtime.monotonicMs();
    this.#lost = lost;
    this.#schedule();
  }

  /**
   * Call when there is progress to write: the next heartbeat comes earlier, but not more often than the progress
   * interval.
   */
  progressed(): void {
    if (this.#hasProgress) return;
    this.#hasProgress = true;
    // The end of a beat schedules the next.
    if (this.#beating === null) this.#schedule();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#timer?.cancel();
    await this.#beating;
  }

  #schedule(): void {
    if (this.#stopped) return;
    this.#timer?.cancel();
    const { heartbeatMs, progressMs } = this.#timing;
    const pauseMs = this.#hasProgress ? Math.min(progressMs, heartbeatMs) : heartbeatMs;
    this.#timer = this.#runtime.after(Math.max(0, this.#endedMs + pauseMs - this.#runtime.monotonicMs()), () => {
      this.#beating = this.#beatOnce().then(() => {
        this.#beating = null;
        this.#endedMs = this.#runtime.monotonicMs();
        this.#schedule();
      });
    });
  }

  async #beatOnce(): Promise<void> {
    const startedMs = this.#runtime.monotonicMs();
    this.#hasProgress = false;
    let isHeld: boolean;
    try {
      isHeld = await this.#beat();
      this.#writtenMs = startedMs;
    } catch {
      // The store may recover before the lease expires; a job without heartbeats must stop before another worker takes it.
      isHeld = this.#runtime.monotonicMs() - this.#writtenMs <= 0.75 * this.#timing.leaseMs;
    }
    if (isHeld) return;
    this.#stopped = true;
    this.#lost();
  }
}

/** The last write of a job matters, so it is retried for as long as the lease would have lasted. */
async function untilWritten(write: () => Promise<boolean>, { timing, runtime }: Pace): Promise<boolean> {
  const startedMs = runtime.monotonicMs();
  for (;;) {
    try {
      return await write();
    } catch (error) {
      if (runtime.monotonicMs() - startedMs > timing.leaseMs) throw error;
      await runtime.sleep(timing.heartbeatMs);
    }
  }
}

function messageOf(error: unknown): string {
  const text = error instanceof Error ? error.message || error.name : String(error);
  return text.length > 500 ? `${text.slice(0, 500)}…` : text;
}
