// A model's row and its file, of any content, for tests of what is kept and not of what is served.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BlobStore } from '../../src/store/blob-store.ts';
import type { Store } from '../../src/store/store.ts';

/** Returns the key of the file. */
export async function storeModel(store: Store, blobs: BlobStore, name: string, content: string): Promise<string> {
  const key = `models/${name}.kindred`;
  const folder = mkdtempSync(join(tmpdir(), 'kindred-model-'));
  writeFileSync(join(folder, 'model'), content);
  await blobs.putFile(key, join(folder, 'model'));
  rmSync(folder, { recursive: true });
  await store.database.atomic([
    {
      sql: `INSERT INTO model (model_id, account_id, project_id, name, algorithm_type, algorithm_parameters, created_ts, job_id, artifact_key, training)
            VALUES (?, 'acc_x', 'prj_x', ?, 'G1', '{}', 1, 'job_x', ?, '{}')`,
      params: [`mdl_${name}`, name, key],
    },
  ]);
  return key;
}

/** As /delete-model does it: first the row, then the file. */
export async function forgetModel(store: Store, blobs: BlobStore, key: string): Promise<void> {
  await store.database.atomic([{ sql: 'DELETE FROM model WHERE artifact_key = ?', params: [key] }]);
  await blobs.delete(key);
}
