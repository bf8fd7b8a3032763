import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { makeAccount, makeDataset, makeEvent } from '../../test/support/store-fixtures.ts';
import { saveModel } from '../artifact/g1-file.ts';
import type { G1Model } from '../artifact/g1-model.ts';
import type { AlgorithmParameters } from '../domain/algorithm-parameters.ts';
import { JobFailure, type JobProgress } from '../domain/job.ts';
import type { EventRecord } from '../domain/record.ts';
import { createScorer } from '../scoring/create-scorer.ts';
import { openStore } from '../store/open-store.ts';
import type { Store } from '../store/store.ts';
import { kernelBytes, type TrainedModel, type TrainModelInput, trainModel } from './train-model.ts';

let folder: string;
let store: Store;
let account: string;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kindred-train-'));
  store = await openStore({ dataDir: folder, databaseUrl: null });
  account = await makeAccount(store);
});
after(async () => {
  await store.close();
  await rm(folder, { recursive: true, force: true });
});

interface Made {
  user: string;
  item: string;
  ts?: number;
  type?: string;
  value?: number;
}

async function project(events: readonly Made[]) {
  const [users, items, eventSet] = await Promise.all([
    makeDataset(store, account, 'user', 1),
    makeDataset(store, account, 'item', 1),
    makeDataset(store, account, 'event', 2),
  ]);
  for (const dataset of [users, items, eventSet]) await store.datasets.create(dataset).catch(() => undefined);
  const records = events.map(
    ({ user, item, ts = 0, type = 'buy', value = 1 }, n): EventRecord =>
      makeEvent({ event_id: `e${n}`, user_id: user, item_id: item, ts, event_type: type, event_value: value }),
  );
  for (let at = 0; at < records.length; at += 1000) await store.events.upsert(eventSet, records.slice(at, at + 1000));
  return {
    store,
    project: {
      account_id: account,
      user_dataset_id: users.dataset_id,
      item_dataset_id: items.dataset_id,
      event_dataset_id: eventSet.dataset_id,
      target_event_type: 'buy',
    },
    eventShards: 2,
  };
}

async function train(
  events: readonly Made[],
  parameters: AlgorithmParameters = {},
  threads = 1,
): Promise<TrainedModel> {
  return trainModel({ ...(await project(events)), parameters, threads });
}

function topOf(model: G1Model, items: readonly string[], limit: number): string[] {
  const indices = Uint32Array.from(items.map((id) => model.itemIds.indexOf(id)));
  const history = {
    length: indices.length,
    items: indices,
    weights: new Float32Array(indices.length).fill(1),
    seen: new Uint8Array(indices.length).fill(1),
  };
  const out = new Uint32Array(limit);
  const scores = new Float32Array(limit);
  const found = createScorer(model).top(history, limit, { allow: null }, { items: out, scores });
  for (const score of scores) assert.ok(Number.isFinite(score));
  return [...out.subarray(0, found)].map((index) => model.itemIds.at(index)!);
}

/** Users of two tastes: even users like even items, odd users odd ones; item (user mod 12) is withheld from each. */
function checkerboard(): Made[] {
  const events: Made[] = [];
  for (let user = 0; user < 60; user++) {
    for (let item = 0; item < 24; item++) {
      if ((user + item) % 2 === 1 || item === user % 24) continue;
      events.push({ user: `u${user}`, item: `i${item}`, ts: 1000 * ((item * 7 + user) % 24) });
    }
  }
  return events;
}

test('a checkerboard is learned, and the withheld item is found', async () => {
  const { model, metrics, training } = await train(checkerboard());
  for (const user of [0, 1, 14, 23]) {
    const had = Array.from({ length: 24 }, (_, item) => item).filter((i) => (user + i) % 2 === 0 && i !== user);
    const best = topOf(
      model,
      had.map((item) => `i${item}`),
      1,
    );
    assert.deepEqual(best, [`i${user}`]);
  }
  assert.ok(metrics !== null && metrics.model.ndcg > metrics.popularity.ndcg);
  assert.equal(training.users, 60);
  assert.equal(training.items, 24);
  assert.ok(training.seconds.total > 0);
});

test('the same data, parameters and seed give the same model, whatever the number of threads', async () => {
  const events: Made[] = [];
  for (let user = 0; user < 400; user++) {
    for (let n = 0; n < 60; n++) {
      const item = (user % 7) * 20 + ((n * n * 3 + user * 11) % 41);
      events.push({ user: `u${user}`, item: `i${item}`, ts: n * 1000 });
    }
  }
  const [one, three] = [await train(events, {}, 1), await train(events, {}, 3)];
  assert.equal(three.training.threads, 3);
  assert.deepEqual(three.model.blend, one.model.blend);
  assert.deepEqual(three.model.experts, one.model.experts);
  assert.deepEqual(three.model.vectors, one.model.vectors);
  assert.deepEqual(three.model.calibration, one.model.calibration);
});

