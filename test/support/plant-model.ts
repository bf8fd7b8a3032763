// Puts a model into a project as a training job would have, without training.
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { saveModel } from '../../src/artifact/g1-file.ts';
import type { G1Model } from '../../src/artifact/g1-model.ts';
import type { Model } from '../../src/domain/model.ts';
import { type BlobStoreConfig, openBlobStore } from '../../src/store/blob/open-blob-store.ts';
import { openStore, type StoreConfig } from '../../src/store/open-store.ts';
import { newId } from './new-ids.ts';

export interface PlantedModel {
  modelId: string;
  /** path of its file */
  file: string;
}

export async function plantModel(
  place: StoreConfig & BlobStoreConfig,
  project: { project_id: string; account_id: string },
  fitted: G1Model,
): Promise<PlantedModel> {
  const store = await openStore(place);
  const blobs = openBlobStore(place);
  const scratch = mkdtempSync(join(place.dataDir, 'plant-'));
  try {
    const jobId = newId('job');
    const model: Model = {
      account_id: project.account_id,
      project_id: project.project_id,
      model_id: newId('model'),
      name: 'planted',
      algorithm_type: 'G1',
      algorithm_parameters: {},
      created_ts: Date.now(),
      job_id: jobId,
      artifact_key: `models/${newId('model')}.kindred`,
      metrics: null,
      training: {},
    };
    await saveModel(join(scratch, 'model'), fitted);
    await blobs.putFile(model.artifact_key, join(scratch, 'model'));
    // Born running, so that no worker takes it.
    await store.database.atomic([
      {
        sql: `INSERT INTO job (job_id, account_id, project_id, job_type, name, created_ts, job_data, job_status, progress, attempt)
              VALUES (?, ?, ?, 'TRAINING', 'planted', ?, '{}', 'RUNNING', '{"fraction":0,"phase":"","message":""}', 1)`,
        params: [jobId, project.account_id, project.project_id, Date.now()],
      },
    ]);
    const result = { model_id: model.model_id };
    await store.queue.finish({ jobId, attempt: 1 }, { result, model }, Date.now());
    return { modelId: model.model_id, file: await blobs.localFile(model.artifact_key) };
  } finally {
    rmSync(scratch, { recursive: true });
    await store.close();
  }
}
