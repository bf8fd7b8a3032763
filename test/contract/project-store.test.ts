// Projects, the default project of an account and what an account uses, on every dialect.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { userHash } from '../../src/base/id-hash.ts';
import type { Experiment } from '../../src/domain/experiment.ts';
import type { Store } from '../../src/store/store.ts';
import { deploy, HOME, train, versionOf } from '../support/filled-account.ts';
import { newId, newJob } from '../support/new-ids.ts';
import { makeAccount, makeDataset, makeProject } from '../support/store-fixtures.ts';
import { DIALECTS, openTestStore } from '../support/test-database.ts';

const NOW = 1_700_000_000_000;
const AUTOMATION = { retrain: { every_hours: 24 }, deploy: 'never', keep_models: 3 } as const;

for (const dialect of DIALECTS) {
  describe(`projects on ${dialect}`, () => {
    let close: () => Promise<void>;
    let store: Store;

    before(async () => {
      ({ store, close } = await openTestStore(dialect));
    });
    after(() => close());

    it('changes only what is given of a project, for its account alone', async () => {
      const accountId = await makeAccount(store);
      const project = await makeProject(store, accountId);
      const update = (change: object) => store.projects.update(accountId, project.project_id, change);
      assert.deepEqual(await update({}), project);
      assert.deepEqual(await update({ name: 'shop' }), { ...project, name: 'shop' });
      const mapping = { item_id: 'properties.sku' } as object;
      assert.deepEqual(await update({ segment_mapping: mapping, assist_window_hours: 24 }), {
        ...project,
        name: 'shop',
        segment_mapping: mapping,
        assist_window_hours: 24,
      });
      assert.deepEqual(await update({ segment_mapping: null, assist_window_hours: null, automation: AUTOMATION }), {
        ...project,
        name: 'shop',
        automation: AUTOMATION,
      });
      assert.deepEqual(await update({ automation: null, name: 'test' }), project);
      const all = { segment_mapping: mapping, assist_window_hours: 24, automation: AUTOMATION };
      assert.deepEqual(await update(all), { ...project, ...all });
      assert.deepEqual(await update({ name: 'test' }), { ...project, ...all }, 'what is not given stays');
      assert.deepEqual(await update({ assist_window_hours: 12 }), { ...project, ...all, assist_window_hours: 12 });
      await update({ segment_mapping: null, assist_window_hours: null, automation: null });
      const other = await makeAccount(store);
      assert.equal(await store.projects.update(other, project.project_id, { name: 'theirs' }), null);
      assert.equal(await store.projects.update(other, project.project_id, {}), null);
      assert.deepEqual(await store.projects.get(accountId, project.project_id), project);
    });

    it('lists projects of an account newest first, page by page', async () => {
      const accountId = await makeAccount(store);
      const made = [await makeProject(store, accountId), await makeProject(store, accountId)];
      await makeProject(store, await makeAccount(store));
      const sql = 'UPDATE project SET created_ts = ? WHERE project_id = ?';
      for (const [n, { project_id }] of made.entries()) await store.database.atomic([{ sql, params: [n, project_id] }]);
      const first = await store.projects.list(accountId, { page_size: 1, page_token: null });
      const second = await store.projects.list(accountId, { page_size: 1, page_token: first.next_page_token });
      assert.deepEqual(
        [...first.entries, ...second.entries],
        [
          { ...made[1], created_ts: 1 },
          { ...made[0], created_ts: 0 },
        ],
      );
      assert.equal(second.next_page_token, null);
    });

    it('forgets what automation has begun when it is switched off, and not before', async () => {
      const accountId = await makeAccount(store);
      const { project_id } = await makeProject(store, accountId);
      const begun = async () => {
        const sql = 'SELECT project_id FROM automation_state WHERE project_id = ?';
        return (await store.database.all(sql, [project_id])).length === 1;
      };
      const sql = `INSERT INTO automation_state (project_id, account_id, revision, since_ts, known_events, failures,
        not_before_ts) VALUES (?, ?, 1, 1, 0, 0, 0)`;
      await store.database.atomic([{ sql, params: [project_id, accountId] }]);
      await store.projects.update(accountId, project_id, { automation: AUTOMATION, name: 'shop' });
      await store.projects.update(accountId, project_id, { name: 'test' });
      assert.ok(await begun());
      await store.projects.update(await makeAccount(store), project_id, { automation: null });
      assert.ok(await begun());
      await store.projects.update(accountId, project_id, { automation: null });
      assert.ok(!(await begun()));
    });

    it('keeps a project that has work, and deletes one that has none', async () => {
      const accountId = await makeAccount(store);
      const { project_id } = await makeProject(store, accountId);
      const job = newJob({ account_id: accountId, project_id, job_type: 'IMPORT', job_data: {} }, NOW);
      await store.jobs.submit(job);
      assert.equal(await store.projects.delete(accountId, project_id), 'in-use');
      await store.jobs.cancel(accountId, project_id, job.job_id, NOW);
      const deleted = await store.projects.delete(accountId, project_id);
      assert.ok(typeof deleted === 'object' && deleted !== null && deleted.epoch > 0);
      assert.equal(await store.jobs.get(accountId, project_id, job.job_id), null);
      assert.equal(await store.projects.delete(accountId, project_id), null);
    });

    it('says what a deleted project has published since a time', async () => {
      const accountId = await makeAccount(store);
      const { project_id } = await makeProject(store, accountId);
      const other = await makeProject(store, accountId);
      for (const [number, of] of [project_id, project_id, other.project_id, project_id].entries()) {
        const owned = { account_id: accountId, project_id: of, job_data: {} };
        await store.jobs.submit(newJob({ ...owned, job_type: number === 3 ? 'IMPORT' : 'QUERYING' }, NOW + number));
        const { lease } = (await store.queue.claim('w', ['QUERYING', 'IMPORT'], NOW + number))!;
        await store.queue.finish(lease, { result: { number } }, NOW + number);
      }
      const deleted = await store.projects.delete(accountId, project_id, NOW + 1);
      assert.ok(typeof deleted === 'object' && deleted !== null);
      assert.deepEqual(deleted.results, [{ number: 1 }]);
    });

    /** A project whose experiment has served two users and kept figures of one hour. */
    async function withExperiment(accountId: string) {
      const project = await makeProject(store, accountId);
      const { project_id: projectId } = project;
      const owner = { account_id: accountId, project_id: projectId };
      await store.placements.create({ ...owner, name: HOME, created_ts: NOW, current: versionOf(1) });
      const experiment: Experiment = {
        ...owner,
        experiment_id: newId('experiment'),
        name: 'test',
        placement: HOME,
        metric: 'click',
        min_days: 7,
        variants: ['today', 'new'].map((name) => ({ name, share: 1, overrides: {} })),
        status: 'RUNNING',
        created_ts: NOW,
        stopped_ts: null,
        promoted: null,
        decided: null,
      };
      const { experiment_id: experimentId } = experiment;
      assert.equal(typeof (await store.experiments.create(experiment)), 'number');
      await store.experiments.keepPoint(experimentId, { hour: 1, users: [] });
      const dataset = (await store.datasets.get(accountId, 'event', project.event_dataset_id))!;
      const origin = { accountId, projectId, modelId: null, placement: HOME, experimentId, variant: 'new' };
      const serve = () =>
        store.outcomes.addServed(dataset, {
          batchId: randomUUID(),
          counts: [],
          visitors: ['ann', 'bob'].map((user) => ({ origin, userHash: userHash(accountId, user) })),
        });
      await serve();
      return {
        project,
        /** `users`: also after they were served again, as a user who is still known counts once. */
        async figures() {
          const counted = async () => (await store.outcomes.usersOf(projectId, experimentId)).map((one) => one.users);
          const users = [await counted()];
          await serve();
          users.push(await counted());
          const points = (await store.experiments.points(experimentId)).map(({ hour }) => hour);
          const found = await store.experiments.get(accountId, projectId, experimentId);
          return { users, points, status: found?.status };
        },
      };
    }
    const FIGURES = { users: [[2], [2]], points: [1], status: 'RUNNING' };

    it('leaves the experiments of other projects when one is deleted, with their users and figures', async () => {
      const accountId = await makeAccount(store);
      const [gone, kept, foreign] = [
        await withExperiment(accountId),
        await withExperiment(accountId),
        await withExperiment(await makeAccount(store)),
      ];
      assert.deepEqual(await gone.figures(), FIGURES);
      await store.projects.delete(accountId, gone.project.project_id);
      while (await store.experiments.removeEndedUsers(0));
      assert.deepEqual(await gone.figures(), { users: [[], []], points: [], status: undefined });
      assert.deepEqual(await kept.figures(), FIGURES);
      assert.deepEqual(await foreign.figures(), FIGURES);
    });

    it('leaves the experiments of a project that is not deleted because it is deployed', async () => {
      const accountId = await makeAccount(store);
      const { project, figures } = await withExperiment(accountId);
      await deploy(store, await train(store, project));
      assert.equal(await store.projects.delete(accountId, project.project_id), 'in-use');
      assert.deepEqual(await store.projects.get(accountId, project.project_id), project);
      assert.deepEqual(await figures(), FIGURES);
    });

    it('takes as default only a project of the account, and lets go of one that is deleted', async () => {
      const accountId = await makeAccount(store);
      const { project_id } = await makeProject(store, accountId);
      const foreign = await makeProject(store, await makeAccount(store));
      const chosen = async () => (await store.accounts.get(accountId))!.default_project_id;
      assert.equal(await store.accounts.chooseDefaultProject(accountId, foreign.project_id), null);
      assert.equal(await chosen(), null);
      const epoch = await store.accounts.chooseDefaultProject(accountId, project_id);
      assert.ok(epoch !== null && epoch > 0);
      assert.equal(await chosen(), project_id);
      assert.ok((await store.accounts.chooseDefaultProject(accountId, project_id))! > epoch, 'every node follows');
      await store.projects.delete(accountId, project_id);
      assert.equal(await chosen(), null);
    });

    it('needs datasets of the account, each of its kind', async () => {
      const accountId = await makeAccount(store);
      const [project, foreign] = [
        await makeProject(store, accountId),
        await makeProject(store, await makeAccount(store)),
      ];
      const ids = ['user_dataset_id', 'item_dataset_id', 'event_dataset_id'] as const;
      for (const [n, id] of ids.entries()) {
        for (const dataset of [foreign[id], project[ids[(n + 1) % 3]], 'ds_none']) {
          const wrong = { ...project, project_id: newId('project'), [id]: dataset };
          assert.equal(await store.projects.create(wrong), 'missing-dataset', id);
        }
      }
    });

    it('has as default the project that has served longest, when the one before is deleted', async () => {
      const accountId = await makeAccount(store);
      const ids: string[] = [];
      for (let n = 0; n < 3; n++) {
        const project = await makeProject(store, accountId);
        await deploy(store, await train(store, project));
        ids.push(project.project_id);
      }
      const sql = 'UPDATE deployment SET activated_ts = ? WHERE project_id = ?';
      for (const [n, ts] of [9, 7, 5].entries()) await store.database.atomic([{ sql, params: [ts, ids[n]] }]);
      const chosen = async () => (await store.accounts.get(accountId))!.default_project_id;
      assert.equal(await chosen(), ids[0]);
      assert.equal(await store.projects.delete(accountId, ids[0]), 'in-use');
      assert.equal(await chosen(), ids[0]);
      await store.deployments.shutDown(accountId, ids[0], NOW);
      await store.projects.delete(accountId, ids[0]);
      assert.equal(await chosen(), ids[2]);
    });

    it('counts what an account uses', async () => {
      const accountId = await makeAccount(store);
      assert.deepEqual(await store.accounts.usage(accountId), { event_shards: 0, training_hours: 0, storage_bytes: 0 });
      for (const kind of ['event', 'event', 'item'] as const) await makeDataset(store, accountId, kind, 7);
      await makeDataset(store, await makeAccount(store), 'event', 5);
      const sql = 'UPDATE account SET training_hours = 2.5, storage_bytes = 99 WHERE account_id = ?';
      await store.database.atomic([{ sql, params: [accountId] }]);
      assert.deepEqual(await store.accounts.usage(accountId), {
        event_shards: 14,
        training_hours: 2.5,
        storage_bytes: 99,
      });
      assert.deepEqual(await store.accounts.usage('acc_none'), {
        event_shards: 0,
        training_hours: 0,
        storage_bytes: 0,
      });
    });
  });
}
