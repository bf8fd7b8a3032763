import assert from 'node:assert/strict';
import { after, before, type TestContext, test } from 'node:test';
import { eventually } from '../../test/support/eventually.ts';
import { submit, train } from '../../test/support/filled-account.ts';
import { makeAccount, makeProject } from '../../test/support/store-fixtures.ts';
import { openTestStore } from '../../test/support/test-database.ts';
import { systemRuntime } from '../base/runtime.ts';
import type { Project } from '../domain/project.ts';
import { AppError } from '../errors.ts';
import { createLogger } from '../observability/logger.ts';
import type { Store } from '../store/store.ts';
import { LiveDeployments } from './live-deployments.ts';
import type { ModelCache } from './model-cache.ts';

let store: Store;
let close: () => Promise<void>;

before(async () => {
  ({ store, close } = await openTestStore('sqlite'));
});
after(() => close());

/** Lets what is on its way come about. */
const settled = async () => {
  for (let n = 0; n < 20; n++) await new Promise(setImmediate);
};

/** A node on a clock of its own, whose models are loaded as `onLoad` says. */
async function startNode(t: TestContext, onLoad: (modelId: string) => Promise<unknown> = async () => {}) {
  const state = { nowMs: 1000, heldBytes: 0, unreadable: new Set<string>() };
  const loads: string[] = [];
  /** actions run while the node waits for others, one after the other */
  const pauses: (() => Promise<unknown>)[] = [];
  const timers = new Set<() => void>();
  const runtime = {
    ...systemRuntime,
    monotonicMs: () => state.nowMs,
    after: (_: number, action: () => void) => {
      timers.add(action);
      return { cancel: () => void timers.delete(action) };
    },
    sleep: async () => {
      const pause = pauses.shift();
      if (!pause) throw new Error('it waits for ever');
      await pause();
    },
  };
  const cache = {
    budgetBytes: 100,
    memoryBytes: () => state.heldBytes,
    isUnreadable: (modelId: string) => state.unreadable.has(modelId),
    forgetDeleted: async () => {},
    load: ({ modelId }: { modelId: string }) => {
      loads.push(modelId);
      return onLoad(modelId);
    },
  };
  const nodeId = `node_${Math.random()}`;
  const node = new LiveDeployments({
    nodeId,
    store,
    cache: cache as unknown as ModelCache,
    log: createLogger('silent'),
    runtime,
  });
  await node.start();
  t.after(() => node.stop());
  const reported = async () => (await store.nodes.list()).find((mark) => mark.nodeId === nodeId);
  const poll = () => {
    for (const action of [...timers]) {
      timers.delete(action);
      action();
    }
  };
  return { node, state, loads, timers, pauses, reported, poll };
}

async function newProject(accountId?: string) {
  return makeProject(store, accountId ?? (await makeAccount(store)));
}

/** Announces a new model of the project. `activate` makes it the one that serves. */
async function announce(project: Project, qps = 5) {
  const { account_id, project_id } = project;
  const { model_id: modelId } = await train(store, project);
  await submit(store, project, 'DEPLOYMENT');
  const { job, lease } = (await store.queue.claim('worker', ['DEPLOYMENT'], Date.now()))!;
  const candidate = await store.deployments.announce(lease, {
    account_id,
    project_id,
    generator_model_id: modelId,
    ranker_model_id: null,
    qps,
    job_id: job.job_id,
    created_ts: Date.now(),
  });
  assert.ok(typeof candidate === 'object');
  const activate = async () => {
    assert.ok(await store.deployments.activate(lease, candidate, Date.now()));
    assert.ok(await store.queue.finish(lease, { result: {} }, Date.now()));
  };
  return { modelId, activate };
}

async function deployed(project: Project, qps?: number): Promise<string> {
  const { modelId, activate } = await announce(project, qps);
  await activate();
  return modelId;
}

