// No account sees, changes or uses up what belongs to another: every call of the stores that names an account, on every database.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { MAX_PENDING_JOBS } from '../../src/domain/job.ts';
import { MAX_PLACEMENT_VERSIONS } from '../../src/domain/placement.ts';
import type { Store } from '../../src/store/store.ts';
import {
  DATASET_KINDS,
  deploy,
  type FilledAccount,
  fillAccount,
  HOME,
  ownedBy,
  readsOf,
  STATE,
  submit,
  versionOf,
} from '../support/filled-account.ts';
import { newId, newJob, newRotation } from '../support/new-ids.ts';
import { makeAccount, makeDataset, makeProject } from '../support/store-fixtures.ts';
import { DIALECTS, openTestStore } from '../support/test-database.ts';

for (const dialect of DIALECTS) {
  describe(`accounts on ${dialect}`, () => {
    let store: Store;
    let close: () => Promise<void>;
    let ours: FilledAccount;
    let theirs: FilledAccount;
    let atFirst: Record<string, unknown>;

    before(async () => {
      ({ store, close } = await openTestStore(dialect));
      ours = await fillAccount(store);
      atFirst = await seenByUs();
      theirs = await fillAccount(store);
    });
    after(() => close());

    const seenByUs = async () => ({
      ...(await readsOf(store, ours.accountId, ours)),
      ...(await ownedBy(store, ours.accountId)),
    });

    it('have the same lists and figures when another account has as much', async () => {
      await store.audit.keepNewest(ours.accountId, 2);
      assert.deepEqual(await seenByUs(), atFirst);
    });

    it('find nothing of another account', async () => {
      for (const [name, value] of Object.entries(await readsOf(store, ours.accountId, ours))) {
        assert.ok(Array.isArray(value) ? value.length > 0 : value !== null, `there is something to find: ${name}`);
      }
      for (const [name, value] of Object.entries(await readsOf(store, theirs.accountId, ours))) {
        assert.deepEqual(value, Array.isArray(value) ? [] : null, name);
      }
      const log = await store.audit.list(ours.accountId, {}, { page_size: 10, page_token: null });
      assert.deepEqual(
        new Set(log.entries.map((entry) => entry.actor_name)),
        new Set(['second']),
        'the name of our key',
      );
    });

    it('change nothing of another account', async () => {
      const deployment = await submit(store, ours.project, 'DEPLOYMENT');
      const unused = await makeDataset(store, ours.accountId, 'item');
      const before = await seenByUs();
      assert.equal(await store.datasets.delete(theirs.accountId, 'item', unused.dataset_id), null);
      const { accountId } = theirs;
      const { projectId, project, models, experiment } = ours;
      const placement = { accountId, projectId, name: HOME };
      const stranger = { account_id: accountId, project_id: projectId };
      const [{ model_id }] = models;
      assert.equal(await store.accounts.setKeyDisabled(accountId, ours.keyId, true), null);
      assert.equal(await store.accounts.rotateKey(accountId, ours.keyId, newRotation(1).rotation), null);
      assert.equal(await store.accounts.chooseDefaultProject(accountId, projectId), null);
      assert.equal((await store.accounts.get(accountId))!.default_project_id, theirs.projectId);
      assert.equal(await store.projects.update(accountId, projectId, { name: 'x', automation: null }), null);
      assert.equal(await store.projects.update(accountId, projectId, { name: 'x' }), null);
      assert.equal(await store.projects.update(accountId, projectId, { automation: null }), null);
      assert.equal(await store.projects.delete(accountId, projectId), null);
      for (const kind of DATASET_KINDS) {
        const datasetId = project[`${kind}_dataset_id`];
        assert.equal(await store.datasets.update(accountId, kind, datasetId, { name: 'x' }), null);
        assert.equal(await store.datasets.delete(accountId, kind, datasetId), null);
        const borrowed = { ...theirs.project, project_id: newId('project'), [`${kind}_dataset_id`]: datasetId };
        assert.equal(await store.projects.create(borrowed), 'missing-dataset');
      }
      const algorithm = { ...stranger, algorithm_id: newId('algorithm'), name: 'x', algorithm_type: 'G1' as const };
      const created = { algorithm_parameters: {}, created_ts: 1 };
      assert.equal(await store.algorithms.create({ ...algorithm, ...created }), 'missing-project');
      assert.equal(await store.algorithms.delete(accountId, projectId, ours.algorithmId), null);
      const added = { ...stranger, name: 'x', created_ts: 1, current: versionOf(1) };
      assert.equal(await store.placements.create(added), 'missing-project');
      for (const version of [3, MAX_PLACEMENT_VERSIONS + 2]) {
        assert.equal(await store.placements.change(placement, versionOf(version)), null);
      }
      assert.equal(await store.placements.delete(placement), null);
      const other = { ...experiment, account_id: accountId, experiment_id: newId('experiment') };
      assert.equal(await store.experiments.create(other), 'missing-placement');
      const end = { nowMs: 9, promote: { variant: 'new', version: versionOf(3) } };
      assert.equal(await store.experiments.stop({ ...experiment, account_id: accountId }, end), null);
      assert.equal(
        await store.experiments.stop({ ...experiment, account_id: accountId }, { ...end, promote: null }),
        null,
      );
      assert.equal(await store.deployments.shutDown(accountId, projectId, 9), null);
      assert.equal(await store.models.rename(accountId, projectId, model_id, 'x'), null);
      for (const model of models) assert.equal(await store.models.delete(accountId, projectId, model.model_id), null);
      const job = newJob({ ...stranger, job_type: 'CLUSTERING', job_data: {} }, 9);
      assert.equal(await store.jobs.submit(job), 'missing-project');
      assert.equal(await store.jobs.get(accountId, projectId, job.job_id), null);
      assert.equal(await store.jobs.cancel(accountId, projectId, ours.waiting.job_id, 9), null);
      const { project_id } = ours.empty;
      assert.equal(await store.automation.save({ account_id: accountId, project_id }, STATE), false);
      await store.health.save(stranger, { ...(await store.health.get(ours.accountId, projectId))!, events: 9 });
      assert.equal(await store.webhooks.delete(accountId, ours.webhook.webhook_id), null);
      await store.audit.keepNewest(accountId, 0);
      assert.deepEqual(await store.sessions.end(accountId, { session_id: ours.session.session_id }), []);
      assert.equal((await store.sessions.end(accountId, { person_id: 'per_1' })).length, 1, 'their own');
      assert.ok(await store.accounts.chooseDefaultProject(accountId, theirs.empty.project_id));
      assert.ok(await store.accounts.chooseDefaultProject(accountId, theirs.projectId));
      assert.ok(await store.accounts.update(accountId, { plan: { max_event_shards: 30 } }));
      assert.deepEqual(await seenByUs(), before);
      await store.jobs.cancel(ours.accountId, projectId, deployment.job_id, 9);
    });

    it('hear of their own news alone', async () => {
      const heardBy = async ({ webhook }: FilledAccount) => {
        const events: string[] = [];
        const nowMs = Date.now() + 1000;
        for (;;) {
          const delivery = await store.webhooks.claim(webhook.webhook_id, nowMs, nowMs + 1000);
          if (delivery === null) return events.sort();
          events.push(delivery.event);
          await store.webhooks.ended(delivery, { succeeded: true, message: '200', nowMs, nextMs: null });
        }
      };
      await store.webhooks.announce(theirs.accountId, { event: 'job.failed', subject: 'x', data: {} }, Date.now());
      await store.experiments.decide(theirs.experiment, { decided_ts: 9, winner: 'new', sentence: 'It won.' });
      await submit(store, theirs.project, 'EXPORT');
      const { lease } = (await store.queue.claim('worker', ['EXPORT'], Date.now()))!;
      assert.ok(await store.queue.fail(lease, { code: 'UNEXPECTED_ERROR', message: 'It broke.' }, Date.now()));
      assert.deepEqual(await heardBy(ours), ['model.rejected']);
      assert.deepEqual(await heardBy(theirs), ['experiment.decided', 'job.failed', 'job.failed', 'model.rejected']);
    });

    it('use up nothing of the plan of another account', async () => {
      await store.accounts.update(theirs.accountId, { plan: { max_event_shards: 30 } });
      for (const num_shards of [10, 1]) await makeDataset(store, theirs.accountId, 'event', num_shards);
      const page = { page_size: 1000, page_token: null };
      const datasets = await store.datasets.list(theirs.accountId, 'event', page);
      assert.deepEqual(datasets.entries.map((dataset) => dataset.num_shards).sort(), [10, 10, 10]);
      for (let n = 1; n < MAX_PENDING_JOBS; n++) await submit(store, ours.project, 'CLUSTERING');
      const more = newJob({ ...ours.project, job_type: 'CLUSTERING', job_data: {} }, 9);
      assert.equal(await store.jobs.submit(more), 'too-many');
      await submit(store, theirs.project, 'CLUSTERING');
      const [second, last] = await store.accounts.listKeys(ours.accountId);
      assert.equal(typeof (await store.accounts.setKeyDisabled(ours.accountId, second.key_id, true)), 'object');
      const outcome = await store.accounts.setKeyDisabled(ours.accountId, last.key_id, true);
      assert.equal(outcome, 'last-key', 'keys of other accounts do not count');
    });

    it('keep their default project when another account deploys, shuts down and deletes', async () => {
      const defaultOf = async ({ accountId }: FilledAccount) =>
        (await store.accounts.get(accountId))!.default_project_id;
      const fresh = await makeProject(store, await makeAccount(store));
      await deploy(store, theirs.models[1]);
      assert.equal((await store.accounts.get(fresh.account_id))!.default_project_id, null);
      await store.jobs.cancel(theirs.accountId, theirs.projectId, theirs.waiting.job_id, 9);
      const page = { page_size: 1000, page_token: null };
      const { entries } = await store.jobs.list(theirs.accountId, { job_status: 'PENDING' }, page);
      for (const job of entries) await store.jobs.cancel(theirs.accountId, theirs.projectId, job.job_id, 9);
      assert.ok(await store.deployments.shutDown(theirs.accountId, theirs.projectId, 9));
      const deleted = await store.projects.delete(theirs.accountId, theirs.projectId);
      assert.equal(typeof deleted, 'object');
      for (const table of ['algorithm', 'placement', 'placement_version', 'experiment', 'model', 'data_health']) {
        const sql = `SELECT account_id FROM ${table} WHERE project_id = ?`;
        assert.deepEqual(await store.database.all(sql, [theirs.projectId]), [], `${table}: gone with the project`);
        assert.ok((await store.database.all(sql, [ours.projectId])).length > 0, `${table}: ours stay`);
      }
      assert.equal(await defaultOf(theirs), null);
      assert.equal(await defaultOf(ours), ours.projectId);
    });
  });
}
