import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { systemRuntime } from '../base/runtime.ts';
import { createLogger } from '../observability/logger.ts';
import type { JobQueue, Retry } from '../store/job-queue.ts';
import { superviseWorker } from './supervise-worker.ts';

test('a worker that cannot be started is tried again, and stopping does not wait for it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'kindred-supervise-'));
  const started = join(folder, 'started');
  const program = join(folder, 'worker.mjs');
  writeFileSync(
    program,
    `import { writeFileSync } from 'node:fs'; writeFileSync(${JSON.stringify(started)}, ''); process.on('SIGTERM', () => process.exit(0)); setInterval(() => {}, 1000);`,
  );
  const node = process.execPath;
  process.execPath = join(folder, 'not-there');
  try {
    const parts = {
      command: { file: program, args: [] },
      env: process.env,
      queue: {} as JobQueue,
      log: createLogger('silent'),
    };
    const never = superviseWorker(parts);
    await sleep(0);
    await never.stop();

    const later = superviseWorker(parts);
    await sleep(0);
    assert.equal(later.pid(), undefined);
    process.execPath = node;
    while (!existsSync(started)) await sleep(20);
    await later.stop();
    assert.equal(later.pid(), undefined);
  } finally {
    process.execPath = node;
    rmSync(folder, { recursive: true });
  }
});

test('a worker that dies is started again, after its jobs went back to the queue', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'kindred-supervise-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const starts = join(folder, 'starts');
  const program = join(folder, 'worker.mjs');
  // The first dies once it has said who it is, the second lives until it is told to stop.
  writeFileSync(
    program,
    `import { appendFileSync, readFileSync } from 'node:fs';
     appendFileSync(${JSON.stringify(starts)}, process.argv[2] + ' ' + process.env.GIVEN + '\\n');
     const isFirst = readFileSync(${JSON.stringify(starts)}, 'utf8').split('\\n').length === 2;
     process.on('SIGTERM', () => process.exit(0));
     setInterval(() => {}, 1000);
     process.send({ kindredWorkerId: isFirst ? 'first' : 'second' }, () => isFirst && process.exit(1));`,
  );
  const takenBack: { workerId: string; retry: Retry; startsThen: number }[] = [];
  const countStarts = () => (existsSync(starts) ? readFileSync(starts, 'utf8').trimEnd().split('\n').length : 0);
  const queue: Partial<JobQueue> = {
    takeBackFrom: async (workerId, retry) => {
      takenBack.push({ workerId, retry, startsThen: countStarts() });
      if (workerId === 'second') throw new Error('the store is gone');
      return 1;
    },
  };
  const supervisor = superviseWorker({
    command: { file: program, args: ['worker'] },
    env: { ...process.env, GIVEN: 'given' },
    queue: queue as JobQueue,
    log: createLogger('silent'),
  });
  const firstPid = supervisor.pid();
  while (countStarts() < 2) await sleep(10);
  assert.notEqual(supervisor.pid(), firstPid);
  assert.deepEqual(
    takenBack.map(({ workerId, startsThen }) => [workerId, startsThen]),
    [['first', 1]],
  );
  assert.equal(takenBack[0].retry.reason.code, 'WORKER_LOST');
  assert.equal(readFileSync(starts, 'utf8'), 'worker given\nworker given\n');
  await supervisor.stop();
  assert.equal(supervisor.pid(), undefined);
  await sleep(20);
  assert.equal(countStarts(), 2);
});

test('a worker that does not stop is killed after a while', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'kindred-supervise-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const deaf = join(folder, 'deaf');
  const program = join(folder, 'worker.mjs');
  writeFileSync(
    program,
    `import { writeFileSync } from 'node:fs'; process.on('SIGTERM', () => writeFileSync(${JSON.stringify(deaf)}, ''));
     setInterval(() => {}, 1000); writeFileSync(process.argv[2], '');`,
  );
  const due: (() => void)[] = [];
  const after = (_: number, work: () => void) => {
    due.push(work);
    return { cancel: () => {} };
  };
  const isReady = join(folder, 'ready');
  const supervisor = superviseWorker({
    command: { file: program, args: [isReady] },
    env: process.env,
    queue: {} as JobQueue,
    log: createLogger('silent'),
    runtime: { ...systemRuntime, after },
  });
  const pid = supervisor.pid()!;
  while (!existsSync(isReady)) await sleep(10);
  const stopped = supervisor.stop();
  assert.equal(due.length, 1);
  while (!existsSync(deaf)) await sleep(10);
  assert.equal(supervisor.pid(), pid);
  due[0]();
  await stopped;
  assert.equal(supervisor.pid(), undefined);
});

test('the pause before a restart grows up to half a minute, and is short again once a worker ran for a while', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'kindred-supervise-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const program = join(folder, 'worker.mjs');
  writeFileSync(program, 'process.exit(1);');
  const pauses: number[] = [];
  let nowMs = 100_000;
  const healthy = Promise.withResolvers<void>();
  const supervisor = superviseWorker({
    command: { file: program, args: [] },
    env: process.env,
    queue: {} as JobQueue,
    log: createLogger('silent'),
    runtime: {
      ...systemRuntime,
      monotonicMs: () => nowMs,
      after: (pauseMs, work) => {
        pauses.push(pauseMs);
        if (pauses.length === 11) healthy.resolve();
        else
          setImmediate(() => {
            work();
            // The last one runs for more than a minute.
            if (pauses.length === 10) nowMs += 60_001;
          });
        return { cancel: () => {} };
      },
    },
  });
  await healthy.promise;
  const shortest = pauses.at(-1)!;
  assert.deepEqual(
    pauses.slice(0, -1),
    [2, 4, 8, 16, 32, 64, 128, 256, 512, 1024].map((times) => Math.min(30_000, shortest * times)),
  );
  await supervisor.stop();
});