test('a node serves what is deployed, and nothing of a project that was shut down', async (t) => {
  const one = await newProject();
  const { account_id } = one;
  const other = await newProject(account_id);
  const { node, reported } = await startNode(t);
  assert.deepEqual([node.ofAccount(account_id), node.get(account_id, one.project_id)], [[], undefined]);
  const modelId = await deployed(one);
  await deployed(other);
  await node.follow();
  assert.equal(node.get(account_id, one.project_id)?.deployment.generator_model_id, modelId);
  assert.equal(node.get('acc_other', one.project_id), undefined);
  assert.equal((await reported())?.projects[one.project_id].serving, 1);

  const shutdown = await store.deployments.shutDown(account_id, one.project_id, Date.now());
  await node.followedEverywhere(shutdown!.epoch);
  assert.equal(node.get(account_id, one.project_id), undefined);
  assert.deepEqual(
    node.ofAccount(account_id).map(({ project }) => project.project_id),
    [other.project_id],
  );
  assert.equal((await reported())?.epoch, shutdown!.epoch);
});

test('the default project of an account comes first', async (t) => {
  const projects = [await newProject()];
  const { account_id } = projects[0];
  for (let n = 0; n < 2; n++) projects.push(await newProject(account_id));
  for (const project of projects) await deployed(project);
  const [first, second, third] = projects.map(({ project_id }) => project_id);
  const { node } = await startNode(t);
  const ids = () => node.ofAccount(account_id).map(({ project }) => project.project_id);
  assert.deepEqual([node.defaultProjectOf(account_id), ids()[0]], [first, first]);
  await store.accounts.chooseDefaultProject(account_id, second);
  await node.follow();
  assert.equal(node.defaultProjectOf(account_id), second);
  assert.equal(ids()[0], second);
  assert.deepEqual(ids().sort(), [first, second, third].sort());
});

test('a node loads a new deployment next to the one that serves, and reports when it could switch', async (t) => {
  const project = await newProject();
  const { account_id, project_id } = project;
  const before = await deployed(project);
  const loaded = Promise.withResolvers<void>();
  const slow = new Set<string>();
  const { node, reported } = await startNode(t, (modelId) => (slow.has(modelId) ? loaded.promise : Promise.resolve()));
  const { modelId, activate } = await announce(project);
  slow.add(modelId);
  const serving = () => node.get(account_id, project_id)?.deployment.generator_model_id;
  const isReported = async () => (await reported())?.projects[project_id];
  await node.follow();
  await settled();
  assert.deepEqual([serving(), await isReported()], [before, { serving: 1, prepared: 1 }]);
  loaded.resolve();
  await eventually(async () => (await isReported())?.prepared === 2);
  assert.deepEqual([serving(), await isReported()], [before, { serving: 1, prepared: 2 }]);
  await activate();
  await node.follow();
  assert.deepEqual([serving(), await isReported()], [modelId, { serving: 2, prepared: 2 }]);
});

test('a node that cannot load a new deployment reports why and tries it once', async (t) => {
  const project = await newProject();
  const { node, reported, loads } = await startNode(t, async () => {
    throw new Error('The disk is gone.');
  });
  const { modelId } = await announce(project);
  await node.follow();
  await eventually(async () => (await reported())?.projects[project.project_id]?.failed !== undefined);
  await node.follow();
  const failed = { version: 1, message: 'The disk is gone.' };
  assert.deepEqual((await reported())?.projects[project.project_id], { serving: 0, prepared: 0, failed });
  assert.deepEqual(
    loads.filter((one) => one === modelId),
    [modelId],
  );
});

test('a node that cannot reach the database while it loads a new deployment tries it again', async (t) => {
  const project = await newProject();
  let isAway = false;
  const { node, reported, loads } = await startNode(t, async () => {
    if (isAway) throw new AppError('STORE_UNAVAILABLE', 'Cannot reach the database (57P01). Try again.');
  });
  const { modelId } = await announce(project);
  isAway = true;
  await node.follow();
  await settled();
  isAway = false;
  await eventually(async () => {
    await node.follow();
    return (await reported())?.projects[project.project_id]?.prepared === 1;
  });
  assert.deepEqual((await reported())?.projects[project.project_id], { serving: 0, prepared: 1 });
  assert.equal(loads.filter((id) => id === modelId).length, 2);
});

test('nodes share the rate limit of a deployment', async (t) => {
  const project = await newProject();
  await deployed(project, 6);
  const { node, state } = await startNode(t);
  const live = () => node.get(project.account_id, project.project_id)!;
  const taken = async () => {
    state.nowMs += 1000;
    await node.follow();
    state.nowMs += 1000;
    let calls = 0;
    while (live().bucket.take(state.nowMs) === 0) calls++;
    return calls;
  };
  assert.equal(await taken(), 6);
  await store.nodes.beat('other', { epoch: 1, projects: {} }, Date.now());
  assert.equal(await taken(), 3);
  await store.nodes.remove('other');
  assert.equal(await taken(), 6);
});

