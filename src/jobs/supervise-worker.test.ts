import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
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
    ...{ command: { file: program, args: ['worker'] }, env: { ...process.env, GIVEN: 'given' } },
    ...{ queue: queue as JobQueue, log: createLogger('silent') },
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
