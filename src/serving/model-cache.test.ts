import assert from 'node:assert/strict';
import { renameSync, truncateSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { newId } from '../../test/support/new-ids.ts';
import { type PlantedModel, plantModel } from '../../test/support/plant-model.ts';
import { makeAccount, makeDataset } from '../../test/support/store-fixtures.ts';
import { tasteModel } from '../../test/support/taste-project.ts';
import { openTestStore } from '../../test/support/test-database.ts';
import type { Project } from '../domain/project.ts';
import { AppError } from '../errors.ts';
import { openBlobStore } from '../store/blob/open-blob-store.ts';
import type { Store } from '../store/store.ts';
import { loadRecommender } from './load-recommender.ts';
import { ModelCache, type ModelName, ModelUnavailable } from './model-cache.ts';

let dataDir: string;
let store: Store;
let close: () => Promise<void>;
let cache: ModelCache;

before(async () => {
  ({ store, dataDir, close } = await openTestStore('sqlite'));
  cache = new ModelCache({ store, blobs: openBlobStore({ dataDir }), loadRecommender, budgetBytes: 2 ** 30 });
});
after(() => close());

async function makeProject(): Promise<Project> {
  const account_id = await makeAccount(store);
  const [users, items, events] = [
    await makeDataset(store, account_id, 'user'),
    await makeDataset(store, account_id, 'item'),
    await makeDataset(store, account_id, 'event'),
  ];
  const project: Project = {
    account_id,
    project_id: newId('project'),
    name: 'test',
    project_type: 'RECOMMEND_ITEMS_TO_USER',
    user_dataset_id: users.dataset_id,
    item_dataset_id: items.dataset_id,
    event_dataset_id: events.dataset_id,
    target_event_type: 'buy',
    created_ts: Date.now(),
  };
  await store.projects.create(project);
  return project;
}

async function makeModel(project: Project): Promise<ModelName> {
  const { modelId } = await plantModel({ dataDir }, project, tasteModel());
  return { accountId: project.account_id, projectId: project.project_id, modelId };
}

const isMissing = { code: 'MODEL_NOT_FOUND' };

test('a stranger who names a model neither gets it nor keeps its owner from it', async () => {
  const [owner, stranger] = [await makeProject(), await makeProject()];
  const name = await makeModel(owner);
  const foreign = { ...name, accountId: stranger.account_id, projectId: stranger.project_id };
  // Both load at the same time, the stranger first.
  const [refused, loaded] = await Promise.allSettled([cache.load(foreign), cache.load(name)]);
  assert.equal(refused.status, 'rejected');
  assert.equal(loaded.status, 'fulfilled');
  for (const other of [
    foreign,
    { ...name, accountId: stranger.account_id },
    { ...name, projectId: foreign.projectId },
  ]) {
    assert.equal(cache.get(other), undefined);
  }
  await assert.rejects(cache.load(foreign), isMissing);
  await assert.rejects(cache.load({ ...name, projectId: stranger.project_id }), isMissing);
  assert.equal(cache.get(name)?.modelId, name.modelId);
});

test('a deleted model is forgotten, and one deleted while it was loaded is not kept', async () => {
  const project = await makeProject();
  const [kept, deleted, late] = [await makeModel(project), await makeModel(project), await makeModel(project)];
  await Promise.all([cache.load(kept), cache.load(deleted)]);
  await store.models.delete(project.account_id, project.project_id, deleted.modelId);
  await cache.forgetDeleted();
  assert.equal(cache.get(deleted), undefined);
  assert.ok(cache.get(kept));

  const loading = cache.load(late);
  const deleting = store.models.delete(project.account_id, project.project_id, late.modelId);
  await Promise.allSettled([loading, deleting]);
  await cache.forgetDeleted();
  assert.equal(cache.get(late), undefined);
});

test('a model that is deleted just when its load ends is not kept', async (t) => {
  const project = await makeProject();
  const name = await makeModel(project);
  const existing = store.models.existing.bind(store.models);
  // The load asks whether it is still there; it is deleted, and the cache told, before the result comes.
  const asked = t.mock.method(store.models, 'existing', async (modelIds: readonly string[]) => {
    asked.mock.restore();
    const there = await existing(modelIds);
    await store.models.delete(project.account_id, project.project_id, name.modelId);
    await cache.forgetDeleted();
    return there;
  });
  await cache.load(name);
  assert.equal(cache.get(name), undefined);
});

test('a model is not kept if nobody can tell whether it was deleted while it was loaded', async (t) => {
  const name = await makeModel(await makeProject());
  const asked = t.mock.method(store.models, 'existing', async () => {
    asked.mock.restore();
    throw new AppError('STORE_UNAVAILABLE', 'The connection to the store was lost.');
  });
  await assert.rejects(cache.load(name), { code: 'STORE_UNAVAILABLE' });
  assert.equal(cache.get(name), undefined);
  assert.equal((await cache.load(name)).modelId, name.modelId);
});

test('what is loaded while deleted models are forgotten stays', async () => {
  const project = await makeProject();
  const name = await makeModel(project);
  const own = new ModelCache({ store, blobs: openBlobStore({ dataDir }), loadRecommender, budgetBytes: 2 ** 30 });
  const forgetting = own.forgetDeleted();
  await Promise.all([own.load(name), forgetting]);
  assert.equal(own.get(name)?.modelId, name.modelId);
});

test('models that fit into the budget stay, and beyond it the least recently used goes, never the newest', async () => {
  const project = await makeProject();
  const [a, b, c] = [await makeModel(project), await makeModel(project), await makeModel(project)];
  const open = (budgetBytes: number) =>
    new ModelCache({ store, blobs: openBlobStore({ dataDir }), loadRecommender, budgetBytes });
  const held = (from: ModelCache) => [a, b, c].filter((name) => from.get(name) !== undefined);
  const wide = open(2 ** 30);
  for (const name of [a, b]) await wide.load(name);
  const { loads } = wide;
  assert.equal(await wide.load(a), wide.get(a), 'it is not loaded again');
  assert.deepEqual([wide.loads, wide.drops, held(wide)], [loads, 0, [a, b]]);

  const narrow = open(wide.memoryBytes());
  for (const name of [a, b, a, c]) await narrow.load(name);
  assert.deepEqual([narrow.loads, narrow.drops, held(narrow)], [3, 1, [a, c]]);

  const none = open(1);
  for (const name of [a, b]) await none.load(name);
  assert.deepEqual(held(none), [b]);
});

test('models of one dataset share a catalog, also when one is loaded while deleted models are forgotten', async () => {
  const project = await makeProject();
  const [first, second] = [await makeModel(project), await makeModel(project)];
  const elsewhere = await makeModel(await makeProject());
  for (const meanwhile of [(own: ModelCache) => own.forgetDeleted(), (own: ModelCache) => own.load(elsewhere)]) {
    const waiting = [meanwhile];
    const own: ModelCache = new ModelCache({
      store,
      blobs: openBlobStore({ dataDir }),
      budgetBytes: 2 ** 30,
      loadRecommender: async (file, catalog) => {
        await waiting.pop()?.(own);
        return loadRecommender(file, catalog);
      },
    });
    const { catalog } = await own.load(first);
    assert.equal((await own.load(second)).catalog, catalog);
    assert.equal((await own.catalogOf(project.account_id, project.item_dataset_id)).catalog, catalog);
  }
});

test('a model that is loaded brings the attribute schema that its items have now', async () => {
  const project = await makeProject();
  const { account_id, item_dataset_id } = project;
  const { catalog } = await cache.load(await makeModel(project));
  const schema = { size: 'CATEGORICAL' } as const;
  await store.datasets.update(account_id, 'item', item_dataset_id, { attribute_schema: schema });
  await cache.load(await makeModel(project));
  assert.deepEqual(catalog.attributeSchema, schema);
  await store.datasets.update(account_id, 'item', item_dataset_id, { attribute_schema: null });
  await cache.load(await makeModel(project));
  assert.equal(catalog.attributeSchema, null);
});

test('a model that is dropped makes room with its catalog, so that others can stay', async () => {
  const [large, small] = [await makeProject(), await makeProject()];
  const items = (await store.datasets.get(large.account_id, 'item', large.item_dataset_id))!;
  const records = Array.from({ length: 1000 }, (_, n) => ({ id: `i${n}`, attributes: { words: 'many '.repeat(20) } }));
  await store.items.upsert(items, records);
  const [a, b, c] = [await makeModel(large), await makeModel(small), await makeModel(small)];
  const open = (budgetBytes: number) =>
    new ModelCache({ store, blobs: openBlobStore({ dataDir }), loadRecommender, budgetBytes });
  const wide = open(2 ** 30);
  for (const name of [b, c]) await wide.load(name);
  const narrow = open(wide.memoryBytes());
  for (const name of [a, b, c]) await narrow.load(name);
  assert.deepEqual([narrow.get(a), narrow.drops, narrow.size], [undefined, 1, 2]);
});

test('models whose files are missing or damaged are known until they can be read', async () => {
  const project = await makeProject();
  const planted: PlantedModel[] = [];
  for (let n = 0; n < 3; n++) planted.push(await plantModel({ dataDir }, project, tasteModel()));
  const [missing, damaged, whole] = planted;
  renameSync(missing.file, `${missing.file}.away`);
  truncateSync(damaged.file, 100);
  const load = ({ modelId }: PlantedModel) =>
    cache.load({ accountId: project.account_id, projectId: project.project_id, modelId });
  for (const one of [missing, damaged]) await assert.rejects(load(one), ModelUnavailable);
  await load(whole);
  const unreadable = () => planted.map(({ modelId }) => cache.isUnreadable(modelId));
  assert.deepEqual(unreadable(), [true, true, false]);
  const failing = async () => {
    throw new Error('the disk is busy');
  };
  const busy = new ModelCache({ store, blobs: openBlobStore({ dataDir }), loadRecommender: failing, budgetBytes: 1 });
  const { account_id: accountId, project_id: projectId } = project;
  await assert.rejects(busy.load({ accountId, projectId, modelId: whole.modelId }), /the disk is busy/);
  assert.equal(busy.isUnreadable(whole.modelId), false, 'it may be read the next time');
  renameSync(`${missing.file}.away`, missing.file);
  await load(missing);
  assert.deepEqual(unreadable(), [false, true, false]);
});

test('catalogs without a model stay while there is room; beyond it the least recently used goes, never the last', async () => {
  const projects = [await makeProject(), await makeProject(), await makeProject()];
  for (const { account_id, item_dataset_id } of projects) {
    const items = (await store.datasets.get(account_id, 'item', item_dataset_id))!;
    await store.items.upsert(items, [{ id: 'i1', attributes: { title: 'words' } }]);
  }
  const use = async (from: ModelCache, n: number) => {
    const follower = await from.catalogOf(projects[n].account_id, projects[n].item_dataset_id);
    await follower.follow();
    return follower;
  };
  const open = (budgetBytes: number) =>
    new ModelCache({ store, blobs: openBlobStore({ dataDir }), loadRecommender, budgetBytes });
  const wide = open(2 ** 30);
  const kept = [await use(wide, 0), await use(wide, 1), await use(wide, 2)];
  for (const [n, follower] of kept.entries()) assert.equal(await use(wide, n), follower);

  const none = open(1);
  const [first, second] = [await use(none, 0), await use(none, 1)];
  assert.equal(await use(none, 1), second);
  assert.notEqual(await use(none, 0), first);
});
