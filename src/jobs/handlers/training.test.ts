import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { test } from 'node:test';
import { deploy } from '../../../test/support/filled-account.ts';
import { jobPlaces } from '../../../test/support/job-run.ts';
import { plantModel } from '../../../test/support/plant-model.ts';
import { makeEvent } from '../../../test/support/store-fixtures.ts';
import { tasteEvents, tasteModel } from '../../../test/support/taste-project.ts';
import { loadModel } from '../../artifact/g1-file.ts';
import type { ModelComparison } from '../../domain/automation.ts';
import { JobFailure } from '../../domain/job.ts';
import { isSplit } from '../job-handler.ts';
import { JOB_HANDLERS } from './index.ts';
import { resultOf } from './training.ts';

const newPlace = jobPlaces();
const train = await JOB_HANDLERS.TRAINING();

const FIRST_DAY = 1_700_000_000_000;
const NEXT_DAY = FIRST_DAY + 86_400_000;
const DATA = { algorithm_id: 'alg_1', algorithm_type: 'G1', algorithm_parameters: {}, compare_with_deployed: true };

async function stage({ isDeployed = true } = {}) {
  const place = await newPlace();
  const { store, project, dataDir } = place;
  const { account_id, project_id, event_dataset_id } = project;
  const events = (await store.datasets.get(account_id, 'event', event_dataset_id))!;
  // Every user comes on two days.
  await store.events.upsert(
    events,
    tasteEvents().map(({ user, item }, n) => {
      const ts = (n % 2 ? NEXT_DAY : FIRST_DAY) + n;
      return makeEvent({ event_id: `e${n}`, ts, user_id: user, item_id: item, event_type: 'buy' });
    }),
  );
  const deployed = await plantModel({ dataDir }, project, tasteModel());
  if (isDeployed) await deploy(store, (await store.models.get(account_id, project_id, deployed.modelId))!);
  return { ...place, deployed };
}

test('a training makes a model and compares it with the deployed one on what came after that one', async () => {
  const { store, blobs, project, deployed, run } = await stage();
  const training = JSON.stringify({ trained_until_ts: NEXT_DAY - 1 });
  const sql = 'UPDATE model SET training = ? WHERE model_id = ?';
  await store.database.atomic([{ sql, params: [training, deployed.modelId] }]);
  const { done, progress } = await run(train, 'TRAINING', DATA);
  assert.ok(!isSplit(done));
  const { model, result } = done;
  const { account_id, project_id } = project;
  const { metrics, training: trained, created_ts: _, ...made } = model!;
  assert.deepEqual(made, {
    account_id,
    project_id,
    model_id: result.model_id,
    name: made.name,
    algorithm_type: 'G1',
    algorithm_parameters: {},
    job_id: made.job_id,
    artifact_key: `models/${result.model_id}.kindred`,
  });
  assert.deepEqual([trained.events, trained.trained_until_ts], [1140, NEXT_DAY + 1139]);
  assert.ok(metrics !== null);
  assert.deepEqual(progress.at(-1), { fraction: 0.98, phase: 'save', message: 'Writing the model file.' });
  assert.equal((await loadModel(await blobs.localFile(made.artifact_key))).model.warmItemCount, 60);
  const { compared_model_id, users, since_ts } = result.comparison as ModelComparison;
  assert.deepEqual([compared_model_id, users, since_ts], [deployed.modelId, 60, NEXT_DAY]);
});

test('the result says how many items did not fit', () => {
  const result = (training: { items: number; items_left_out?: number }) =>
    resultOf('mod_1', { comparison: null, training });
  assert.deepEqual(result({ items: 60 }), { model_id: 'mod_1' });
  const { message } = result({ items: 1_320_000, items_left_out: 2_680_000 });
  assert.match(String(message), /events of 1,320,000 items.* 2,680,000 items with fewer users did not fit in memory/);
});

test('a training of a project without a deployed model compares nothing', async () => {
  const { run } = await stage({ isDeployed: false });
  assert.deepEqual(Object.keys((await run(train, 'TRAINING', DATA)).result), ['model_id']);
});

test('a deployed model that cannot be read does not keep a training from its end', async () => {
  const { deployed, run } = await stage();
  rmSync(deployed.file);
  const warnings: string[] = [];
  const log = { info: () => {}, warn: (_: object, message: string) => void warnings.push(message) };
  const { result } = await run(train, 'TRAINING', DATA, { log });
  assert.deepEqual(Object.keys(result), ['model_id']);
  assert.deepEqual(warnings, ['the deployed model cannot be compared with the new one']);
});

test('a training without what it needs fails with the reason', async () => {
  const { store, project, run } = await newPlace();
  const wrong = { ...DATA, algorithm_parameters: { seeds: 1 } };
  await assert.rejects(run(train, 'TRAINING', wrong), (error) => {
    assert.ok(error instanceof JobFailure);
    assert.match(error.message, /seeds/);
    return true;
  });
  const sql = 'DELETE FROM dataset WHERE dataset_id = ?';
  await store.database.atomic([{ sql, params: [project.event_dataset_id] }]);
  await assert.rejects(run(train, 'TRAINING', DATA), { code: 'DATASET_NOT_FOUND' });
  await store.projects.delete(project.account_id, project.project_id);
  await assert.rejects(run(train, 'TRAINING', DATA), { code: 'PROJECT_NOT_FOUND' });
});

test('types that are given for attributes of users and events are not inferred', async () => {
  const { store, blobs, project, run } = await stage();
  const { account_id, event_dataset_id, user_dataset_id } = project;
  const schema = { code: 'CATEGORICAL', shop: 'CATEGORICAL' };
  const sql = 'UPDATE dataset SET attribute_schema = ? WHERE dataset_id IN (?, ?)';
  await store.database.atomic([{ sql, params: [JSON.stringify(schema), user_dataset_id, event_dataset_id] }]);
  const users = (await store.datasets.get(account_id, 'user', user_dataset_id!))!;
  const userIds = [...new Set(tasteEvents().map(({ user }) => user))];
  // Numbers that are no whole ones would be taken for quantities.
  const half = (n: number) => (n % 2) + 0.5;
  await store.users.upsert(
    users,
    userIds.map((id, n) => ({ id, attributes: { code: half(n) } })),
  );
  const events = (await store.datasets.get(account_id, 'event', event_dataset_id))!;
  await store.events.upsert(
    events,
    tasteEvents().map(({ user, item }, n) => {
      const ids = { event_id: `with shop ${n}`, user_id: user, item_id: item };
      return makeEvent({ ...ids, ts: FIRST_DAY + n, event_type: 'buy', attributes: { shop: half(n) } });
    }),
  );
  const { result } = await run(train, 'TRAINING', { ...DATA, compare_with_deployed: false });
  const { model } = await loadModel(await blobs.localFile(`models/${result.model_id}.kindred`));
  const handlings = [model.coldUsers, model.context].map((tables) => tables?.binnings[0].handling);
  assert.deepEqual(handlings, ['CATEGORICAL', 'CATEGORICAL']);
});
