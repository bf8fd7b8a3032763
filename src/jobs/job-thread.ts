// A thread for the handlers of one job: it opens its own view of the store, calls the handler of the job's type and returns its result.
// What a part has opened stays open for the next.
import { flushCompileCache } from 'node:module';
import { constants, setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { systemRuntime } from '../base/runtime.ts';
import { beginTrace, traced } from '../base/trace.ts';
import { JobFailure } from '../domain/job.ts';
import { startTracing, WORKER_NAME } from '../observability/tracing.ts';
import { Opened } from '../pieces/opened.ts';
import { openBlobStore } from '../store/blob/open-blob-store.ts';
import { openStore } from '../store/open-store.ts';
import type { Store } from '../store/store.ts';
import { VERSION } from '../version.ts';
import { JOB_THREAD_CONNECTIONS } from './connections.ts';
import { JOB_HANDLERS } from './handlers/index.ts';
import type { JobConfig, JobContext, JobHandler } from './job-handler.ts';
import type { JobThreadInput, JobThreadMessage, JobThreadOrder } from './job-threads.ts';

const config = workerData as JobConfig;
const port = parentPort!;
const tell = (message: JobThreadMessage): void => port.postMessage(message);

const opened = new Opened();
let store: Store | null = null;
let control = new AbortController();

port.on('message', (order: JobThreadOrder) => {
  if (order.kind === 'run') void run(order.input);
  else if (order.kind === 'stop') control.abort(new Error('The job was stopped.'));
  else void end();
});

try {
  // Computation has the lowest priority, below the API and the thread that keeps the lease. Threads started here inherit it.
  setPriority(constants.priority.PRIORITY_LOW);
} catch {
  // Not permitted on this system. The job runs anyway.
}

async function run({ claimed, attemptId, scratchDir, traceparent }: JobThreadInput): Promise<void> {
  control = new AbortController();
  const { signal } = control;
  try {
    store ??= await openStore({ ...config, connections: JOB_THREAD_CONNECTIONS });
    const handle = await JOB_HANDLERS[claimed.job.job_type]();
    // The next thread starts sooner. Written now, because a thread can be ended before it could do so later.
    flushCompileCache();
    const context: JobContext = {
      job: claimed.job,
      part: claimed.part,
      parts: claimed.parts,
      lease: claimed.lease,
      attemptId,
      store,
      blobs: openBlobStore(config),
      config,
      scratchDir,
      opened,
      progress: (progress) => tell({ kind: 'progress', progress }),
      signal,
      runtime: systemRuntime,
      log: {
        info: (fields, message) => tell({ kind: 'log', level: 'info', fields, message }),
        warn: (fields, message) => tell({ kind: 'log', level: 'warn', fields, message }),
      },
    };
    tell({ kind: 'done', done: await (traceparent ? handleTraced(handle, context, traceparent) : handle(context)) });
  } catch (error) {
    if (error instanceof JobFailure) tell({ kind: 'failure', code: error.code, message: error.message });
    else {
      const { message, stack } = error instanceof Error ? error : new Error(String(error));
      tell({ kind: 'error', message, stack });
    }
  }
}

async function end(): Promise<void> {
  try {
    await opened.close();
    await store?.close();
  } finally {
    process.exit();
  }
}

/** Runs the handler and sends its trace before its result. */
async function handleTraced(handle: JobHandler, context: JobContext, parent: string) {
  const tracing = await startTracing({ share: 1, serviceName: WORKER_NAME, version: VERSION }, context.log);
  if (tracing !== null && context.job.job_type === 'TRAINING') {
    (await import('../training/trace-steps.ts')).traceTraining();
  }
  const trace = beginTrace({ name: 'run in thread', kind: 'job', parent });
  const run = () => traced('handle job', () => handle(context));
  let failed = true;
  try {
    const done = await (trace === null ? handle(context) : trace.within(run));
    failed = false;
    return done;
  } finally {
    trace?.end({ failed });
    await tracing?.stop();
  }
}
