import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemRuntime } from '../base/runtime.ts';
import type { Store } from '../store/store.ts';
import { DeployedModels } from './deployed-models.ts';
import type { LiveDeployment, LiveDeployments } from './live-deployments.ts';
import { type ModelCache, ModelUnavailable } from './model-cache.ts';
import { TokenBucket } from './token-bucket.ts';

const NOW_MS = 1000;
const ACCOUNT = 'acc_1';

/** Deployed projects with a number of calls per second each; time does not move. */
function stage(qps: Record<string, number>, defaultProject: string | null = null) {
  const lives = new Map(
    Object.entries(qps).map(([project_id, rate]) => [
      project_id,
      {
        project: { account_id: ACCOUNT, project_id },
        deployment: { qps: rate, generator_model_id: `mdl_${project_id}` },
        bucket: new TokenBucket(rate, NOW_MS),
      } as LiveDeployment,
    ]),
  );
  const asked = { refreshes: 0 };
  const node = {
    isFresh: true,
    refresh: async () => {
      asked.refreshes++;
    },
    get: (_: string, projectId: string) => lives.get(projectId),
    ofAccount: () => [...lives.values()],
    defaultProjectOf: () => defaultProject,
  };
  const store = {
    projects: { get: async (_: string, id: string) => (id === 'prj_gone' ? null : { project_id: id }) },
    models: { get: async (_: string, __: string, id: string) => (id === 'mdl_named' ? { model_id: id } : null) },
  };
  const cache = {
    get: ({ modelId }: { modelId: string }): object | null => (modelId === 'mdl_a' ? { modelId } : null),
    load: async ({ modelId }: { modelId: string }) => {
      if (modelId === 'mdl_b') throw new ModelUnavailable('The file is gone.');
      if (modelId === 'mdl_c') throw new Error('the disk is gone');
      return { modelId };
    },
  };
  const deployed = new DeployedModels({
    store: store as unknown as Store,
    deployments: node as unknown as LiveDeployments,
    cache: cache as unknown as ModelCache,
    runtime: { ...systemRuntime, monotonicMs: () => NOW_MS },
  });
  return { deployed, node, asked, lives, cache };
}

const LIMITED = { code: 'RATE_LIMITED' };

test('a call takes one token of its project, before or after its body is read', async () => {
  const { deployed } = stage({ a: 2 });
  const charged = deployed.admit(ACCOUNT, 'a');
  assert.equal((await deployed.deploymentFor(ACCOUNT, 'a', charged)).project.project_id, 'a');
  await deployed.deploymentFor(ACCOUNT, 'a', null);
  await assert.rejects(deployed.deploymentFor(ACCOUNT, 'a', null), {
    ...LIMITED,
    message: 'Rate limit reached: 2 requests per second. Try again in a moment.',
    retryAfterSec: 1,
  });
  assert.throws(() => deployed.admit(ACCOUNT, 'a'), LIMITED);
});

test('a token that was taken from another project goes back', async () => {
  const { deployed } = stage({ a: 1, b: 1 });
  const charged = deployed.admit(ACCOUNT, undefined);
  assert.equal(charged!.project.project_id, 'a');
  await deployed.deploymentFor(ACCOUNT, 'b', charged);
  assert.equal(deployed.admit(ACCOUNT, 'a')!.project.project_id, 'a');
  assert.throws(() => deployed.admit(ACCOUNT, 'b'), LIMITED);
});

test('a token that was taken for a project without a deployment goes back', async () => {
  const { deployed } = stage({ a: 1 });
  const charged = deployed.admit(ACCOUNT, undefined);
  await assert.rejects(deployed.deploymentFor(ACCOUNT, 'prj_idle', charged), { code: 'NO_MODEL_DEPLOYED' });
  assert.equal(deployed.admit(ACCOUNT, 'a')!.project.project_id, 'a');
});

test('when no project has a token left, a call whose body names its project is refused once that is known', async () => {
  const { deployed } = stage({ a: 1, b: 1 }, 'b');
  const charged = [1, 2].map(() => deployed.admit(ACCOUNT, undefined)!.project.project_id);
  assert.deepEqual(charged.sort(), ['a', 'b']);
  const refusals = { a: 'RATE_LIMITED', prj_idle: 'NO_MODEL_DEPLOYED', prj_gone: 'PROJECT_NOT_FOUND' };
  for (const [projectId, code] of Object.entries(refusals)) {
    await assert.rejects(deployed.deploymentFor(ACCOUNT, projectId, deployed.admit(ACCOUNT, undefined)), { code });
  }
  await assert.rejects(deployed.deploymentFor(ACCOUNT, undefined, deployed.admit(ACCOUNT, undefined)), LIMITED);
});

