// Keeps a worker process running next to the API: starts it, restarts it with growing pauses when it dies, and returns its
// jobs to the queue immediately instead of after their lease. The worker is this same program with the worker role; the
// channel between the two tells the worker when the API is gone, so that no worker outlives the service that started it.
import { type ChildProcess, fork } from 'node:child_process';
import { type Runtime, systemRuntime, type Timer } from '../base/runtime.ts';
import type { Logger } from '../observability/logger.ts';
import type { JobQueue } from '../store/job-queue.ts';
import type { WorkerHello } from './start-worker.ts';

const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 30_000;
/** A worker that ran at least this long did not fail at its start. */
const HEALTHY_MS = 60_000;
const STOP_GRACE_MS = 8000;

export interface WorkerSupervisor {
  stop(): Promise<void>;
  /** id of the running process; undefined between two processes */
  pid(): number | undefined;
}

export interface SuperviseOptions {
  /** module and arguments that run a worker */
  command: { file: string; args: readonly string[] };
  env: NodeJS.ProcessEnv;
  queue: JobQueue;
  log: Logger;
  runtime?: Pick<Runtime, 'after' | 'monotonicMs' | 'nowMs'>;
}

export function superviseWorker(options: SuperviseOptions): WorkerSupervisor {
  const { command, env, queue, log, runtime = systemRuntime } = options;
  let child: ChildProcess | null = null;
  let stopping = false;
  let pauseMs = FIRST_PAUSE_MS;
  let restart: Timer | undefined;
  let ended: Promise<void> = Promise.resolve();

  const start = (): void => {
    let workerId: string | undefined;
    const startedMs = runtime.monotonicMs();
    const started = fork(command.file, [...command.args], {
      env,
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    child = started;
    started.once('message', (hello: WorkerHello) => {
      workerId = hello.kindredWorkerId;
    });
    ended = new Promise((resolve) => {
      const end = async (code: number | null, signal: NodeJS.Signals | null): Promise<void> => {
        child = null;
        if (workerId !== undefined) {
          await takeBack(workerId).catch((error) =>
            log.warn({ err: error }, 'jobs of the dead worker wait for their lease to expire'),
          );
        }
        resolve();
        if (stopping) return;
        pauseMs =
          runtime.monotonicMs() - startedMs > HEALTHY_MS ? FIRST_PAUSE_MS : Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
        log.warn({ code, signal, restart_ms: pauseMs }, 'the worker process ended and will be restarted');
        restart = runtime.after(pauseMs, start);
      };
      started.once('exit', end);
      started.on('error', (error) => {
        log.error({ err: error }, 'the worker process failed');
        // A process that could not be started emits no exit either.
        if (started.pid === undefined) void end(null, null);
      });
    });
  };

  const takeBack = async (workerId: string): Promise<void> => {
    const reason = { code: 'WORKER_LOST', message: 'The worker process that ran the job died.' };
    const count = await queue.takeBackFrom(workerId, {
      reason,
      backOffMs: FIRST_PAUSE_MS,
      nowMs: runtime.nowMs(),
    });
    if (count > 0) log.warn({ jobs: count }, 'returned the jobs of a dead worker to the queue');
  };

  start();
  return {
    pid: () => child?.pid,
    async stop() {
      stopping = true;
      restart?.cancel();
      child?.kill('SIGTERM');
      const force = runtime.after(STOP_GRACE_MS, () => child?.kill('SIGKILL'));
      await ended;
      force.cancel();
    },
  };
}
