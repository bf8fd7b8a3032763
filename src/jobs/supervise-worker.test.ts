import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createLogger } from '../observability/logger.ts';
import type { JobQueue } from '../store/job-queue.ts';
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
