// Placements and their versions: the same expectations on every database.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import {
  MAX_PLACEMENT_VERSIONS,
  MAX_PLACEMENTS,
  type Placement,
  type PlacementDefinition,
  type PlacementVersion,
} from '../../src/domain/placement.ts';
import type { PlacementName } from '../../src/store/placement-store.ts';
import type { Store } from '../../src/store/store.ts';
import { makeAccount, makeProject } from '../support/store-fixtures.ts';
import { DIALECTS, openTestStore } from '../support/test-database.ts';

const FIRST_PAGE = { page_size: 1000, page_token: null };
const DEFINITION: PlacementDefinition = {
  kind: 'for_you',
  defaults: { limit: 5 },
  rules: [],
  fallback: ['popular'],
  fatigue: null,
};

function versionOf(version: number, change: Partial<PlacementVersion> = {}): PlacementVersion {
  const definition = { ...DEFINITION, defaults: { limit: version } };
  const by = { key_id: 'key_1', key_name: 'shop' };
  return { version, definition, change: 'updated', changed_ts: 1000 + version, changed_by: by, ...change };
}

for (const dialect of DIALECTS) {
  describe(`placements on ${dialect}`, () => {
    let close: () => Promise<void>;
    let store: Store;
    let project: { account_id: string; project_id: string };

    before(async () => {
      ({ store, close } = await openTestStore(dialect));
      project = await makeProject(store, await makeAccount(store));
    });
    after(() => close());

    const nameOf = (name: string): PlacementName => ({
      accountId: project.account_id,
      projectId: project.project_id,
      name,
    });
    const placementOf = (name: string, change: Partial<Placement> = {}): Placement => ({
      account_id: project.account_id,
      project_id: project.project_id,
      name,
      created_ts: 500,
      current: versionOf(1, { change: 'created' }),
      ...change,
    });

    it('keeps what was created, and refuses a second of the name or one of no project', async () => {
      const home = placementOf('home');
      const epoch = await store.placements.create(home);
      assert.equal(epoch, await store.deployments.epoch());
      assert.deepEqual(await store.placements.get(nameOf('home')), home);
      assert.equal(await store.placements.create(placementOf('home')), 'name-taken');
      assert.equal(await store.placements.create(placementOf('other', { project_id: 'prj_none' })), 'missing-project');
      assert.equal(await store.placements.create(placementOf('other', { account_id: 'acc_none' })), 'missing-project');
      assert.equal(await store.placements.get({ ...nameOf('home'), accountId: 'acc_none' }), null);
      assert.deepEqual(await store.placements.get(nameOf('home')), home, 'nothing changed');
    });

    it('puts each change after the version it was made from, and tells one that came too late', async () => {
      await store.placements.create(placementOf('cart'));
      const before = await store.deployments.epoch();
      const outcomes = await Promise.all(
        [2, 2, 2].map((version) => store.placements.change(nameOf('cart'), versionOf(version))),
      );
      assert.equal(outcomes.filter((epoch) => epoch !== null).length, 1);
      assert.ok(outcomes.every((epoch) => epoch === null || epoch > before));
      assert.equal(await store.placements.change(nameOf('cart'), versionOf(4)), null, 'version 3 is missing');
      assert.equal(await store.placements.change(nameOf('nothing'), versionOf(2)), null);
      assert.deepEqual((await store.placements.get(nameOf('cart')))?.current, versionOf(2));
      const { entries } = await store.placements.versions(nameOf('cart'), FIRST_PAGE);
      assert.deepEqual(entries, [versionOf(2), versionOf(1, { change: 'created' })]);
      assert.deepEqual(await store.placements.version(nameOf('cart'), 1), versionOf(1, { change: 'created' }));
      assert.equal(await store.placements.version(nameOf('cart'), 3), null);
      assert.equal(await store.placements.version(nameOf('nothing'), 1), null);
    });

    it('keeps the newest versions and pages through them', async () => {
      await store.placements.create(placementOf('busy'));
      const { project_id } = await makeProject(store, project.account_id);
      await store.placements.create(placementOf('busy', { project_id }));
      for (let version = 2; version <= MAX_PLACEMENT_VERSIONS + 5; version++) {
        assert.notEqual(await store.placements.change(nameOf('busy'), versionOf(version)), null);
      }
      const seen: number[] = [];
      let page_token: string | null = null;
      do {
        const page = await store.placements.versions(nameOf('busy'), { page_size: 40, page_token });
        seen.push(...page.entries.map(({ version }) => version));
        page_token = page.next_page_token;
      } while (page_token !== null);
      assert.equal(seen.length, MAX_PLACEMENT_VERSIONS);
      assert.deepEqual([seen[0], seen.at(-1)], [MAX_PLACEMENT_VERSIONS + 5, 6]);
      const namesake = { ...nameOf('busy'), projectId: project_id };
      assert.equal((await store.placements.version(namesake, 1))?.version, 1, 'that of another project stays');
      assert.equal((await store.placements.version(nameOf('home'), 1))?.version, 1, 'and that of another placement');
    });

    it('lists newest first and deletes with all versions', async () => {
      await store.placements.create(placementOf('newer', { created_ts: 900 }));
      const names = async () =>
        (await store.placements.list(project.account_id, project.project_id, FIRST_PAGE)).entries.map(
          ({ name }) => name,
        );
      assert.equal((await names())[0], 'newer');
      assert.deepEqual((await store.placements.list('acc_none', project.project_id, FIRST_PAGE)).entries, []);
      const deleted = await store.placements.delete(nameOf('newer'));
      assert.ok(deleted && 'placement' in deleted);
      assert.equal(deleted.placement.name, 'newer');
      assert.equal(deleted.epoch, await store.deployments.epoch());
      assert.equal(await store.placements.delete(nameOf('newer')), null);
      assert.equal(await store.placements.delete({ ...nameOf('home'), accountId: 'acc_none' }), null);
      assert.deepEqual((await store.placements.versions(nameOf('newer'), FIRST_PAGE)).entries, []);
      assert.ok(!(await names()).includes('newer'));
    });

    it('deletes none of the same name in another project, nor another of the project', async () => {
      const elsewhere = await makeProject(store, project.account_id);
      const namesake = { ...nameOf('shared'), projectId: elsewhere.project_id };
      await store.placements.create(placementOf('shared'));
      await store.placements.create(placementOf('beside'));
      await store.placements.create(placementOf('shared', { project_id: elsewhere.project_id }));
      for (const name of [nameOf('shared'), nameOf('beside'), namesake]) {
        assert.notEqual(await store.placements.change(name, versionOf(2)), null);
      }
      await store.placements.delete(nameOf('shared'));
      for (const name of [nameOf('beside'), namesake]) {
        assert.deepEqual((await store.placements.get(name))?.current, versionOf(2));
        const { entries } = await store.placements.versions(name, FIRST_PAGE);
        assert.deepEqual(entries, [versionOf(2), versionOf(1, { change: 'created' })]);
      }
    });

    it('holds their number and their size', async () => {
      const full = await makeProject(store, await makeAccount(store));
      const { account_id, project_id } = full;
      const add = (n: number) => store.placements.create(placementOf(`p${n}`, { account_id, project_id }));
      for (let n = 0; n < MAX_PLACEMENTS; n += 20) {
        await Promise.all(Array.from({ length: 20 }, (_, m) => add(n + m)));
      }
      assert.equal(await add(MAX_PLACEMENTS), 'too-many');
      const attributes = Array.from({ length: 100 }, (_, n) => `${n}`.padEnd(700, 'x'));
      const large = { ...DEFINITION, defaults: { attributes } };
      const current = versionOf(1, { definition: large });
      await assert.rejects(store.placements.create(placementOf('large', { current })), /65536/);
      await assert.rejects(store.placements.change(nameOf('home'), versionOf(2, { definition: large })), /65536/);
    });

    it('takes them along when the project is deleted', async () => {
      const gone = await makeProject(store, await makeAccount(store));
      const { account_id, project_id } = gone;
      const named = { accountId: account_id, projectId: project_id, name: 'gone' };
      await store.placements.create(placementOf('gone', { account_id, project_id }));
      await store.projects.delete(account_id, project_id);
      assert.equal(await store.placements.get(named), null);
      assert.deepEqual((await store.placements.versions(named, FIRST_PAGE)).entries, []);
      assert.equal(await store.placements.change(named, versionOf(2)), null);
    });
  });
}
