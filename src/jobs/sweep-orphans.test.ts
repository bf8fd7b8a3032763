import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { systemRuntime } from '../base/runtime.ts';
import { createLogger } from '../observability/logger.ts';
import { partialPath } from '../store/blob/durable-file.ts';
import { openBlobStore } from '../store/blob/open-blob-store.ts';
import { openStore } from '../store/open-store.ts';
import { OrphanSweeper, sweepOrphans } from './sweep-orphans.ts';

test('a file that belongs to no model goes when it was seen so twice, the grace time apart', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'kindred-'));
  const store = await openStore({ dataDir });
  try {
    const blobs = openBlobStore({ dataDir });
    for (const key of ['models/kept.kindred', 'models/orphan.kindred', 'results/other.json']) {
      writeFileSync(join(dataDir, 'local'), 'bytes');
      await blobs.putFile(key, join(dataDir, 'local'));
    }
    await store.database.atomic([
      {
        sql: `INSERT INTO model (model_id, account_id, project_id, name, algorithm_type, algorithm_parameters, created_ts, job_id,
                artifact_key, training) VALUES ('mdl_1', 'acc_1', 'prj_1', 'm', 'G1', '{}', 1, 'job_1', 'models/kept.kindred', '{}')`,
      },
    ]);
    const sweeper = new OrphanSweeper(store.models, blobs, 1000);
    assert.deepEqual(await sweeper.sweep(0), []);
    assert.deepEqual(await sweeper.sweep(999), []);
    assert.deepEqual(await sweeper.sweep(1000), ['models/orphan.kindred']);
    assert.deepEqual(await sweeper.sweep(5000), []);
    const left = (await Array.fromAsync(blobs.list(''))).map(({ key }) => key).sort();
    assert.deepEqual(left, ['models/kept.kindred', 'results/other.json']);
  } finally {
    await store.close();
    rmSync(dataDir, { recursive: true });
  }
});

test('what killed processes have left is removed every hour, and a step that fails holds up no other', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'kindred-'));
  const store = await openStore({ dataDir });
  try {
    const blobs = openBlobStore({ dataDir });
    const used = 'spark/job_runs-2/part-0';
    const ofGone = [
      'models/orphan.kindred',
      'parts/job_gone/p1-1/lines',
      'spark/job_gone-1/part-0',
      'results/1/a.jsonl',
    ];
    for (const key of [...ofGone, used]) {
      writeFileSync(join(dataDir, 'local'), 'bytes');
      await blobs.putFile(key, join(dataDir, 'local'));
    }
    const scratch = join(dataDir, 'scratch', 'job_gone-1');
    mkdirSync(scratch, { recursive: true });
    const half = partialPath(await blobs.localFile(used));
    writeFileSync(half, 'half');
    for (const path of [scratch, half]) utimesSync(path, 1, 1);
    const control = new AbortController();
    const log = createLogger('silent');
    const said: unknown[][] = [];
    log.info = log.warn = (...words: unknown[]) => void said.push(words);
    const left: string[][] = [];
    const pausesMs: number[] = [];
    let isAway = true;
    const away = new Error('the store is gone');
    const waitsForParts = async () => {
      if (isAway) throw away;
      return false;
    };
    await sweepOrphans({
      config: { dataDir },
      blobs,
      log,
      signal: control.signal,
      store: {
        ...store,
        queue: { running: async () => [{ jobId: 'job_runs', attempt: 2, heartbeat: 1 }], waitsForParts },
      },
      runtime: {
        ...systemRuntime,
        monotonicMs: () => left.length * 3_600_000,
        sleep: async (pauseMs: number) => {
          pausesMs.push(pauseMs);
          left.push((await Array.fromAsync(blobs.list(''))).map(({ key }) => key).sort());
          isAway = false;
          if (left.length === 3) control.abort();
        },
      },
    } as unknown as Parameters<typeof sweepOrphans>[0]);
    assert.deepEqual(pausesMs, [3_600_000, 3_600_000, 3_600_000]);
    assert.deepEqual(left, [['models/orphan.kindred', 'parts/job_gone/p1-1/lines', used], [used], [used]]);
    for (const path of [scratch, half]) assert.ok(!existsSync(path));
    assert.deepEqual(said, [
      [{ attempts: ['job_gone-1'] }, 'removed scratch folders of killed attempts'],
      [{ files: 1 }, 'removed partly written files of a killed process'],
      [{ attempts: ['job_gone-1'] }, 'removed files for Spark of killed attempts'],
      [{ err: away }, 'could not remove files of parts of jobs that have ended'],
      [{ files: 1 }, 'removed result files with expired links'],
      [{ jobs: ['job_gone'] }, 'removed files of parts of jobs that have ended'],
      [{ files: ['models/orphan.kindred'] }, 'removed files without a model'],
    ]);
  } finally {
    await store.close();
    rmSync(dataDir, { recursive: true });
  }
});
