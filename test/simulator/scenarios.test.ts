// Runs that found something, told step by step.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { ApiNode, USUAL_NODE } from './api-node.ts';
import { Machine } from './machine.ts';
import { PLACEMENT, PROJECT } from './names.ts';
import { Network } from './network.ts';
import { deployModel, prepare } from './prepare.ts';
import { SharedStore } from './shared-store.ts';
import { World } from './world.ts';

async function twoNodes(t: TestContext) {
  const world = new World(1);
  // Work in steps must not be split by how fast this machine is.
  t.mock.method(performance, 'now', () => world.nowMs);
  const shared = new SharedStore(() => world.nowMs);
  await prepare(shared, false);
  const network = new Network(world);
  const nodes = ['a', 'b'].map((name) => new ApiNode(new Machine(world, name), shared, network));
  const run = (ms: number) =>
    world.runUntil(
      world.nowMs + ms,
      () => false,
      () => {},
    );
  /** Lets time pass until the promise is settled. */
  const until = async <T>(promise: Promise<T>): Promise<T> => {
    let isSettled = false;
    const settle = () => {
      isSettled = true;
    };
    promise.then(settle, settle);
    await world.runUntil(
      world.nowMs + 60_000,
      () => isSettled,
      () => {},
    );
    assert.ok(isSettled);
    return promise;
  };
  for (const node of nodes) await until(node.start());
  await run(500);
  return { world, shared, network, run, until, a: nodes[0], b: nodes[1] };
}

test('a node that was away over a shutdown and a new deployment never serves what was shut down', async (t) => {
  const { shared, run, until, a, b } = await twoNodes(t);
  assert.equal((await until(b.recommend('ann'))).version, 1);
  b.machine.pause();
  await until(a.shutDown());
  await deployModel(shared, 'second', 10);
  await run(1000);
  b.machine.goOn();
  assert.equal((await until(b.recommend('ann'))).version, 2);
});

test('a node that was away over a shutdown says that nothing is deployed', async (t) => {
  const { until, a, b } = await twoNodes(t);
  assert.equal((await until(b.recommend('ann'))).version, 1);
  b.machine.pause();
  await until(a.shutDown());
  b.machine.goOn();
  await assert.rejects(until(b.recommend('ann')), { code: 'NO_MODEL_DEPLOYED' });
});

test('a node whose machine was suspended over a shutdown, with its monotonic clock, answers that nothing is deployed', async (t) => {
  const { until, a, b } = await twoNodes(t);
  assert.equal((await until(b.recommend('ann'))).version, 1);
  b.machine.suspend();
  const before = b.machine.runtime.monotonicMs();
  await until(a.shutDown());
  b.machine.goOn();
  assert.equal(b.machine.runtime.monotonicMs(), before);
  await assert.rejects(until(b.recommend('ann')), { code: 'NO_MODEL_DEPLOYED' });
});

test('a node that was paused while it looked at the store looks again for calls that come later', async (t) => {
  const { shared, network, run, until, b } = await twoNodes(t);
  b.machine.pause();
  await run(6000);
  const call = network.call.bind(network);
  // When it has seen what is deployed, and is about to say so.
  network.call = (machine, place, work) => {
    if (machine === b.machine && place.startsWith('INSERT INTO node')) {
      network.call = call;
      machine.pause();
    }
    return call(machine, place, work);
  };
  b.machine.goOn();
  const early = b.recommend('ann');
  await run(1000);
  assert.ok(b.machine.isPaused);
  await deployModel(shared, 'second', 10);
  b.machine.goOn();
  assert.equal((await until(b.recommend('ann'))).version, 2);
  await until(early);
});

test('a promotion that is sent again returns when all nodes have followed the first one', async (t) => {
  const { run, until, a, b } = await twoNodes(t);
  const variants = ['today', 'other'].map((name) => ({ name, share: 1 }));
  const started = { project_id: PROJECT, placement: PLACEMENT, variants };
  const { experiment_id } = await until(a.routes.call<{ experiment_id: string }>('/create-experiment', started));
  const promotion = { project_id: PROJECT, experiment_id, promote: 'other' };
  assert.equal((await until(b.show('ann'))).placement?.experiment?.experimentId, experiment_id);
  const first = a.routes.call('/stop-experiment', promotion);
  await run(30);
  await until(a.routes.call('/stop-experiment', promotion));
  assert.deepEqual((await until(b.show('ann'))).placement, { experiment: null, version: 2 });
  await until(first);
});

test('a list is made once while nothing of its user changes, and again after every change', async (t) => {
  const { shared, network, until, a } = await twoNodes(t);
  const buy = (item_id: string, user_id = 'ann') =>
    shared.records.putEvent({ event_id: `${user_id} ${item_id}`, user_id, item_id, ts: 1_790_000_000_000 });
  const call = network.call.bind(network);
  let reads = 0;
  network.call = (machine, place, work) => {
    if (place === 'history') reads++;
    return call(machine, place, work);
  };
  const listed = async () => [...(await until(a.recommend('ann'))).items].sort().join(' ');
  buy('i0');
  assert.equal(await listed(), 'i1 i2 i3 i4 i5');
  assert.equal(await listed(), 'i1 i2 i3 i4 i5');
  buy('i5', 'bob');
  assert.equal(await listed(), 'i1 i2 i3 i4 i5');
  assert.equal(reads, 1);
  buy('i2');
  assert.equal(await listed(), 'i1 i3 i4 i5');
  assert.equal(reads, 2);
});

test('a node is ready when its models are loaded, or after a minute', async (t) => {
  const { world, shared, network, run, until } = await twoNodes(t);
  const newNode = async (name: string, longestLoadMs: number) => {
    const options = { ...USUAL_NODE, longestLoadMs };
    const node = new ApiNode(new Machine(world, name), shared, network, options);
    await until(node.start());
    return node.deployments;
  };
  const soon = await newNode('soon', 5000);
  assert.ok(!soon.hasLoaded);
  await run(6000);
  assert.ok(soon.hasLoaded);
  const never = await newNode('never', 1e9);
  await run(50_000);
  assert.ok(!never.hasLoaded);
  await run(11_000);
  assert.ok(never.hasLoaded);
});
