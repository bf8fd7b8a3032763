// A worker of the simulation: the real worker, leases and deployment handler. Trainings and queries only take some time, leave a
// file, and now and then fail.
import { newId } from '../../src/domain/ids.ts';
import { JobFailure } from '../../src/domain/job.ts';
import { deploy } from '../../src/jobs/handlers/deployment.ts';
import type { RunHandler } from '../../src/jobs/hold-lease.ts';
import { type JobAttempts, leavesNoResult } from '../../src/jobs/job-attempts.ts';
import { JobWorker } from '../../src/jobs/worker.ts';
import { type BlobStore, RESULT_PREFIX } from '../../src/store/blob-store.ts';
import type { ClaimedJob } from '../../src/store/job-queue.ts';
import type { Store } from '../../src/store/store.ts';
import { sharedBlobs } from './api-node.ts';
import type { Machine } from './machine.ts';
import type { Network } from './network.ts';
import type { SharedStore } from './shared-store.ts';
import { SILENT } from './silent-log.ts';

export const TIMING = { pollMs: 400, heartbeatMs: 800, leaseMs: 4000, backOffMs: 100, progressMs: 500 };

export interface WorkOptions {
  longestWorkMs: number;
  /** of the attempts that end in an unexpected error */
  failedShare: number;
}

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
      ended: async ({ job, lease }, outcome) => {
        this.#jobs--;
        if (leavesNoResult(job.job_type, outcome)) await this.#blobs.delete(fileOf(lease)).catch(() => {});
      },
    };
    this.#worker = new JobWorker({
      ...{ workerId: machine.name, queue: this.#store.queue, attempts, log: SILENT, timing: TIMING },
      ...{ sweep: async () => {}, runtime: machine.runtime },
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

  #handlerOf({ job, lease }: ClaimedJob): RunHandler {
    const { runtime, world } = this.machine;
    const [store, blobs] = [this.#store, this.#blobs];
    const attemptId = `${lease.jobId}-${lease.attempt}`;
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
      const turns = 1 + world.random.below(3);
      for (let turn = 1; turn <= turns; turn++) {
        await runtime.sleep((world.random.next() * this.#work.longestWorkMs) / turns, control.signal);
        control.progress({ fraction: turn / turns, phase: 'work', message: '' });
      }
      if (world.random.chance(this.#work.failedShare / 2))
        throw new JobFailure('NO_DATA', 'There is nothing to learn from.');
      if (world.random.chance(this.#work.failedShare)) throw new Error('unexpected');
      if (job.job_type === 'QUERYING') {
        await blobs.putFile(fileOf(lease), '');
        return { result: { attempt: lease.attempt, file: fileOf(lease) } };
      }
      if (job.job_type !== 'TRAINING') return { result: {} };
      const modelId = newId('model', runtime.nowMs(), runtime);
      const artifact_key = `models/${modelId}`;
      await blobs.putFile(artifact_key, '');
      const { account_id, project_id, job_id } = job;
      return {
        result: { attempt: lease.attempt, model_id: modelId },
        model: {
          ...{ account_id, project_id, model_id: modelId, name: '', algorithm_type: 'G1', algorithm_parameters: {} },
          ...{ created_ts: runtime.nowMs(), job_id, artifact_key, metrics: null, training: { events_read: 1 } },
        },
      };
    };
  }
}

const fileOf = ({ jobId, attempt }: ClaimedJob['lease']): string => `${RESULT_PREFIX}${jobId}-${attempt}`;
