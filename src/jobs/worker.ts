// A worker: takes jobs from the queue and runs them. Any number of workers, in any number of processes and machines, share one
// store. Lanes keep short work from waiting behind long work: a deployment or a query does not wait for a training to end.
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { StillnessWatch } from '../cluster/stillness-watch.ts';
import type { JobType } from '../domain/job.ts';
import { discardResult } from '../insight/results/publish-result.ts';
import type { Logger } from '../observability/logger.ts';
import type { BlobStore } from '../store/blob-store.ts';
import type { ClaimedJob, JobQueue, RunningMark } from '../store/job-queue.ts';
import type { Store } from '../store/store.ts';
import { deploy } from './handlers/deployment.ts';
import { holdLease, type RunHandler } from './hold-lease.ts';
import { type JobThreadInput, runInThread } from './run-in-thread.ts';
import { sweepOrphans } from './sweep-orphans.ts';
import { attemptIdOf, scratchRoot } from './sweep-scratch.ts';
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
  { types: ['DEPLOYMENT'], width: 4 },
];

/** Their results are files. */
const RESULT_TYPES: readonly JobType[] = ['QUERYING', 'CLUSTERING', 'RECOMMENDATION', 'EXPORT'];

export interface WorkerParts {
  workerId: string;
  store: Store;
  blobs: BlobStore;
  config: JobThreadInput['config'];
  log: Logger;
  timing: JobTiming;
}

export class JobWorker {
  readonly #parts: WorkerParts;
  readonly #queue: JobQueue;
  readonly #timing: JobTiming;
  readonly #shutdown = new AbortController();
  readonly #running = new Set<Promise<void>>();
  readonly #loops: Promise<void>[] = [];

  constructor(parts: WorkerParts) {
    this.#parts = parts;
    this.#queue = parts.store.queue;
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
      this.#repeat(this.#timing.pollMs, () => this.#fill(lanes)),
      this.#repeat(this.#timing.heartbeatMs, () => this.#takeBackLost(watch)),
      sweepOrphans({ ...this.#parts, signal: this.#shutdown.signal }),
    );
  }

  /** Returns running jobs to the queue and waits until they have stopped. */
  async stop(): Promise<void> {
    this.#shutdown.abort();
    await Promise.all(this.#loops);
    await Promise.all(this.#running);
  }

  async #fill(lanes: (Lane & { free: number })[]): Promise<void> {
    const waiting = new Set(await this.#queue.waitingTypes());
    for (const lane of lanes) {
      while (lane.free > 0 && lane.types.some((type) => waiting.has(type)) && !this.#shutdown.signal.aborted) {
        const claimed = await this.#queue.claim(this.#parts.workerId, lane.types, Date.now());
        if (claimed === null) break;
        lane.free--;
        const run = this.#run(claimed).finally(() => {
          lane.free++;
          this.#running.delete(run);
        });
        this.#running.add(run);
      }
    }
  }

  async #run(claimed: ClaimedJob): Promise<void> {
    const { job, lease } = claimed;
    const log = this.#parts.log.child({ job_id: job.job_id, job_type: job.job_type, attempt: lease.attempt });
    const attemptId = attemptIdOf(lease);
    const scratchDir = join(scratchRoot(this.#parts.config.dataDir), attemptId);
    const startedMs = performance.now();
    log.info('job started');
    try {
      const outcome = await holdLease({
        queue: this.#queue,
        claimed,
        run: this.#handler(claimed, attemptId, scratchDir, log),
        timing: this.#timing,
        shutdown: this.#shutdown.signal,
        onError: (error) => log.warn({ err: error }, 'job had an unexpected error'),
      });
      if (outcome !== 'succeeded') await this.#discardResult(claimed, attemptId);
      log.info({ outcome, seconds: Math.round(performance.now() - startedMs) / 1000 }, 'job ended');
    } catch (error) {
      // The outcome could not be written. The lease expires and the job is retried.
      log.error({ err: error }, 'job lost its store');
    }
    await rm(scratchDir, { recursive: true, force: true }).catch((error) =>
      log.warn({ err: error }, 'a scratch folder could not be removed'),
    );
  }

  /** Removes what an attempt did not publish, e.g. because users were deleted meanwhile. */
  async #discardResult({ job }: ClaimedJob, attemptId: string): Promise<void> {
    if (RESULT_TYPES.includes(job.job_type)) await discardResult(this.#parts.blobs, attemptId);
  }

  #handler(claimed: ClaimedJob, attemptId: string, scratchDir: string, log: Logger): RunHandler {
    const { store, blobs, config } = this.#parts;
    const { job, lease } = claimed;
    return async (control) => {
      await mkdir(scratchDir, { recursive: true });
      // A deployment mostly waits for nodes, so it runs on this thread.
      return job.job_type === 'DEPLOYMENT'
        ? deploy({ job, lease, attemptId, store, blobs, config, scratchDir, log, ...control })
        : runInThread({ claimed, attemptId, scratchDir, config }, control, ({ level, fields, message }) =>
            log[level](fields, message),
          );
    };
  }

  async #takeBackLost(watch: LeaseWatch): Promise<void> {
    for (const mark of watch.observe(await this.#queue.running(), performance.now())) {
      const reason = { code: 'WORKER_LOST', message: 'The worker that ran the job stopped responding.' };
      const retry = { reason, backOffMs: backOffMs(this.#timing, 0), nowMs: Date.now() };
      if (await this.#queue.takeBack(mark, retry)) {
        this.#parts.log.warn({ job_id: mark.jobId, attempt: mark.attempt }, 'took back a job of a lost worker');
      }
    }
  }

  /** Repeats the step until shutdown; a step that fails (the store is unreachable) is retried later. */
  async #repeat(pauseMs: number, step: () => Promise<void>): Promise<void> {
    const { signal } = this.#shutdown;
    let failing = false;
    while (!signal.aborted) {
      try {
        await step();
        failing = false;
      } catch (error) {
        if (!failing) this.#parts.log.warn({ err: error }, 'the worker cannot reach the store and keeps trying');
        failing = true;
      }
      await sleep(failing ? Math.max(pauseMs, 1000) : pauseMs, undefined, { signal }).catch(() => {});
    }
  }
}
