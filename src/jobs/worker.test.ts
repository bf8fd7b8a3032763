// Tests what a worker takes from the queue and when, on virtual time, with a queue in memory.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Machine } from '../../test/simulator/machine.ts';
import { World } from '../../test/simulator/world.ts';
import { JOB_TYPES, type Job, type JobType } from '../domain/job.ts';
import { createLogger, type Logger } from '../observability/logger.ts';
import type { ClaimedJob, JobQueue, Retry, RunningMark } from '../store/job-queue.ts';
import type { JobOutcome } from './hold-lease.ts';
import { jobTiming } from './timing.ts';
import { JobWorker } from './worker.ts';

const TIMING = jobTiming(30_000);
/** Not a multiple of the time between polls. */
const WORK_MS = 1100;

function stage() {
  const world = new World(1);
  const { runtime } = new Machine(world, 'worker');
  const waiting: JobType[] = [];
  const atWork = new Map<JobType, number>();
  const most = new Map<string, number>();
  const seen = {
    polls: [] as number[],
    claims: 0,
    released: 0,
    warnings: 0,
    marks: [] as RunningMark[],
    isDown: false,
    takenBack: [] as { mark: RunningMark; retry: Retry; atMs: number }[],
    ended: [] as (JobOutcome | null)[],
  };
  const queue: Partial<JobQueue> = {
    async waitingTypes() {
      seen.polls.push(world.nowMs);
      if (seen.isDown) throw new Error('the store is gone');
      return [...new Set(waiting)];
    },
    async claim(_, types) {
      const at = waiting.findIndex((type) => types.includes(type));
      if (at < 0) return null;
      const [job_type] = waiting.splice(at, 1);
      const job = { job_type, progress: {}, retry_count: 0 } as unknown as Job;
      return { job, lease: { jobId: `job_${++seen.claims}`, attempt: 1 }, part: null, parts: 0 } as ClaimedJob;
    },
    heartbeat: async () => true,
    finish: async () => (seen.isDown ? Promise.reject(new Error('the store is gone')) : true),
    async release() {
      seen.released++;
      return true;
    },
    running: async () => seen.marks,
    async takeBack(mark, retry) {
      seen.takenBack.push({ mark, retry, atMs: world.nowMs });
      seen.marks = seen.marks.filter((one) => one !== mark);
      return true;
    },
  };
  const count = (type: JobType, change: number) => {
    atWork.set(type, (atWork.get(type) ?? 0) + change);
    const now = (...types: JobType[]) => types.reduce((sum, one) => sum + (atWork.get(one) ?? 0), 0);
    for (const types of [[type], ['QUERYING', 'CLUSTERING'], ['RECOMMENDATION', 'EXPORT']] as JobType[][]) {
      most.set(types.join(), Math.max(most.get(types.join()) ?? 0, now(...types)));
    }
  };
  const log: Logger = Object.assign(createLogger('silent'), { child: () => log, warn: () => void seen.warnings++ });
  const worker = new JobWorker({
    workerId: 'worker',
    queue: queue as JobQueue,
    log,
    timing: TIMING,
    runtime,
    sweep: async () => {},
    attempts: {
      close: async () => {},
      handlerOf:
        ({ job: { job_type } }) =>
        async ({ signal }) => {
          count(job_type, 1);
          await runtime.sleep(WORK_MS, signal).finally(() => count(job_type, -1));
          return { result: {} };
        },
      ended: async (_, outcome) => void seen.ended.push(outcome),
    },
  });
  const run = (ms: number) =>
    world.runUntil(
      world.nowMs + ms,
      () => false,
      () => {},
    );
  return { world, worker, waiting, most, seen, run };
}

