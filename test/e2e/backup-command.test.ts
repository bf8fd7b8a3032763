// `kindred backup` while it serves, and `kindred restore` into an empty folder.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { startTestService } from '../support/service.ts';

const run = promisify(execFile);
const ENTRY = join(import.meta.dirname, '../../bin/kindred.js');
const kindred = (dataDir: string, ...words: string[]) =>
  run(process.execPath, [ENTRY, ...words], { env: { ...process.env, KINDRED_DATA_DIR: dataDir } });

test('what was there when the backup was taken is there after the restore', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'kindred-backup-'));
  const service = await startTestService({ KINDRED_ROLES: 'api' });
  const file = join(folder, 'backup.tar');
  const restored = join(folder, 'restored');
  try {
    const { item_dataset_id } = await service.ok('POST', '/create-item-dataset', { name: 'kept' });
    const items = [{ item_id: 'i1', attributes: { title: 'Ünïcode' } }, { item_id: 'i2' }];
    await service.ok('POST', '/upsert-dataset-items', { item_dataset_id, items });
    await kindred(service.dataDir, 'backup', file);
    await service.ok('POST', '/upsert-dataset-items', { item_dataset_id, items: [{ item_id: 'later' }] });
    await assert.rejects(kindred(service.dataDir, 'backup', file), { code: 3 });

    await kindred(restored, 'restore', file);
    const again = await startTestService({ KINDRED_ROLES: 'api', KINDRED_DATA_DIR: restored });
    try {
      assert.equal((await again.ok('GET', '/get-item-dataset', { item_dataset_id })).num_records, 2);
      const record = await again.ok('GET', '/get-dataset-record', { item_dataset_id, item_id: 'i1' });
      assert.deepEqual(record.attributes, { title: 'Ünïcode' });
      assert.equal(again.credentials.api_key, service.credentials.api_key);
    } finally {
      await again.stop();
    }
    await assert.rejects(kindred(restored, 'restore', file), { code: 3 });
    await writeFile(join(folder, 'broken.tar'), 'nonsense');
    await assert.rejects(kindred(join(folder, 'other'), 'restore', join(folder, 'broken.tar')), { code: 3 });
  } finally {
    await service.stop();
    await rm(folder, { recursive: true, force: true });
  }
});
