// Two API nodes and two workers on one PostgreSQL and one artifact folder work as one service, also when some of them are killed.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { openStore } from '../../src/store/open-store.ts';
import { Cluster, type ClusterProcess } from '../support/cluster.ts';
import { plantModel } from '../support/plant-model.ts';
import type { ApiCaller } from '../support/service.ts';
import {
  createTasteProject,
  ended,
  succeed,
  type TasteProject,
  tasteModel,
  turnedModel,
} from '../support/taste-project.ts';

/** Calls for recommendations without pause until it is told to stop; fails on the first call that fails. */
function keepCalling(
  caller: ApiCaller,
  project: TasteProject,
): { calls: () => number; failed: Promise<never>; stop(): Promise<void> } {
  let stopped = false;
  let calls = 0;
  const loop = (async () => {
    while (!stopped) {
      const { results } = await caller.ok('POST', `/projects/${project.project_id}/recommend-items-to-user`, {
        user_id: `u${calls % 60}`,
      });
      assert.equal(results.length, 10);
      calls++;
      await delay(2);
    }
  })();
  const failed = loop.then(() => new Promise<never>(() => {}));
  failed.catch(() => {});
  return {
    calls: () => calls,
    failed,
    async stop() {
      stopped = true;
      await loop;
    },
  };
}

