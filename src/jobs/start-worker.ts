// A worker process: runs jobs at low CPU priority, so that the API on the same machine stays fast while a model trains.
import { readdirSync } from 'node:fs';
import { constants, getPriority, hostname, setPriority } from 'node:os';
import type { Runtime } from '../base/runtime.ts';
import { uniqueName } from '../base/system.ts';
import type { Logger } from '../observability/logger.ts';
import type { BlobStore } from '../store/blob-store.ts';
import type { Store } from '../store/store.ts';
import { jobAttempts } from './job-attempts.ts';
import type { JobConfig } from './job-handler.ts';
import { sweepOrphans } from './sweep-orphans.ts';
import type { JobTiming } from './timing.ts';
import { JobWorker } from './worker.ts';

export interface StartWorkerParts {
  store: Store;
  blobs: BlobStore;
  config: JobConfig;
  log: Logger;
  timing: JobTiming;
  runtime?: Runtime;
}

/** The message a worker sends to the process that started it, before it takes its first job. */
export interface WorkerHello {
  kindredWorkerId: string;
}

export function startWorker(parts: StartWorkerParts): JobWorker {
  lowerPriority(parts.log);
  const workerId = `${hostname()}-${process.pid}-${uniqueName(4)}`;
  process.send?.({ kindredWorkerId: workerId } satisfies WorkerHello);
  const { store, log, timing, runtime } = parts;
  const worker = new JobWorker({
    workerId,
    queue: store.queue,
    attempts: jobAttempts(parts),
    log,
    timing,
    runtime,
    sweep: (signal) => sweepOrphans({ ...parts, signal }),
  });
  worker.start();
  return worker;
}

/**
 * Lowers the priority of all threads. On Linux it is per thread: threads that the runtime started are lowered too, and
 * later ones inherit it. A service started at a lower priority keeps it.
 */
function lowerPriority(log: Logger): void {
  try {
    const threads = process.platform === 'linux' ? readdirSync('/proc/self/task').map(Number) : [0];
    const low = constants.priority.PRIORITY_BELOW_NORMAL;
    for (const thread of threads) if (getPriority(thread) < low) setPriority(thread, low);
  } catch (error) {
    log.warn({ err: error }, 'the worker runs at normal priority');
  }
}
