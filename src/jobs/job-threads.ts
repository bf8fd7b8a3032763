// Threads that run the handlers of jobs: the worker's main thread stays free to keep leases, a handler that computes for minutes can
// be stopped at any point, and its memory is freed when it ends. A thread is for one job alone. After a part it waits a moment for
// the next one, because it has the model and the catalog in memory. The other side is job-thread.ts.
import { Worker } from 'node:worker_threads';
import { currentTrace } from '../base/trace.ts';
import { JobFailure, type JobProgress } from '../domain/job.ts';
import type { ClaimedJob, Publication } from '../store/job-queue.ts';
import { isSplit, type JobConfig, type JobSplit } from './job-handler.ts';

/** How long a handler may take to stop before its thread is terminated. */
const STOP_GRACE_MS = 1500;
/** How long an idle thread waits for the next part of its job. */
const KEEP_MS = 1000;

export interface JobThreadInput {
  claimed: ClaimedJob;
  attemptId: string;
  scratchDir: string;
  /** `traceparent` of the job; left out or null: not traced. */
  traceparent?: string | null;
}

/** Messages from the worker to a thread. */
export type JobThreadOrder = { kind: 'run'; input: JobThreadInput } | { kind: 'stop' } | { kind: 'end' };

/** Messages from a thread to its worker. */
export type JobThreadMessage =
  | { kind: 'progress'; progress: JobProgress }
  | { kind: 'log'; level: 'info' | 'warn'; fields: object; message: string }
  | { kind: 'done'; done: Publication | JobSplit }
  | { kind: 'failure'; code: string; message: string }
  | { kind: 'error'; message: string; stack?: string };

interface Listener {
  readonly progress: (progress: JobProgress) => void;
  readonly signal: AbortSignal;
  readonly log: (entry: Extract<JobThreadMessage, { kind: 'log' }>) => void;
}

export class JobThreads {
  readonly #config: JobConfig;
  /** idle threads by job */
  readonly #kept = new Map<string, { thread: JobThread; timer: NodeJS.Timeout }>();

  constructor(config: JobConfig) {
    this.#config = config;
  }

  async run(input: JobThreadInput, listener: Listener): Promise<Publication | JobSplit> {
    listener.signal.throwIfAborted();
    const { job, part } = input.claimed;
    const jobId = part?.jobId ?? job.job_id;
    const thread = this.#take(jobId) ?? new JobThread(this.#config);
    let isKept = false;
    try {
      const done = await thread.run({ ...input, traceparent: currentTrace() }, listener);
      const hasMore = part !== null || isSplit(done);
      isKept = hasMore && !listener.signal.aborted && !this.#kept.has(jobId);
      if (isKept) this.#keep(jobId, thread);
      return done;
    } finally {
      if (!isKept) await thread.end();
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#kept.keys()].map((jobId) => this.#take(jobId)?.end()));
  }

  #keep(jobId: string, thread: JobThread): void {
    const timer = setTimeout(() => void this.#take(jobId)?.end(), KEEP_MS);
    this.#kept.set(jobId, { thread, timer });
  }

  #take(jobId: string): JobThread | null {
    const kept = this.#kept.get(jobId);
    if (kept === undefined) return null;
    clearTimeout(kept.timer);
    this.#kept.delete(jobId);
    return kept.thread.hasEnded ? null : kept.thread;
  }
}

const THREAD_FILE = new URL(`./job-thread${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url);

class JobThread {
  readonly #worker: Worker;
  readonly #exited = Promise.withResolvers<void>();
  hasEnded = false;

  constructor(config: JobConfig) {
    this.#worker = new Worker(THREAD_FILE, { workerData: config });
    this.#worker.on('exit', () => {
      this.hasEnded = true;
      this.#exited.resolve();
    });
    // While a job runs, its caller gets this error too.
    this.#worker.on('error', () => {});
  }

  async run(input: JobThreadInput, { progress, signal, log }: Listener): Promise<Publication | JobSplit> {
    const result = Promise.withResolvers<Publication | JobSplit>();
    const onMessage = (message: JobThreadMessage) => {
      if (message.kind === 'progress') progress(message.progress);
      else if (message.kind === 'log') log(message);
      else if (message.kind === 'done') result.resolve(message.done);
      else if (message.kind === 'failure') result.reject(new JobFailure(message.code, message.message));
      else result.reject(Object.assign(new Error(message.message), { stack: message.stack }));
    };
    const onExit = () => result.reject(new Error('The thread of the job ended unexpectedly.'));
    let graceTimer: NodeJS.Timeout | undefined;
    const onAbort = () => {
      this.#tell({ kind: 'stop' });
      graceTimer = setTimeout(() => void this.#worker.terminate(), STOP_GRACE_MS);
    };
    this.#worker.on('message', onMessage).on('error', result.reject).on('exit', onExit);
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      this.#tell({ kind: 'run', input });
      return await result.promise;
    } finally {
      clearTimeout(graceTimer);
      signal.removeEventListener('abort', onAbort);
      this.#worker.off('message', onMessage).off('error', result.reject).off('exit', onExit);
    }
  }

  /** Asks the thread to close what it has open, and terminates it if it does not. */
  async end(): Promise<void> {
    this.#tell({ kind: 'end' });
    const timer = setTimeout(() => void this.#worker.terminate(), STOP_GRACE_MS);
    await this.#exited.promise;
    clearTimeout(timer);
  }

  #tell(order: JobThreadOrder): void {
    this.#worker.postMessage(order);
  }
}