describe('several machines', () => {
  let cluster: Cluster;
  let first: ClusterProcess & { caller: ApiCaller };
  let second: ClusterProcess & { caller: ApiCaller };
  let third: ClusterProcess & { caller: ApiCaller };
  let workers: ClusterProcess[];
  let project: TasteProject;

  before(async () => {
    cluster = await Cluster.start();
    first = await cluster.api();
    [second, ...workers] = await Promise.all([cluster.api(), cluster.worker(), cluster.worker()]);
    project = await createTasteProject(first.caller);
  });
  after(() => cluster.stop());

  const deploy = (caller: ApiCaller, modelId: string) =>
    succeed(caller, '/submit-deployment-job', {
      project_id: project.project_id,
      generator_model_id: modelId,
      qps: 10_000,
    });
  const itemsFor = async (caller: ApiCaller, user_id: string): Promise<string[]> =>
    (await caller.ok('POST', '/recommend-items-to-user', { user_id })).results.map(
      ({ item }: { item: { item_id: string } }) => item.item_id,
    );

  test('when a deployment job has succeeded every node serves the new model', async () => {
    const { modelId } = await plantModel(cluster.stores, project, tasteModel());
    await deploy(first.caller, modelId);
    assert.deepEqual(await itemsFor(first.caller, 'u7'), await itemsFor(second.caller, 'u7'));
    const turned = await plantModel(cluster.stores, project, turnedModel());
    const before = await itemsFor(second.caller, 'u7');
    await deploy(first.caller, turned.modelId);
    const items = await itemsFor(second.caller, 'u7');
    assert.notDeepEqual(items, before);
    assert.deepEqual(await itemsFor(first.caller, 'u7'), items);
  });

  test('a change of a placement holds on every node when its call returns', async () => {
    const { project_id } = project;
    const name = 'home';
    const list = async ({ caller }: { caller: ApiCaller }) =>
      (await caller.ok('POST', `/projects/${project_id}/placements/${name}`, { user_id: 'u7' })).results.length;
    await first.caller.ok('POST', '/create-placement', { project_id, name, kind: 'for_you', defaults: { limit: 1 } });
    for (let limit = 2; limit < 6; limit++) {
      assert.deepEqual(await Promise.all([list(first), list(second)]), [limit - 1, limit - 1]);
      const { caller } = limit % 2 === 0 ? second : first;
      await caller.ok('PUT', '/update-placement', { project_id, name, defaults: { limit } });
    }
    await second.caller.ok('POST', '/rollback-placement', { project_id, name, version: 2 });
    assert.deepEqual(await Promise.all([list(first), list(second)]), [2, 2]);
  });

  test('an event taken by one node counts at once on the other', async () => {
    const { event_dataset_id } = project;
    const event = { event_id: 'x', user_id: 'u7', item_id: 'i7', ts: 1_900_000_000_000, event_type: 'buy' };
    await first.caller.ok('POST', '/upsert-dataset-events', { event_dataset_id, events: [event] });
    const { results } = await second.caller.ok('POST', '/recommend-items-to-user', { user_id: 'u7', limit: 500 });
    const had = results.find(({ item }: { item: { item_id: string } }) => item.item_id === 'i7');
    assert.equal(had.filled, true, 'it only fills the list');
  });

  test('with a node and a worker killed in the middle the job is retried and no call on the other node fails', async () => {
    const { modelId } = await plantModel(cluster.stores, project, tasteModel());
    const load = keepCalling(second.caller, project);
    await first.kill();
    // The job now waits for the dead node until it counts as gone: long enough to lose its worker too.
    const { job_id } = await second.caller.ok('POST', '/submit-deployment-job', {
      project_id: project.project_id,
      generator_model_id: modelId,
      qps: 10_000,
    });
    const store = await openStore(cluster.stores);
    let holder = '';
    while (holder === '') {
      const [row] = await store.database.all('SELECT worker_id FROM job WHERE job_id = ?', [job_id]);
      holder = String(row.worker_id ?? '');
      await delay(20);
    }
    await store.close();
    const victim = workers.find(({ child }) => holder.includes(`-${child.pid}-`));
    assert.ok(victim, `${holder} is one of ours`);
    await victim.kill();

    const job = await ended(second.caller, project.project_id, job_id);
    assert.equal(job.job_status, 'SUCCEED');
    // More than once where the machine paused longer than the lease.
    assert.ok(job.retry_count >= 1);
    // However slow the machine is: calls while the job waited, and after it.
    while (load.calls() <= 100) await Promise.race([delay(20), load.failed]);
    await load.stop();
    const deployment = await second.caller.ok('GET', '/get-deployment', { project_id: project.project_id });
    assert.equal(deployment.generator_model_id, modelId);
  });

  test('a model that was deleted on one node serves on none', async () => {
    third = await cluster.api();
    const { project_id } = project;
    for (let round = 0; round < 5; round++) {
      const { modelId } = await plantModel(cluster.stores, project, tasteModel());
      const named = (caller: ApiCaller) =>
        caller.call('POST', '/recommend-items-to-user', { user_id: 'u8', project_id, model_id: modelId });
      for (const { caller } of [second, third]) assert.equal((await named(caller)).status, 200);
      await third.caller.ok('DELETE', '/delete-model', { project_id, model_id: modelId });
      const responses = await Promise.all([named(second.caller), named(third.caller), named(second.caller)]);
      assert.deepEqual(
        responses.map(({ status, body }) => `${status} ${body.code} ${body.detail}`),
        Array(3).fill(`404 MODEL_NOT_FOUND Model ${modelId} was not found in project ${project_id}.`),
      );
    }
  });

  test('a node that was paused does not serve what was shut down meanwhile', async () => {
    await itemsFor(third.caller, 'u8');
    third.child.kill('SIGSTOP');
    await second.caller.ok('DELETE', '/shutdown-deployment', { project_id: project.project_id });
    const waiting = Array.from({ length: 5 }, () =>
      third.caller.call('POST', '/recommend-items-to-user', { user_id: 'u8' }),
    );
    await delay(200);
    third.child.kill('SIGCONT');
    for (const { status } of await Promise.all(waiting)) assert.equal(status, 409);
    const { modelId } = await plantModel(cluster.stores, project, tasteModel());
    await deploy(second.caller, modelId);
  });

  test('a node that comes later serves what is deployed, and shutting down reaches every node', async () => {
    const fourth = await cluster.api();
    assert.deepEqual(await itemsFor(fourth.caller, 'u8'), await itemsFor(second.caller, 'u8'));
    await fourth.caller.ok('DELETE', '/shutdown-deployment', { project_id: project.project_id });
    for (const { caller } of [second, third, fourth]) {
      const { status } = await caller.call('POST', '/recommend-items-to-user', { user_id: 'u8' });
      assert.equal(status, 409);
    }
  });
});
