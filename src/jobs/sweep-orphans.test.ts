import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { newJob } from '../../test/support/new-ids.ts';
import { makeAccount, makeProject } from '../../test/support/store-fixtures.ts';
import { systemRuntime } from '../base/runtime.ts';
import { createLogger } from '../observability/logger.ts';
import { partialPath } from '../store/blob/durable-file.ts';
import { openBlobStore } from '../store/blob/open-blob-store.ts';
import type { Lease } from '../store/job-queue.ts';
import { openStore } from '../store/open-store.ts';
import { modelFiles, resultFiles } from './owned-files.ts';
import { OrphanSweeper, sweepOrphans } from './sweep-orphans.ts';
import { attemptIdOf } from './sweep-scratch.ts';

/** ends the key of a file that is one part of a result */
const PART = 'jsonl.000000-000002';

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
    const sweeper = new OrphanSweeper(modelFiles(store.models), blobs, 1000);
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

test('result files of an attempt go when it cannot publish them any more, and was seen so twice', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'kindred-'));
  const store = await openStore({ dataDir });
  try {
    const blobs = openBlobStore({ dataDir });
    const accountId = await makeAccount(store);
    const { project_id } = await makeProject(store, accountId);
    const put = async (key: string) => {
      writeFileSync(join(dataDir, 'local'), 'bytes');
      await blobs.putFile(`results/9/${key}`, join(dataDir, 'local'));
    };
    /** Runs a job twice, as if the first worker had been killed. */
    const runTwice = async () => {
      const job = newJob({ account_id: accountId, project_id, job_type: 'QUERYING', job_data: {} }, 1);
      await store.jobs.submit(job);
      const first = (await store.queue.claim('killed', ['QUERYING'], 1))!;
      await put(`${attemptIdOf(first.lease)}.json`);
      await store.queue.release(first.lease);
      const { lease } = (await store.queue.claim('w', ['QUERYING'], 1))!;
      for (const ending of ['json', 'csv', PART]) await put(`${attemptIdOf(lease)}.${ending}`);
      return lease;
    };
    const [published, failed, canceled, running] = [
      await runTwice(),
      await runTwice(),
      await runTwice(),
      await runTwice(),
    ];
    for (const name of ['job_deleted-1.json', 'of-no-attempt.json']) await put(name);
    const sweeper = new OrphanSweeper(resultFiles(store.queue), blobs, 1000);
    assert.deepEqual((await sweeper.sweep(0)).concat(await sweeper.sweep(1000)), ['results/9/job_deleted-1.json']);
    await store.queue.finish(published, { result: {} }, 1);
    await store.queue.fail(failed, { code: 'X', message: 'x' }, 1);
    await store.jobs.cancel(accountId, project_id, canceled.jobId, 1);
    assert.deepEqual(await sweeper.sweep(2000), []);
    const removed = [...(await sweeper.sweep(2999)), ...(await sweeper.sweep(3000))];
    const filesOf = ({ jobId }: Lease) => [
      `${jobId}-1.json`,
      ...['csv', 'json', PART].map((ending) => `${jobId}-2.${ending}`),
    ];
    const gone = [`${published.jobId}-1.json`, ...filesOf(failed), ...filesOf(canceled)];
    assert.deepEqual(removed.sort(), gone.map((name) => `results/9/${name}`).sort());
    const left = (await Array.fromAsync(blobs.list('results/'))).map(({ key }) => key.slice('results/9/'.length));
    const kept = [...filesOf(published).slice(1), ...filesOf(running), 'of-no-attempt.json'];
    assert.deepEqual(left.sort(), kept.sort());
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
    const killed = 'results/99999999999/job_gone-1.csv';
    const ofGone = [
      'models/orphan.kindred',
      'parts/job_gone/p1-1/lines',
      'spark/job_gone-1/part-0',
      'results/1/a.jsonl',
    ];
    for (const key of [...ofGone, killed, used]) {
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
        queue: {
          running: async () => [{ jobId: 'job_runs', attempt: 2, heartbeat: 1 }],
          waitsForParts,
          neededResults: async (leases: unknown[]) => leases.map(() => false),
        },
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
    assert.deepEqual(left, [['models/orphan.kindred', 'parts/job_gone/p1-1/lines', killed, used], [used], [used]]);
    for (const path of [scratch, half]) assert.ok(!existsSync(path));
    assert.deepEqual(said, [
      [{ attempts: ['job_gone-1'] }, 'removed scratch folders of killed attempts'],
      [{ files: 1 }, 'removed partly written files of a killed process'],
      [{ attempts: ['job_gone-1'] }, 'removed files for Spark of killed attempts'],
      [{ err: away }, 'could not remove files of parts of jobs that have ended'],
      [{ files: 1 }, 'removed result files with expired links'],
      [{ jobs: ['job_gone'] }, 'removed files of parts of jobs that have ended'],
      [{ files: ['models/orphan.kindred'] }, 'removed files without a model'],
      [{ files: [killed] }, 'removed result files that were not published'],
    ]);
  } finally {
    await store.close();
    rmSync(dataDir, { recursive: true });
  }
});
