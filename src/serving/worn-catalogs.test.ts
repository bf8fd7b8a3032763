// Catalogs whose items come and go: their models move to a new catalog, and no call notices.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { plantModel } from '../../test/support/plant-model.ts';
import { makeAccount, makeProject } from '../../test/support/store-fixtures.ts';
import { tasteModel } from '../../test/support/taste-project.ts';
import { openTestStore } from '../../test/support/test-database.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { Project } from '../domain/project.ts';
import { openBlobStore } from '../store/blob/open-blob-store.ts';
import type { Store } from '../store/store.ts';
import type { CatalogFollower } from './catalog-follower.ts';
import { loadRecommender } from './load-recommender.ts';
import { type LoadRecommender, ModelCache, type ModelName } from './model-cache.ts';

let dataDir: string;
let store: Store;
let close: () => Promise<void>;

before(async () => {
  ({ store, dataDir, close } = await openTestStore('sqlite'));
});
after(() => close());

interface ChurnOptions {
  load?: LoadRecommender;
  leastDeleted?: number;
}

/** A project with a cache that replaces a catalog once more than 100 items were deleted. */
class ChurningProject {
  readonly cache: ModelCache;
  readonly errors: unknown[] = [];
  readonly #project: Project;
  #written = 0;

  private constructor(project: Project, { load = loadRecommender, leastDeleted = 50 }: ChurnOptions) {
    this.#project = project;
    this.cache = new ModelCache({
      store,
      blobs: openBlobStore({ dataDir }),
      loadRecommender: load,
      budgetBytes: 2 ** 30,
      leastDeleted,
      onError: (error) => this.errors.push(error),
    });
  }

  static async make(options: ChurnOptions = {}): Promise<ChurningProject> {
    return new ChurningProject(await makeProject(store, await makeAccount(store)), options);
  }

