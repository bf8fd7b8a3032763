// Runs a job's handler in its own thread: the worker's main thread stays free to keep the lease, a handler that computes for
// minutes can be stopped at any point, and its memory is freed when it ends. The other side is job-thread.ts.
import { Worker } from 'node:worker_threads';
import { JobFailure, type JobProgress } from '../domain/job.ts';
import { currentTrace } from '../domain/trace.ts';
import type { ClaimedJob, Publication } from '../store/job-queue.ts';
import type { JobConfig, JobSplit } from './job-handler.ts';

/** How long a handler may take to stop by itself before its thread is ended. */
const STOP_GRACE_MS = 1500;

export interface JobThreadInput {
  claimed: ClaimedJob;
  attemptId: string;
  scratchDir: string;
  config: JobConfig;
  /** `traceparent` of the job; left out or null: not traced. */
  traceparent?: string | null;
}

/** What a job thread tells its worker. */
export type JobThreadMessage =
  | { kind: 'progress'; progress: JobProgress }
  | { kind: 'log'; level: 'info' | 'warn'; fields: object; message: string }
  | { kind: 'done'; done: Publication | JobSplit }
  | { kind: 'failure'; code: string; message: string }
  | { kind: 'error'; message: string; stack?: string };

export const STOP_MESSAGE = 'stop';

const THREAD_FILE = new URL(`./job-thread${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url);

export async function runInThread(
  input: JobThreadInput,
  control: { progress: (progress: JobProgress) => void; signal: AbortSignal },
  onLog: (entry: Extract<JobThreadMessage, { kind: 'log' }>) => void,
): Promise<Publication | JobSplit> {
  control.signal.throwIfAborted();
  const thread = new Worker(THREAD_FILE, {
    workerData: { ...input, traceparent: currentTrace() } satisfies JobThreadInput,
  });
  let graceTimer: NodeJS.Timeout | undefined;
  const stop = () => {
    thread.postMessage(STOP_MESSAGE);
    graceTimer = setTimeout(() => void thread.terminate(), STOP_GRACE_MS);
  };
  control.signal.addEventListener('abort', stop, { once: true });
  try {
    return await new Promise<Publication | JobSplit>((resolve, reject) => {
      thread.on('message', (message: JobThreadMessage) => {
        if (message.kind === 'progress') control.progress(message.progress);
        else if (message.kind === 'log') onLog(message);
        else if (message.kind === 'done') resolve(message.done);
        else if (message.kind === 'failure') reject(new JobFailure(message.code, message.message));
        else reject(Object.assign(new Error(message.message), { stack: message.stack }));
      });
      thread.on('error', reject);
      thread.on('exit', () => reject(new Error('The thread of the job ended unexpectedly.')));
    });
  } finally {
    clearTimeout(graceTimer);
    control.signal.removeEventListener('abort', stop);
    await thread.terminate();
  }
}
