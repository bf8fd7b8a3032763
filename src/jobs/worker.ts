// A worker: takes jobs from the queue and runs them. Any number of workers, in any number of processes and machines, share one
// store. Lanes keep short work from waiting behind long work: a deployment or a query does not wait for a training to end.

import { type Runtime, systemRuntime } from '../base/runtime.ts';
import { beginTrace, epochMs, type PastStep, pastSteps } from '../base/trace.ts';
import { StillnessWatch } from '../cluster/stillness-watch.ts';
import type { JobType } from '../domain/job.ts';
import type { Logger } from '../observability/logger.ts';
import type { ClaimedJob, JobQueue, RunningMark } from '../store/job-queue.ts';
import { holdLease, type JobOutcome } from './hold-lease.ts';
import type { JobAttempts } from './job-attempts.ts';
import { backOffMs, type JobTiming } from './timing.ts';

type LeaseWatch = StillnessWatch<RunningMark>;

interface Lane {
  readonly types: readonly JobType[];
  readonly width: number;
}

const LANES: readonly Lane[] = [
  { types: ['TRAINING'], width: 1 },
  { types: ['QUERYING', 'CLUSTERING'], width: 1 },
  { types: ['RECOMMENDATION', 'EXPORT'], width: 1 },
  { types: ['DATA_HEALTH'], width: 1 },
  { types: ['IMPORT'], width: 1 },
  { types: ['DEPLOYMENT'], width: 4 },
];

export interface WorkerParts {
  workerId: string;
  queue: JobQueue;
  attempts: JobAttempts;
  /** removes files that are no longer needed, until the signal fires */
  sweep: (signal: AbortSignal) => Promise<void>;
  log: Logger;
  timing: JobTiming;
  runtime?: Runtime;
}

export class JobWorker {
  readonly #parts: WorkerParts;
  readonly #runtime: Runtime;
  readonly #timing: JobTiming;
  readonly #shutdown = new AbortController();
  readonly #running = new Set<Promise<void>>();
  readonly #loops: Promise<void>[] = [];
  /** ends the pause before the next look for work */
  #pause = new AbortController();

  constructor(parts: WorkerParts) {
    this.#parts = parts;
    this.#runtime = parts.runtime ?? systemRuntime;
    this.#timing = parts.timing;
  }

  start(): void {
    const lanes = LANES.map((lane) => ({ ...lane, free: lane.width }));
    const watch: LeaseWatch = new StillnessWatch(
      this.#timing.leaseMs,
      (mark) => mark.jobId,
      (mark) => `${mark.attempt}.${mark.heartbeat}`,
    );
    this.#loops.push(
      this.#repeat(
        this.#timing.pollMs,
        () => this.#fill(lanes),
        () => this.#newPause(),
      ),
      this.#repeat(this.#timing.heartbeatMs, () => this.#takeBackLost(watch)),
      this.#parts.sweep(this.#shutdown.signal),
    );
  }

  /** Returns running jobs to the queue and waits until they have stopped. */
  async stop(): Promise<void> {
    this.#shutdown.abort();
    this.#pause.abort();
    await Promise.all(this.#loops);
    await Promise.all(this.#running);
    await this.#parts.attempts.close();
  }

  async #fill(lanes: (Lane & { free: number })[]): Promise<void> {
    const waiting = new Set(await this.#parts.queue.waitingTypes());
    for (const lane of lanes) {
      while (lane.free > 0 && lane.types.some((type) => waiting.has(type)) && !this.#shutdown.signal.aborted) {
        const claimingMs = epochMs();
        const claimed = await this.#parts.queue.claim(this.#parts.workerId, lane.types, this.#runtime.nowMs());
        if (claimed === null) break;
        const claim = { name: 'claim', startedMs: claimingMs, endedMs: epochMs(), steps: [] };
        lane.free--;
        const run = this.#run(claimed, claim).finally(() => {
          lane.free++;
          this.#running.delete(run);
          // The next part of a job is often waiting.
          this.#pause.abort();
        });
        this.#running.add(run);
      }
    }
  }

  async #run(claimed: ClaimedJob, claim: PastStep): Promise<void> {
    const { job, lease } = claimed;
    const { attempts } = this.#parts;
    const log = this.#parts.log.child({ job_id: job.job_id, job_type: job.job_type, attempt: lease.attempt });
    const startedMs = this.#runtime.monotonicMs();
    let outcome: JobOutcome | null = null;
    log.info('job started');
    const attributes = { 'kindred.job_id': job.job_id, 'kindred.project_id': job.project_id };
    const trace = beginTrace({ name: `job ${job.job_type}`, kind: 'job', attributes });
    trace?.within(() => pastSteps()?.([claim]));
    try {
      const hold = () =>
        holdLease({
          queue: this.#parts.queue,
          claimed,
          run: attempts.handlerOf(claimed, log),
          timing: this.#timing,
          shutdown: this.#shutdown.signal,
          onError: (error) => log.warn({ err: error }, 'job had an unexpected error'),
          runtime: this.#runtime,
        });
      outcome = await (trace === null ? hold() : trace.within(hold));
      log.info({ outcome, seconds: Math.round(this.#runtime.monotonicMs() - startedMs) / 1000 }, 'job ended');
    } catch (error) {
      // The outcome could not be written. The lease expires and the job is retried.
      log.error({ err: error }, 'job lost its store');
    }
    trace?.end({ failed: outcome !== 'succeeded', attributes: { 'kindred.outcome': outcome ?? 'unknown' } });
    await attempts.ended(claimed, outcome, log);
  }

  async #takeBackLost(watch: LeaseWatch): Promise<void> {
    for (const mark of watch.observe(await this.#parts.queue.running(), this.#runtime.monotonicMs())) {
      const reason = { code: 'WORKER_LOST', message: 'The worker that ran the job stopped responding.' };
      const retry = { reason, backOffMs: backOffMs(this.#timing, 0), nowMs: this.#runtime.nowMs() };
      if (await this.#parts.queue.takeBack(mark, retry)) {
        this.#parts.log.warn({ job_id: mark.jobId, attempt: mark.attempt }, 'took back a job of a lost worker');
      }
    }
  }

  #newPause(): AbortSignal {
    this.#pause = new AbortController();
    return this.#pause.signal;
  }

  /** Repeats the step until shutdown; a step that fails (the store is unreachable) is retried later. `pause`: ends the pause after a step. */
  async #repeat(pauseMs: number, step: () => Promise<void>, pause?: () => AbortSignal): Promise<void> {
    const { signal } = this.#shutdown;
    let failing = false;
    while (!signal.aborted) {
      // Read before the step: places freed while it looks for work count too.
      const until = pause?.() ?? signal;
      try {
        await step();
        failing = false;
      } catch (error) {
        if (!failing) this.#parts.log.warn({ err: error }, 'the worker cannot reach the store and keeps trying');
        failing = true;
      }
      await this.#runtime.sleep(failing ? Math.max(pauseMs, 1000) : pauseMs, until).catch(() => {});
    }
  }
}