test('a project without a deployment takes no token and is told with what to do', async () => {
  const { deployed } = stage({ a: 1 });
  assert.equal(deployed.admit(ACCOUNT, 'prj_idle'), null);
  assert.equal(stage({}).deployed.admit(ACCOUNT, undefined), null);
  await assert.rejects(deployed.deploymentFor(ACCOUNT, 'prj_idle', null), {
    code: 'NO_MODEL_DEPLOYED',
    message: /^Project prj_idle has no deployed model\. Deploy one first/,
  });
  await assert.rejects(deployed.deploymentFor(ACCOUNT, 'prj_gone', null), { code: 'PROJECT_NOT_FOUND' });
  await assert.rejects(deployed.deploymentFor(ACCOUNT, undefined, null), {
    code: 'NO_MODEL_DEPLOYED',
    message: /^No project has a deployed model\./,
  });
  await assert.rejects(stage({ a: 1 }, 'prj_idle').deployed.deploymentFor(ACCOUNT, undefined, null), {
    code: 'NO_MODEL_DEPLOYED',
    message: /^The account's default project prj_idle has no deployed model\./,
  });
});

test('a call that names no project gets the default one', async () => {
  const { deployed } = stage({ a: 1, b: 1 }, 'b');
  assert.equal((await deployed.deploymentFor(ACCOUNT, undefined, null)).project.project_id, 'b');
});

test('a node that has not looked lately looks before it serves', async () => {
  const { deployed, node, asked } = stage({ a: 9 });
  await deployed.deploymentFor(ACCOUNT, 'a', null);
  assert.equal(asked.refreshes, 0);
  node.isFresh = false;
  await deployed.deploymentFor(ACCOUNT, 'a', null);
  assert.equal(asked.refreshes, 1);
});

test('the deployed model serves, or one that the call names and that is there', async () => {
  const { deployed, lives } = stage({ a: 1, b: 1, c: 1 });
  const [a, b, c] = [...lives.values()];
  const idOf = async (live: LiveDeployment, modelId?: string) =>
    (await deployed.modelsFor(live, modelId)).generator.modelId;
  assert.equal(await idOf(a), 'mdl_a');
  assert.equal(await idOf(a, 'mdl_named'), 'mdl_named');
  await assert.rejects(idOf(a, 'mdl_gone'), { code: 'MODEL_NOT_FOUND' });
  await assert.rejects(idOf(b), { code: 'MODEL_NOT_FOUND', message: 'The file is gone.' });
  await assert.rejects(idOf(c), /the disk is gone/);
});

test('a call whose catalog is replaced between its two models takes both over the new one', async () => {
  const { deployed, lives, cache } = stage({ two: 5 });
  const live = lives.get('two')!;
  Object.assign(live.deployment, { generator_model_id: 'mdl_first', ranker_model_id: 'mdl_second' });
  const catalogs = ['worn', 'new', 'new', 'new'];
  cache.get = ({ modelId }) => ({ modelId, catalog: catalogs.shift() });
  const { generator, ranker } = await deployed.modelsFor(live, undefined);
  assert.deepEqual([generator.modelId, generator.catalog], ['mdl_first', 'new']);
  assert.deepEqual([ranker?.modelId, ranker?.catalog], ['mdl_second', 'new']);
});

test('a call whose model is deleted while it waits is served by what was deployed instead', async () => {
  const { deployed, lives, node } = stage({ b: 1 });
  const before = lives.get('b')!;
  const deployNow = (generator_model_id: string, version: number) => async () => {
    lives.set('b', { ...before, deployment: { ...before.deployment, generator_model_id, version } });
  };
  node.refresh = deployNow('mdl_a', 2);
  const models = await deployed.modelsFor(before, undefined);
  assert.deepEqual([models.generator.modelId, models.deployment], ['mdl_a', 2]);

  node.refresh = async () => void lives.delete('b');
  await assert.rejects(deployed.modelsFor(before, undefined), { code: 'NO_MODEL_DEPLOYED' });
});
