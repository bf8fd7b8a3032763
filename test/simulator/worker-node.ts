// A worker of the simulation: the real worker, leases and deployment handler. What other jobs do is simulated.
import { deploy } from '../../src/jobs/handlers/deployment.ts';
import type { RunHandler } from '../../src/jobs/hold-lease.ts';
import { type JobAttempts, removeUnneeded } from '../../src/jobs/job-attempts.ts';
import { attemptIdOf } from '../../src/jobs/sweep-scratch.ts';
import { JobWorker } from '../../src/jobs/worker.ts';
import type { BlobStore } from '../../src/store/blob-store.ts';
import type { ClaimedJob } from '../../src/store/job-queue.ts';
import type { Store } from '../../src/store/store.ts';
import { sharedBlobs } from './api-node.ts';
import type { Machine } from './machine.ts';
import type { Network } from './network.ts';
import type { SharedStore } from './shared-store.ts';
import { SILENT } from './silent-log.ts';
import { simulatedSweep } from './simulated-sweep.ts';
import { simulatedWork, type WorkOptions } from './simulated-work.ts';

export const TIMING = { pollMs: 400, heartbeatMs: 800, leaseMs: 4000, backOffMs: 100, progressMs: 500 };

export class WorkerNode {
  readonly machine: Machine;
  readonly #worker: JobWorker;
  readonly #store: Store;
  readonly #blobs: BlobStore;
  readonly #work: WorkOptions;
  #jobs = 0;
  #whenAtWork: (() => void) | null = null;

  constructor(machine: Machine, shared: SharedStore, network: Network, work: WorkOptions) {
    this.machine = machine;
    this.#work = work;
    this.#store = shared.seenFrom(machine, network);
    this.#blobs = sharedBlobs(shared, machine, network);
    const attempts: JobAttempts = {
      handlerOf: (claimed) => this.#handlerOf(claimed),
      ended: async (claimed, outcome) => {
        this.#jobs--;
        await removeUnneeded(this.#blobs, this.#store.queue, claimed, outcome).catch(() => {});
      },
      close: async () => {},
    };
    this.#worker = new JobWorker({
      workerId: machine.name,
      queue: this.#store.queue,
      attempts,
      log: SILENT,
      timing: TIMING,
      sweep: (signal) => this.#sweep(signal),
      runtime: machine.runtime,
    });
  }

  /** Now if the worker has a job, else when it has one. */
  whenAtWork(action: () => void): void {
    if (this.#jobs > 0) action();
    else this.#whenAtWork = action;
  }

  start(): void {
    this.#worker.start();
  }

  stop(): Promise<void> {
    return this.#worker.stop();
  }

  async #sweep(signal: AbortSignal): Promise<void> {
    const { sweeping } = this.#work;
    if (sweeping === null) return;
    await simulatedSweep({ machine: this.machine, store: this.#store, blobs: this.#blobs, sweeping }, signal);
  }

  #handlerOf(claimed: ClaimedJob): RunHandler {
    const { job, lease } = claimed;
    const { machine } = this;
    const { runtime, world } = machine;
    const [store, blobs] = [this.#store, this.#blobs];
    const attemptId = attemptIdOf(lease);
    const work = simulatedWork(claimed, { machine, queue: store.queue, blobs, work: this.#work });
    this.#jobs++;
    if (this.#whenAtWork) {
      world.schedule(world.random.next() * this.#work.longestWorkMs, this.#whenAtWork);
      this.#whenAtWork = null;
    }
    return async (control) => {
      if (job.job_type === 'DEPLOYMENT') {
        const place = { scratchDir: '', config: { dataDir: '' } };
        return deploy(
          { job, lease, attemptId, store, blobs, log: SILENT, runtime, ...place, ...control },
          async () => {},
        );
      }
      return work(control);
    };
  }
}
