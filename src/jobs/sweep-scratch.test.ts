import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { scratchRoot, sweepScratch } from './sweep-scratch.ts';

test('scratch folders of attempts that do not run go, unless they were touched lately', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'kindred-'));
  const queue = { running: async () => [{ jobId: 'job_1', attempt: 2, heartbeat: 7 }] };
  const old = new Date(Date.now() - 2 * 3_600_000);
  try {
    assert.deepEqual(await sweepScratch(dataDir, queue), [], 'there may be no folder yet');
    for (const [attempt, isOld] of [
      ['job_1-1', true],
      ['job_1-2', true],
      ['job_2-1', false],
    ] as const) {
      const folder = join(scratchRoot(dataDir), attempt);
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, 'model.kindred'), 'half');
      if (isOld) utimesSync(folder, old, old);
    }
    assert.deepEqual(await sweepScratch(dataDir, queue), ['job_1-1']);
    assert.deepEqual(readdirSync(scratchRoot(dataDir)).sort(), ['job_1-2', 'job_2-1']);
  } finally {
    rmSync(dataDir, { recursive: true });
  }
});
