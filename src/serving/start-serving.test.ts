import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, type TestContext, test } from 'node:test';
import { deploy } from '../../test/support/filled-account.ts';
import { plantModel } from '../../test/support/plant-model.ts';
import { makeAccount, makeEvent, makeProject } from '../../test/support/store-fixtures.ts';
import { tasteModel } from '../../test/support/taste-project.ts';
import { openTestStore } from '../../test/support/test-database.ts';
import { createLogger } from '../observability/logger.ts';
import { createMetrics } from '../observability/metrics.ts';
import { openBlobStore } from '../store/blob/open-blob-store.ts';
import type { Store } from '../store/store.ts';
import { loadRecommender } from './load-recommender.ts';
import { startServing } from './start-serving.ts';

let dataDir: string;
let store: Store;
let close: () => Promise<void>;

before(async () => {
  ({ store, dataDir, close } = await openTestStore('sqlite'));
});
after(() => close());

async function startNode(t: TestContext, modelMemoryBytes: number | null) {
  const metrics = createMetrics();
  const serving = await startServing({
    store,
    blobs: openBlobStore({ dataDir }),
    loadRecommender,
    servedFolder: join(dataDir, 'served'),
    modelMemoryBytes,
    metrics,
    log: createLogger('silent'),
  });
  t.after(() => serving.stop());
  const figures = async () => {
    const lines = (await metrics.text()).matchAll(/^kindred_(\w+) (\S+)$/gm);
    return Object.fromEntries(Array.from(lines, ([, name, value]) => [name, Number(value)]));
  };
  return { serving, figures };
}

test('models may hold less than half of the memory of the container when nothing is configured', async (t) => {
  t.mock.method(process, 'constrainedMemory', () => 100_000_000);
  const { figures } = await startNode(t, null);
  const { model_memory_budget_bytes, ...others } = await figures();
  assert.equal(model_memory_budget_bytes, 40_000_000);
  assert.deepEqual(new Set(Object.values(others)), new Set([0]));
});

test('figures of memory are those of what a node holds', async (t) => {
  const { account_id, project_id, event_dataset_id } = await makeProject(store, await makeAccount(store));
  const events = (await store.datasets.get(account_id, 'event', event_dataset_id))!;
  await store.events.upsert(events, [makeEvent({ event_id: 'e', user_id: 'u1', item_id: 'i1' })]);
  const { modelId } = await plantModel({ dataDir }, { account_id, project_id }, tasteModel());
  await deploy(store, (await store.models.get(account_id, project_id, modelId))!);
  const { serving, figures } = await startNode(t, 64_000_000);
  await serving.recommend.respond(account_id, { project_id, user_id: 'u1' }, null);
  const { model_memory_bytes, cached_ranking_bytes, ...others } = await figures();
  assert.deepEqual(others, {
    deployments: 1,
    deployments_unreadable: 0,
    models_loaded: 1,
    model_memory_budget_bytes: 64_000_000,
    model_loads: 1,
    model_drops: 0,
    answer_bytes: 0,
    cached_rankings: 1,
    filters_waiting: 0,
  });
  assert.ok(model_memory_bytes > cached_ranking_bytes && cached_ranking_bytes > 0);
});
