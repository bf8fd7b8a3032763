import assert from 'node:assert/strict';
import { rmSync, truncateSync } from 'node:fs';
import { test } from 'node:test';
import { submit } from '../../../test/support/filled-account.ts';
import { jobPlaces } from '../../../test/support/job-run.ts';
import { plantModel } from '../../../test/support/plant-model.ts';
import { tasteModel } from '../../../test/support/taste-project.ts';
import { systemRuntime } from '../../base/runtime.ts';
import type { NodeProjectState } from '../../store/node-store.ts';
import { deploy } from './deployment.ts';

const newPlace = jobPlaces();

async function stage() {
  const place = await newPlace();
  const { store, project, dataDir } = place;
  const { account_id, project_id } = project;
  await store.nodes.remove('node');
  const model = await plantModel({ dataDir }, project, tasteModel());
  const active = async () => (await store.deployments.active(account_id, project_id))?.generator_model_id ?? null;
  const report = (state: NodeProjectState) =>
    store.nodes.beat('node', { epoch: 1, projects: { [project_id]: state } }, Date.now());
  /** `pauses`: what happens while the job waits for nodes, one after the other. */
  const run = async (
    pauses: (() => Promise<unknown>)[] = [],
    data: object = {},
    { clock = { ms: 0 }, checkFile }: { clock?: { ms: number }; checkFile?: () => Promise<unknown> } = {},
  ) => {
    await submit(store, project, 'DEPLOYMENT');
    const { lease, job } = (await store.queue.claim('worker', ['DEPLOYMENT'], Date.now()))!;
    const job_data = { generator_model_id: model.modelId, ranker_model_id: null, qps: 7, ...data };
    const sleep = async () => {
      const pause = pauses.shift();
      if (!pause) throw new Error('it waits for ever');
      await pause();
    };
    const runtime = { ...systemRuntime, sleep, monotonicMs: () => clock.ms };
    try {
      return await place.run(
        (context) => deploy(context, checkFile),
        'DEPLOYMENT',
        {},
        { lease, job: { ...job, job_data }, runtime },
      );
    } finally {
      await store.queue.fail(lease, { code: 'ENDED', message: 'It has ended, one way or the other.' }, Date.now());
    }
  };
  return { ...place, model, active, report, deployModel: run };
}

test('a deployment switches when every node has loaded the model, and ends when every node serves it', async () => {
  const { project, model, active, report, deployModel } = await stage();
  await report({ serving: 0, prepared: 0 });
  const seen: (string | null)[] = [];
  const { result, progress } = await deployModel([
    async () => seen.push(await active()),
    () => report({ serving: 0, prepared: 1 }),
    async () => seen.push(await active()),
    () => report({ serving: 1, prepared: 1 }),
  ]);
  assert.deepEqual(seen, [null, model.modelId]);
  assert.deepEqual(result, { serving_path: `/projects/${project.project_id}`, qps: 7 });
  const waits = { phase: 'nodes', message: '0 of 1 API nodes are ready.' };
  assert.deepEqual(progress, [
    { fraction: 0.1, phase: 'check', message: `Checking the file of model ${model.modelId}.` },
    ...[0.4, 0.4, 0.8, 0.8].map((fraction) => ({ fraction, ...waits })),
  ]);
});

test('a node that cannot load the model fails the deployment, and what was deployed stays', async () => {
  const { model, store, project, active, report, deployModel } = await stage();
  await deployModel();
  await report({ serving: 1, prepared: 1 });
  const failed = { version: 2, message: 'The disk is full.' };
  await assert.rejects(deployModel([() => report({ serving: 1, prepared: 1, failed })]), {
    code: 'MODEL_UNREADABLE',
    message: 'An API node cannot load the deployment. The disk is full.',
  });
  assert.equal(await active(), model.modelId);
  const candidates = (await store.deployments.current()).filter(({ state }) => state === 'CANDIDATE');
  assert.deepEqual(candidates, [], project.project_id);
});

test('a deployment is not failed by what a node could not load before', async () => {
  const { report, deployModel } = await stage();
  const failed = { version: 1, message: 'The disk was full.' };
  await report({ serving: 0, prepared: 0 });
  await assert.rejects(deployModel([() => report({ serving: 0, prepared: 0, failed })]), { code: 'MODEL_UNREADABLE' });
  const { result } = await deployModel([() => report({ serving: 2, prepared: 2, failed })]);
  assert.equal(result.qps, 7);
});

test('a node that lives and does not follow fails the deployment in the end, and what was deployed stays', async () => {
  const { active, report, deployModel } = await stage();
  const clock = { ms: 0 };
  await report({ serving: 0, prepared: 0 });
  const pauses = Array.from({ length: 1000 }, () => async () => {
    clock.ms += 4000;
    await report({ serving: 0, prepared: 0 });
  });
  await assert.rejects(deployModel(pauses, {}, { clock }), /did not follow in time/);
  assert.ok(pauses.length > 0);
  assert.equal(await active(), null);
});

test('a model that is deleted while its file is checked fails the deployment', async () => {
  const { store, project, model, active, deployModel } = await stage();
  const checkFile = () => store.models.delete(project.account_id, project.project_id, model.modelId);
  await assert.rejects(deployModel([], {}, { checkFile }), { code: 'MODEL_NOT_FOUND' });
  assert.equal(await active(), null);
});

test('a model that is gone or damaged fails the deployment before nodes hear of it', async () => {
  const { model, active, deployModel } = await stage();
  for (const name of ['generator_model_id', 'ranker_model_id']) {
    await assert.rejects(deployModel([], { [name]: 'mdl_gone' }), {
      code: 'MODEL_NOT_FOUND',
      message: 'Model mdl_gone was deleted before it could be deployed.',
    });
  }
  truncateSync(model.file, 100);
  await assert.rejects(deployModel(), (error: Error & { code: string }) => {
    assert.equal(error.code, 'MODEL_UNREADABLE');
    assert.ok(error.message.startsWith(`The file of model ${model.modelId}`) && !error.message.includes(model.file));
    return true;
  });
  rmSync(model.file);
  await assert.rejects(deployModel(), {
    code: 'MODEL_UNREADABLE',
    message: `The file of model ${model.modelId} is missing. Train the model again.`,
  });
  assert.equal(await active(), null);
});
