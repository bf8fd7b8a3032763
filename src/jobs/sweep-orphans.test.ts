import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { openBlobStore } from '../store/blob/open-blob-store.ts';
import { openStore } from '../store/open-store.ts';
import { OrphanSweeper } from './sweep-orphans.ts';

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
