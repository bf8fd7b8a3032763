// A write changes rows of what it names and no others, on every database: neither of the same account nor of another.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Store } from '../../src/store/store.ts';
import { type FilledAccount, fillAccount, HOME, versionOf } from '../support/filled-account.ts';
import { DIALECTS, openTestStore } from '../support/test-database.ts';

const TABLES = [
  'account',
  'algorithm',
  'api_key',
  'automation_decision',
  'automation_state',
  'console_session',
  'data_health',
  'dataset',
  'deployment',
  'experiment',
  'job',
  'model',
  'placement',
  'placement_version',
  'project',
  'webhook',
];
const NOW = 1_900_000_000_000;
const RETRY = { reason: { code: 'LOST', message: 'Lost.' }, backOffMs: 0, nowMs: NOW };

for (const dialect of DIALECTS) {
  describe(`rows on ${dialect}`, () => {
    let store: Store;
    let close: () => Promise<void>;
    let ours: FilledAccount;

    before(async () => {
      ({ store, close } = await openTestStore(dialect));
      ours = await fillAccount(store);
      await fillAccount(store);
    });
    after(() => close());

    const rows = async (): Promise<Map<string, number>> => {
      const all = new Map<string, number>();
      for (const table of TABLES) {
        for (const row of await store.database.all(`SELECT * FROM ${table}`)) {
          const text = `${table} ${JSON.stringify(row)}`;
          all.set(text, (all.get(text) ?? 0) + 1);
        }
      }
      return all;
    };

    /** Does the write and returns its result. Every row that it changes must have one of the texts. */
    async function changing<T>(texts: readonly string[], write: () => Promise<T>): Promise<T> {
      const before = await rows();
      const result = await write();
      const after = await rows();
      const changed = [...new Set([...before.keys(), ...after.keys()])].filter(
        (row) => before.get(row) !== after.get(row),
      );
      assert.ok(changed.length > 0, 'it changes something');
      for (const row of changed)
        assert.ok(
          texts.some((text) => row.includes(text)),
          `${row} changed`,
        );
      return result;
    }

    test('a project that is in use is not deleted, and nothing of it goes', async () => {
      const before = await rows();
      assert.equal(await store.projects.delete(ours.accountId, ours.projectId), 'in-use');
      assert.deepEqual(await rows(), before);
    });

    test('keys, sessions, webhooks and the account', async () => {
      const { accountId, keyId, session, webhook } = ours;
      const rotation = { secret_hash: 'other', rotated_ts: NOW, previous_until_ts: NOW };
      await changing([keyId], () => store.accounts.rotateKey(accountId, keyId, rotation));
      await changing([keyId], () => store.accounts.setKeyDisabled(accountId, keyId, true));
      assert.equal(await store.accounts.rotateKey(accountId, keyId, rotation), null, 'a disabled key stays as it is');
      await changing(['account '], () => store.accounts.update(accountId, { plan: { max_qps: 3 } }));
      await changing([session.session_id], () => store.sessions.saw(session.session_id, NOW));
      await changing([session.session_id], () => store.sessions.end(accountId, { session_id: session.session_id }));
      await changing([webhook.webhook_id], () => store.webhooks.delete(accountId, webhook.webhook_id));
    });

    test('datasets, algorithms, placements and experiments', async () => {
      const { accountId, projectId, project, algorithmId, experiment } = ours;
      const { item_dataset_id } = project;
      await changing([item_dataset_id], () =>
        store.datasets.update(accountId, 'item', item_dataset_id, {
          name: 'new',
          attribute_schema: { a: 'NUMERICAL' },
        }),
      );
      await changing([algorithmId], () => store.algorithms.delete(accountId, projectId, algorithmId));
      const home = { accountId, projectId, name: HOME };
      const version = versionOf(3);
      const promote = { variant: 'new', version };
      await changing([experiment.experiment_id, `"${HOME}"`], () =>
        store.experiments.stop(experiment, { nowMs: NOW, promote }),
      );
      assert.equal((await store.placements.get({ ...home, name: 'cart' }))?.current.version, 2);
      await changing([`"${HOME}"`], () => store.placements.change(home, versionOf(4)));
      await changing([`"${HOME}"`], () => store.placements.delete(home));
    });

    test('models, deployments and jobs', async () => {
      const { accountId, projectId, models, waiting } = ours;
      const [deployed, other] = models;
      await changing([other.model_id], () => store.models.rename(accountId, projectId, other.model_id, 'new'));
      await changing([other.model_id], () => store.models.delete(accountId, projectId, other.model_id));
      await changing([deployed.model_id], () => store.deployments.shutDown(accountId, projectId, NOW));
      const claim = () => store.queue.claim('worker', ['QUERYING'], NOW);
      const first = (await changing(['job ', 'account '], claim))!;
      const second = (await changing(['job ', 'account '], claim))!;
      assert.notEqual(first.lease.jobId, second.lease.jobId);
      const { lease, job } = [first, second].find((one) => one.lease.jobId === waiting.job_id)!;
      const { jobId } = lease;
      await changing([jobId], () => store.queue.heartbeat(lease, { ...job.progress, fraction: 0.5 }));
      await changing([jobId], () => store.queue.release(lease));
      const again = (await store.queue.claim('other worker', ['QUERYING'], NOW))!;
      await changing([jobId], () => store.queue.retry(again.lease, RETRY));
      const third = (await store.queue.claim('other worker', ['QUERYING'], NOW))!;
      await changing([jobId], () => store.queue.takeBackFrom('other worker', RETRY));
      assert.equal(await store.queue.finish(third.lease, { result: {} }, NOW), false);
      await changing([jobId], () => store.jobs.cancel(accountId, projectId, jobId, NOW));
    });

    test('projects', async () => {
      const { accountId, projectId, empty, experiment } = ours;
      const sql = `INSERT INTO experiment_point (experiment_id, hour, figures) VALUES (?, 1, '[]')`;
      await store.database.atomic([{ sql, params: [experiment.experiment_id] }]);
      const { project_id } = empty;
      await changing([`"project_id":"${project_id}"`], () =>
        store.projects.update(accountId, project_id, { name: 'new' }),
      );
      await changing([projectId], () => store.projects.update(accountId, projectId, { automation: null }));
      await changing(['account '], () => store.accounts.chooseDefaultProject(accountId, project_id));
      await changing([projectId], () => store.projects.delete(accountId, projectId));
      for (const row of (await rows()).keys()) assert.ok(!row.includes(projectId), `${row} is left`);
      assert.deepEqual(await store.experiments.points(experiment.experiment_id), []);
    });
  });
}