test('jobs of all types run, each lane as wide as it is, and none waits for another lane', async () => {
  const { worker, waiting, most, seen, run } = stage();
  for (const type of JOB_TYPES) waiting.push(type, type, type, type, type);
  worker.start();
  await run(WORK_MS / 2);
  assert.equal(seen.claims, 9, 'one of each of five lanes, and four deployments');
  await run(60_000);
  assert.deepEqual(waiting, []);
  assert.deepEqual(seen.ended, Array(5 * JOB_TYPES.length).fill('succeeded'));
  assert.equal(most.get('DEPLOYMENT'), 4);
  for (const lane of ['TRAINING', 'QUERYING,CLUSTERING', 'RECOMMENDATION,EXPORT', 'DATA_HEALTH', 'IMPORT']) {
    assert.equal(most.get(lane), 1, lane);
  }
});

test('the next job of a lane begins when the one before it ends', async () => {
  const { worker, waiting, seen, run } = stage();
  waiting.push('QUERYING', 'QUERYING', 'QUERYING', 'QUERYING');
  worker.start();
  await run(4 * WORK_MS + TIMING.pollMs / 2);
  assert.deepEqual(seen.ended, Array(4).fill('succeeded'));
});

test('a worker that cannot reach the store tries once a second, says so once, and continues when it can', async () => {
  const { worker, seen, run, waiting } = stage();
  seen.isDown = true;
  worker.start();
  await run(10_500);
  assert.ok(seen.polls.length >= 10 && seen.polls.length <= 11, `${seen.polls.length} polls`);
  assert.equal(seen.warnings, 1);
  seen.isDown = false;
  waiting.push('QUERYING');
  await run(5000);
  assert.deepEqual(seen.ended, ['succeeded']);
  const { length } = seen.polls;
  await run(10_000);
  assert.ok(seen.polls.length - length >= 38, 'as often as before');
  seen.isDown = true;
  await run(3000);
  assert.equal(seen.warnings, 2);
});

test('a worker that stops returns its jobs and takes no more', async () => {
  const { worker, waiting, seen, run } = stage();
  waiting.push('TRAINING', 'TRAINING', 'IMPORT');
  worker.start();
  await run(WORK_MS / 2);
  let isStopped = false;
  worker.stop().then(() => {
    isStopped = true;
  });
  await run(10);
  assert.ok(isStopped);
  assert.deepEqual([seen.released, seen.ended], [2, ['released', 'released']]);
  await run(60_000);
  assert.deepEqual([seen.claims, waiting], [2, ['TRAINING']]);
});

test('a job whose heartbeat does not move for a lease is taken back, another is not', async () => {
  const { world, worker, seen, run } = stage();
  const lost = { jobId: 'job_lost', attempt: 2, heartbeat: 7 };
  seen.marks = [lost, { jobId: 'job_alive', attempt: 1, heartbeat: 0 }];
  worker.start();
  for (let beat = 1; world.nowMs < TIMING.leaseMs + 3 * TIMING.heartbeatMs; beat++) {
    await run(1000);
    seen.marks = seen.marks.map((mark) => (mark.jobId === 'job_alive' ? { ...mark, heartbeat: beat } : mark));
  }
  assert.deepEqual(
    seen.takenBack.map(({ mark }) => mark),
    [lost],
  );
  const [{ retry, atMs }] = seen.takenBack;
  assert.ok(atMs >= TIMING.leaseMs && atMs < TIMING.leaseMs + 2 * TIMING.heartbeatMs, String(atMs));
  assert.deepEqual([retry.reason.code, retry.backOffMs], ['WORKER_LOST', TIMING.backOffMs]);
});

test('a new attempt of a job is given its own lease', async () => {
  const { worker, seen, run } = stage();
  const mark = { jobId: 'job_1', attempt: 1, heartbeat: 0 };
  seen.marks = [mark];
  worker.start();
  await run(20_000);
  seen.marks = [{ ...mark, attempt: 2 }];
  await run(20_000);
  assert.deepEqual(seen.takenBack, []);
});

test('what an attempt leaves is kept when nobody knows whether it was published', async () => {
  const { worker, waiting, seen, run } = stage();
  waiting.push('QUERYING');
  worker.start();
  await run(WORK_MS / 2);
  seen.isDown = true;
  await run(2 * TIMING.leaseMs);
  assert.deepEqual(seen.ended, [null]);
});