test('a node has loaded when its models are there, or a minute after its start', async (t) => {
  await deployed(await newProject());
  const quick = await startNode(t);
  await eventually(() => quick.node.hasLoaded);
  assert.ok(quick.loads.length > 0);

  const loading = Promise.withResolvers<void>();
  const slow = await startNode(t, () => loading.promise);
  await settled();
  slow.state.nowMs += 60_000;
  assert.equal(slow.node.hasLoaded, false);
  slow.state.nowMs++;
  assert.equal(slow.node.hasLoaded, true);
  loading.resolve();
});

test('a model that cannot be loaded at the start keeps no other from being loaded', async (t) => {
  const project = await newProject();
  const [bad, good] = [await deployed(project), await deployed(await newProject(project.account_id))];
  const { loads } = await startNode(t, async (modelId) => {
    if (modelId === bad) throw new Error('The file is missing.');
  });
  await eventually(() => loads.includes(bad) && loads.includes(good));
});

test('models are loaded ahead of calls until half of the memory is used', async (t) => {
  const { node, state, loads } = await startNode(t);
  await settled();
  const deployWith = async (heldBytes: number) => {
    state.heldBytes = heldBytes;
    const modelId = await deployed(await newProject());
    await node.follow();
    await settled();
    return loads.includes(modelId);
  };
  assert.deepEqual([await deployWith(50), await deployWith(51)], [true, false]);
});

test('a model whose file could not be read is tried again after ten seconds', async (t) => {
  const modelId = await deployed(await newProject());
  const { node, state, loads } = await startNode(t);
  await settled();
  state.nowMs += 20_000;
  await node.follow();
  state.unreadable.add(modelId);
  assert.deepEqual(
    node.unreadable().map(({ deployment }) => deployment.generator_model_id),
    [modelId],
  );
  const tries = async (waitMs: number) => {
    const before = loads.length;
    state.nowMs += waitMs;
    await node.follow();
    await settled();
    return loads.slice(before);
  };
  assert.deepEqual(await tries(9999), []);
  assert.deepEqual(await tries(1001), [modelId]);
  assert.deepEqual(await tries(1001), []);
});

test('a node follows by itself, also after the store was away, until it is stopped', async (t) => {
  const project = await newProject();
  const { node, poll, timers, reported, state } = await startNode(t);
  const serves = () => node.get(project.account_id, project.project_id) !== undefined;
  const away = t.mock.method(store.deployments, 'epoch', async () => {
    throw new Error('The store is away.');
  });
  await deployed(project);
  poll();
  await node.refresh();
  await eventually(() => timers.size === 1);
  assert.equal(serves(), false);
  state.nowMs += 5001;
  assert.equal(node.isFresh, false);
  away.mock.restore();
  poll();
  await eventually(() => serves() && node.isFresh);
  assert.ok(await reported());
  await eventually(() => timers.size === 1);
  poll();
  await node.stop();
  assert.deepEqual([timers.size, await reported()], [0, undefined]);
  await node.follow();
  assert.equal(await reported(), undefined, 'it does not come back');
});

test('a change waits for every node that lives, for those of version 0.1.0 two heartbeats', async (t) => {
  const { node, pauses } = await startNode(t);
  const beat = (nodeId: string, epoch?: number) => store.nodes.beat(nodeId, { epoch, projects: {} }, Date.now());
  t.after(() => Promise.all(['behind', 'old'].map((nodeId) => store.nodes.remove(nodeId))));
  const { epoch } = node;
  await beat('behind', epoch - 1);
  await beat('old');
  pauses.push(
    () => beat('old'),
    () => beat('old'),
    () => beat('behind', epoch),
  );
  await node.followedEverywhere(epoch);
  assert.equal(pauses.length, 0, 'it has waited for all of it');
  await beat('old');
  pauses.push(() => beat('old'));
  await assert.rejects(node.followedEverywhere(epoch), /waits for ever/, 'one heartbeat is not enough');
});