  async makeModel(): Promise<ModelName> {
    const { account_id: accountId, project_id: projectId } = this.#project;
    const { modelId } = await plantModel({ dataDir }, this.#project, tasteModel());
    return { accountId, projectId, modelId };
  }

  follower(): Promise<CatalogFollower> {
    return this.cache.catalogOf(this.#project.account_id, this.#project.item_dataset_id);
  }

  async write(ids: readonly string[]): Promise<void> {
    await this.writeUnseen(...ids);
    await (await this.follower()).follow();
  }

  /** No call asks for the catalog after it. */
  async writeUnseen(...ids: string[]): Promise<void> {
    await store.items.upsert(
      await this.#items(),
      ids.map((id) => ({ id, attributes: { title: id } })),
    );
  }

  async remove(ids: readonly string[]): Promise<void> {
    await store.items.delete(await this.#items(), ids);
    await (await this.follower()).follow();
  }

  async #items() {
    return (await store.datasets.get(this.#project.account_id, 'item', this.#project.item_dataset_id))!;
  }

  /** Writes 60 new items and deletes the 60 before them. Returns the newest. */
  async churn(): Promise<string> {
    const idsFrom = (first: number) => Array.from({ length: 60 }, (_, n) => `churned-${first + n}`);
    const ids = idsFrom(this.#written);
    await this.write(ids);
    await this.remove(idsFrom(this.#written - 60));
    this.#written += 60;
    return ids[59];
  }

  async churnUntil(isEnough: () => boolean | Promise<boolean>): Promise<void> {
    for (let turn = 0; !(await isEnough()); turn++) {
      assert.ok(turn < 100, 'nothing happened');
      await this.churn();
      await new Promise(setImmediate);
    }
  }
}

test('a catalog with more deleted items than stored ones is replaced, and all its models with it at once', async () => {
  const project = await ChurningProject.make();
  const { cache } = project;
  const names = [await project.makeModel(), await project.makeModel()];
  const before = [await cache.load(names[0]), await cache.load(names[1])];
  const worn = await project.follower();
  const now = () => names.map((name) => cache.get(name)!);
  await project.churnUntil(() => {
    const loaded = now();
    assert.equal(loaded[0].catalog, loaded[1].catalog);
    return loaded[0] !== before[0];
  });
  await cache.settled();
  // As each call does.
  await (await project.follower()).follow();
  const [{ catalog, loadNo }] = now();
  assert.equal((await project.follower()).catalog, catalog);
  assert.equal((await cache.load(await project.makeModel())).catalog, catalog);
  assert.ok(loadNo > before[1].loadNo);
  assert.ok(catalog.itemCount < worn.catalog.itemCount);
  assert.deepEqual([catalog.stored().count, catalog.indexOf('churned-0'), project.errors], [60, -1, []]);
  // A call that began before follows its own catalog to its end.
  const newest = await project.churn();
  await worn.follow();
  assert.ok(worn.catalog.has(worn.catalog.indexOf(newest)));
});

test('the memory for items that come and go stays the same, and so does what the store and models know of them', async () => {
  const project = await ChurningProject.make();
  const seen = new Set<Catalog>();
  let mostItems = 0;
  let mostIds = 0;
  for (let turn = 0; turn < 40; turn++) {
    await project.churn();
    await project.cache.settled();
    const { catalog } = await project.follower();
    seen.add(catalog);
    mostItems = Math.max(mostItems, catalog.itemCount);
    mostIds = Math.max(mostIds, catalog.deletedIdCount);
  }
  assert.ok(seen.size > 5 && seen.size < 25, `${seen.size} catalogs in 40 turns`);
  assert.ok(mostItems < 400, `${mostItems} items, of which 120 are in the store`);
  assert.ok(mostIds <= 40 * 60);
});

test('a catalog is not replaced for deleted items that a model brings, also if items are written while it is loaded', async () => {
  let loads = 0;
  const project: ChurningProject = await ChurningProject.make({
    leastDeleted: 10,
    async load(file, catalog) {
      const loaded = await loadRecommender(file, catalog);
      if (++loads < 10) await project.writeUnseen(`while-loading-${loads}`);
      // A call that needs no model.
      await (await project.follower()).follow();
      return loaded;
    },
  });
  const name = await project.makeModel();
  const { itemIds } = tasteModel();
  await project.write(Array.from({ length: itemIds.length }, (_, n) => itemIds.at(n)!));
  await project.remove(Array.from({ length: itemIds.length }, (_, n) => itemIds.at(n)!));
  await project.cache.settled();
  const seen = new Set<Catalog>();
  for (let turn = 0; turn < 10; turn++) {
    seen.add((await project.cache.load(name)).catalog);
    await project.write(['one']);
    await project.cache.settled();
  }
  assert.deepEqual([seen.size, loads], [1, 1]);
  await project.churnUntil(() => loads > 1);
  // The next one is queued before the last one has ended.
  for (let last = 0; last !== loads; await project.cache.settled()) last = loads;
  assert.equal(loads, 2);
});

test('a model that is being loaded while its catalog is replaced is loaded over the new one', async () => {
  const { promise: replaced, resolve: go } = Promise.withResolvers<void>();
  let loads = 0;
  const project = await ChurningProject.make({
    async load(file, catalog) {
      if (++loads === 2) await replaced;
      return loadRecommender(file, catalog);
    },
  });
  const { cache } = project;
  const [first, late] = [await project.makeModel(), await project.makeModel()];
  const { catalog: worn } = await cache.load(first);
  const loading = cache.load(late);
  await project.churnUntil(async () => (await project.follower()).catalog !== worn);
  go();
  const { catalog } = await loading;
  assert.notEqual(catalog, worn);
  assert.equal(cache.get(first)!.catalog, catalog);
});

test('a catalog that cannot be replaced serves on, and is tried again', async () => {
  let isBroken = false;
  const project = await ChurningProject.make({
    async load(file, catalog) {
      if (isBroken) throw new Error('the disk is busy');
      return loadRecommender(file, catalog);
    },
  });
  const name = await project.makeModel();
  const loaded = await project.cache.load(name);
  isBroken = true;
  await project.churnUntil(() => project.errors.length > 0);
  assert.equal(project.cache.get(name), loaded);
  isBroken = false;
  await project.churnUntil(() => project.cache.get(name) !== loaded);
  assert.equal(project.errors.length, 1);
});

test('a node that stops waits neither for the models nor for the rest of the items of a new catalog', async (t) => {
  for (const isScanning of [false, true]) {
    let stopped: Promise<void> | undefined;
    let loads = 0;
    const project = await ChurningProject.make({
      async load(file, catalog) {
        // The first model of the new catalog.
        if (++loads === 3) stopped ??= project.cache.stop();
        return loadRecommender(file, catalog);
      },
    });
    const { cache } = project;
    const names = [await project.makeModel(), await project.makeModel()];
    for (const name of names) await cache.load(name);
    const { catalog } = await project.follower();
    let blocks = 0;
    if (isScanning) {
      t.mock.method(store.items, 'scan', async function* () {
        stopped = cache.stop();
        for (; blocks < 10; blocks++) yield [];
      });
    }
    await project.churnUntil(() => stopped !== undefined);
    await stopped;
    assert.deepEqual([loads, blocks], isScanning ? [2, 0] : [3, 0]);
    await project.churn();
    assert.equal((await project.follower()).catalog, catalog);
    assert.deepEqual(project.errors, []);
  }
});
