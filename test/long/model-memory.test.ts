// Several projects in one process under a small memory budget: models are dropped and loaded by need, and every call is served.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { G1Model } from '../../src/artifact/g1-model.ts';
import { plantModel } from '../support/plant-model.ts';
import { startServiceProcess } from '../support/service.ts';
import { createTasteProject, ITEMS, isOfKind, succeed, tasteModel } from '../support/taste-project.ts';
import { newTestPlace } from '../support/test-database.ts';

/** About 2 MB. */
function heavyModel(): G1Model {
  const dimensions = 8192;
  return tasteModel({ vectors: { dimensions, values: new Float32Array(ITEMS * dimensions).fill(0.5) } });
}

test('with room for one model at a time every project is served, also after a restart', async () => {
  const place = await newTestPlace('sqlite');
  const env = {
    KINDRED_DATA_DIR: place.dataDir,
    KINDRED_ROLES: 'api,worker',
    KINDRED_MODEL_MEMORY_MB: '1',
    KINDRED_LOG_LEVEL: 'warn',
  };
  let service = await startServiceProcess(env);
  const figure = async (name: string): Promise<number> => {
    const { body } = await service.call('GET', '/metrics');
    return Number(new RegExp(`^kindred_${name} (\\S+)$`, 'm').exec(body)?.[1]);
  };
  try {
    const projects = [await createTasteProject(service), await createTasteProject(service)];
    for (const project of projects) {
      const { modelId } = await plantModel(place, project, heavyModel());
      const deployment = { project_id: project.project_id, generator_model_id: modelId, qps: 1000 };
      await succeed(service, '/submit-deployment-job', deployment);
    }
    const recommendInTurn = async (): Promise<void> => {
      for (let n = 0; n < 6; n++) {
        const { project_id } = projects[n % 2];
        const response = await service.ok('POST', '/recommend-items-to-user', { user_id: 'u7', project_id, limit: 1 });
        assert.ok(isOfKind(response.results[0].item.item_id, 1));
        assert.equal(await figure('models_loaded'), 1);
      }
    };
    await recommendInTurn();
    assert.equal(await figure('deployments'), 2);
    assert.equal(await figure('jobs{job_type="DEPLOYMENT",job_status="RUNNING"}'), 0);
    assert.ok((await figure('model_drops')) >= 5);
    assert.ok((await figure('model_memory_bytes')) > 0);
    assert.equal(await figure('model_memory_budget_bytes'), 1024 * 1024);

    assert.equal(await service.terminate(), 0);
    service = await startServiceProcess(env);
    while ((await figure('models_loaded')) === 0) await delay(20);
    assert.equal(await figure('models_loaded'), 1, 'loaded before it is asked for, as far as there is room');
    await recommendInTurn();
  } finally {
    await service.terminate();
    await place.remove();
  }
});