test('a training with a limit of memory gives the same model, and kernels get what events leave', async () => {
  // Every user turns an item of the other taste down.
  const dislikes = Array.from({ length: 60 }, (_, user) => ({
    user: `u${user}`,
    item: `i${(user + 1) % 24}`,
    ts: 1000 * (user % 24),
    value: -1,
  }));
  const source = await project([...checkerboard(), ...dislikes]);
  const scratchDir = await mkdtemp(join(folder, 'scratch-'));
  const bytesWith = async (limits: Partial<TrainModelInput>) => {
    const { model } = await trainModel({ ...source, parameters: {}, threads: 1, scratchDir, ...limits });
    assert.ok((model.settings as { dislikes: { questions: number } }).dislikes.questions > 20);
    await saveModel(join(folder, 'model'), model);
    return readFile(join(folder, 'model'));
  };
  const free = await bytesWith({});
  for (const limits of [{ memoryBytes: 3e9 }, { partEvents: 100 }, { partEvents: 1 }]) {
    assert.ok(free.equals(await bytesWith(limits)), JSON.stringify(limits));
    assert.deepEqual(await readdir(scratchDir), []);
  }
  assert.ok(kernelBytes(8e9, 100e6) > 3.5e9 && kernelBytes(8e9, 100e6) < 3.7e9);
  assert.equal(kernelBytes(3e9, 1e9), kernelBytes(3e9, 2e9), 'never less than the rows of items need');
});

test('an event dataset without events, or without target events, fails with what was found and what is needed', async () => {
  await assert.rejects(
    train([]),
    (error: unknown) => error instanceof JobFailure && /has no events/.test(error.message),
  );
  await assert.rejects(
    train([{ user: 'u', item: 'i', type: 'view' }]),
    (error: unknown) => error instanceof JobFailure && /view/.test(error.message) && /target/.test(error.message),
  );
  await assert.rejects(
    train([{ user: 'u', item: 'i', value: -3 }]),
    (error: unknown) => error instanceof JobFailure && /positive/.test(error.message),
  );
});

const ODD_DATA: Record<string, Made[]> = {
  'one event': [{ user: 'u', item: 'i' }],
  'one user with many items': Array.from({ length: 50 }, (_, n) => ({ user: 'u', item: `i${n}`, ts: n })),
  'many users with one item': Array.from({ length: 50 }, (_, n) => ({ user: `u${n}`, item: 'i', ts: n })),
  'all users with the same two items': Array.from({ length: 80 }, (_, n) => ({
    user: `u${n >> 1}`,
    item: `i${n & 1}`,
  })),
  'the same event again and again': Array.from({ length: 300 }, (_, n) => ({
    user: `u${n % 3}`,
    item: `i${n % 2}`,
    ts: n,
  })),
  'times in the far future': checkerboard().map((event, n) => ({ ...event, ts: n % 50 === 0 ? 8.64e15 : event.ts! })),
  'equal times': checkerboard().map((event) => ({ ...event, ts: 5 })),
  'huge, tiny and negative values': checkerboard().map((event, n) => ({
    ...event,
    value: [1e300, 1e-300, 1, -5, 0, 7][n % 6],
  })),
  'ids of every kind': checkerboard().map((event) => ({
    ...event,
    item: `${event.item}\u{1F600}"',\\ ü`,
    user: `${event.user} 漢`,
  })),
  'other types next to the target': checkerboard().flatMap((event) => [{ ...event, type: 'view' }, event]),
};
for (const [name, events] of Object.entries(ODD_DATA)) {
  test(`trains on ${name} to finite scores`, async () => {
    const { model } = await train(events);
    assert.ok(topOf(model, [model.itemIds.at(0)!], 5).length <= 5);
    assert.ok(topOf(model, [], 5).length >= 1);
  });
}

test('progress only rises, and an aborted run stops with its reason', async () => {
  const input = await project(checkerboard());
  const seen: JobProgress[] = [];
  const { training } = await trainModel({
    ...input,
    parameters: {},
    threads: 1,
    onProgress: (progress) => seen.push(progress),
  });
  assert.ok(seen.length > 5);
  for (let n = 1; n < seen.length; n++) assert.ok(seen[n].fraction >= seen[n - 1].fraction, seen[n].message);
  // Trials are reported one by one, and the model reports the same ones in the end.
  assert.ok(seen.some(({ tried }) => tried?.length === 1));
  assert.deepEqual(seen.at(-1)!.tried, training.settings.tried);
  const controller = new AbortController();
  const reason = new Error('cancelled');
  await assert.rejects(
    trainModel({
      ...input,
      parameters: {},
      threads: 1,
      signal: controller.signal,
      onProgress: ({ phase }) => phase === 'tune' && controller.abort(reason),
    }),
    reason,
  );
});

test('what the parameters fix is in force and reported', async () => {
  const { model } = await train(checkerboard(), {
    experts: ['walk', 'popularity'],
    walk: { gamma: 0.7, beta: 0.6, delta: 0.1, rho: 0.2 },
    history_cap: 5,
    horizon: 'browsing',
    seed: 9,
  });
  assert.equal(model.historyCap, 5);
  assert.equal(model.seed, 9);
  const walk = model.experts.find((expert) => expert.name === 'walk')!;
  assert.deepEqual(walk.settings, { family: 'walk', gamma: 0.7, beta: 0.6, delta: 0.1, rho: 0.2 });
  assert.equal(model.settings.horizon, 'browsing');
});
