// What automation keeps, on every database: a decision holds only for the model it was made about, and for its project alone.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { AutomationDecision, Decision } from '../../src/domain/automation.ts';
import type { JobType } from '../../src/domain/job.ts';
import type { Model } from '../../src/domain/model.ts';
import type { Project } from '../../src/domain/project.ts';
import type { StoredDeployment } from '../../src/store/deployment-store.ts';
import type { Store } from '../../src/store/store.ts';
import { deploy, STATE, submit, train, versionOf } from '../support/filled-account.ts';
import { newId, newJob } from '../support/new-ids.ts';
import { makeAccount, makeProject } from '../support/store-fixtures.ts';
import { DIALECTS, openTestStore } from '../support/test-database.ts';

const PAGE = { page_size: 1000, page_token: null };

for (const dialect of DIALECTS) {
  describe(`automation store on ${dialect}`, () => {
    let store: Store;
    let close: () => Promise<void>;
    before(async () => {
      ({ store, close } = await openTestStore(dialect));
    });
    after(() => close());

    /** An automated project whose state is of revision 1. */
    const automated = async (accountId: string): Promise<Project> => {
      const project = await makeProject(store, accountId);
      const automation = { retrain: { every_hours: 24 }, deploy: 'always' as const, keep_models: 1 };
      await store.projects.update(accountId, project.project_id, { automation });
      assert.ok(await store.automation.save(project, STATE));
      return project;
    };
    const stateOf = async ({ account_id, project_id }: Project) =>
      (await store.automation.get(account_id, project_id))?.state;
    const decide = async (
      { account_id, project_id }: Project,
      deployedModelId: string | null,
      what: Decision = 'deploy',
      { training = newId('job'), revision = 1 } = {},
    ) => {
      const deployment = newJob({ account_id, project_id, job_type: 'DEPLOYMENT', job_data: {} });
      const decision: AutomationDecision = {
        account_id,
        project_id,
        decision_id: newId('decision'),
        decided_ts: 5,
        decision: what,
        reason: 'It is.',
        model_id: 'mdl_new',
        training_job_id: training,
        comparison: null,
        deployment_job_id: deployment.job_id,
      };
      const state = { ...STATE, revision, message: 'decided' };
      const isKept = await store.automation.decide({ decision, deployedModelId, deployment, state });
      const { entries } = await store.automation.decisions(account_id, project_id, PAGE);
      const job = await store.jobs.get(account_id, project_id, deployment.job_id);
      assert.deepEqual([entries.length === 1, job !== null], [isKept, isKept], 'all of it, or nothing');
      return isKept;
    };

    test('automated projects are found some at a time, without those of disabled accounts', async () => {
      const [accountId, disabled] = [await makeAccount(store), await makeAccount(store)];
      const wanted: string[] = [];
      for (let n = 0; n < 3; n++) wanted.push((await automated(accountId)).project_id);
      await makeProject(store, accountId);
      await automated(disabled);
      await store.accounts.update(disabled, { disabled: true });
      const found: string[] = [];
      for (let after = ''; ; after = found.at(-1)!) {
        const some = await store.automation.automated(after, 2);
        if (some.length === 0) break;
        assert.ok(some.length <= 2 && found.length < 100);
        found.push(...some.map(({ project }) => project.project_id));
      }
      assert.deepEqual(found, found.toSorted());
      assert.deepEqual(new Set(found).size, found.length, 'each once');
      assert.deepEqual(
        found.filter((id) => wanted.includes(id)),
        wanted.toSorted(),
      );
      assert.equal(found.length, wanted.length);
    });

    test('a state reads back as it was saved first', async () => {
      const project = await makeProject(store, await makeAccount(store));
      const automation = { retrain: { every_hours: 24 }, deploy: 'always' as const, keep_models: 1 };
      await store.projects.update(project.account_id, project.project_id, { automation });
      const state = { ...STATE, model_id: 'mdl_1', training_job_id: 'job_1', message: 'It waits.', failures: 2 };
      assert.ok(await store.automation.save(project, state));
      assert.deepEqual(await stateOf(project), { ...state, revision: 1 });
    });

    test('the newest model of a project is told by its time', async () => {
      const project = await automated(await makeAccount(store));
      const models = [];
      for (let n = 0; n < 3; n++) models.push(await train(store, project));
      const sql = 'UPDATE model SET created_ts = created_ts + 1 WHERE model_id = ?';
      for (const { model_id } of models) {
        for (let n = 0; n < 2; n++) await store.database.atomic([{ sql, params: [model_id] }]);
        const found = [
          await store.automation.get(project.account_id, project.project_id),
          ...(await store.automation.automated('', 1000)).filter(
            (one) => one.project.project_id === project.project_id,
          ),
        ];
        assert.deepEqual(
          found.map((one) => one?.newestModelId),
          [model_id, model_id],
        );
        await store.database.atomic([{ sql: sql.replace('+ 1', '- 1'), params: [model_id] }]);
      }
    });

    test('models are surplus that nothing uses or names', async () => {
      const project = await automated(await makeAccount(store));
      const { account_id, project_id } = project;
      const models: Model[] = [];
      for (let n = 0; n < 8; n++) models.push(await train(store, project));
      const [serves, ranks, inJob, inPlacement, inExperiment, ended, withdrawn, free] = models;
      const jobOf = ({ model_id }: Model, job_type: JobType) =>
        newJob({ account_id, project_id, job_type, job_data: { model_id } });
      await store.jobs.submit(jobOf(inJob, 'EXPORT'));
      const over = jobOf(ended, 'QUERYING');
      await store.jobs.submit(over);
      await store.jobs.cancel(account_id, project_id, over.job_id, 1);
      // What was announced by a job that has failed does not count, while others run.
      const announced = async (generator_model_id: string, ranker_model_id: string | null) => {
        await submit(store, project, 'DEPLOYMENT');
        const { lease, job } = (await store.queue.claim('worker', ['DEPLOYMENT'], Date.now()))!;
        const models = { account_id, project_id, generator_model_id, ranker_model_id };
        const candidate = await store.deployments.announce(lease, {
          ...models,
          qps: 1,
          job_id: job.job_id,
          created_ts: 1,
        });
        return { lease, candidate: candidate as StoredDeployment };
      };
      const { lease, candidate } = await announced(serves.model_id, ranks.model_id);
      assert.ok(await store.deployments.activate(lease, candidate, 1));
      assert.ok(await store.queue.finish(lease, { result: {} }, 1));
      const failed = await announced(withdrawn.model_id, null);
      await store.queue.fail(failed.lease, { code: 'FAILED', message: 'It failed.' }, 1);
      assert.ok(await store.queue.claim('worker', ['EXPORT'], Date.now()));
      const definition = { ...versionOf(1).definition, defaults: { model_id: inPlacement.model_id } };
      const current = { ...versionOf(1), definition };
      await store.placements.create({ account_id, project_id, name: 'home', created_ts: 1, current });
      const overrides = { model_id: inExperiment.model_id };
      await store.experiments.create({
        account_id,
        project_id,
        experiment_id: newId('experiment'),
        name: 'e',
        placement: 'home',
        metric: 'click',
        variants: [{ name: 'new', share: 1, overrides }],
        min_days: 1,
        status: 'RUNNING',
        created_ts: 1,
        stopped_ts: null,
        promoted: null,
        decided: null,
      });
      const surplus = await store.automation.surplusModels(account_id, project_id, 0);
      assert.deepEqual(surplus.sort(), [ended, withdrawn, free].map(({ model_id }) => model_id).sort());
    });

    test('a decision is kept only while the model serves that it was compared with', async () => {
      const accountId = await makeAccount(store);
      const [project, other] = [await automated(accountId), await automated(accountId)];
      const [first, second] = [await train(store, project), await train(store, project)];
      const webhook_id = newId('webhook');
      const webhook = { account_id: accountId, webhook_id, url: 'https://example.com/', created_ts: 1 };
      await store.webhooks.create({ ...webhook, events: ['model.rejected'], last_attempt: null }, 1);
      assert.equal(await decide(project, first.model_id, 'reject'), false, 'nothing serves');
      assert.deepEqual(await store.webhooks.due(Date.now(), 1), [], 'nobody is told');
      await deploy(store, first);
      assert.equal(await decide(project, null), false, 'something serves meanwhile');
      assert.equal(await decide(project, second.model_id), false);
      assert.equal(await decide(other, first.model_id), false, 'it serves in another project');
      assert.equal((await stateOf(project))?.message, null);
      assert.equal(await decide(project, first.model_id), true);
      assert.deepEqual(await stateOf(project), { ...STATE, revision: 2, message: 'decided' });
      assert.deepEqual(await store.webhooks.due(Date.now(), 1), [], 'no model was rejected');
      assert.equal(await decide(other, first.model_id), false);
      assert.deepEqual(await stateOf(other), { ...STATE, revision: 1 }, 'that of another project stays');
    });

    test('a decision about a state that another node has saved meanwhile is made again', async () => {
      const project = await automated(await makeAccount(store));
      const training = newId('job');
      const seen = (await stateOf(project))!;
      assert.ok(await store.automation.save(project, { ...seen, training_job_id: training, known_events: 5 }));
      assert.equal(await decide(project, null, 'deploy', { training, revision: seen.revision }), false);
      assert.equal((await stateOf(project))?.training_job_id, training, 'it is still to be decided');
      assert.equal(await decide(project, null, 'deploy', { training, revision: seen.revision + 1 }), true);
      assert.deepEqual(await stateOf(project), { ...STATE, revision: 3, message: 'decided' });
    });

    test('decisions and other changes of a state at the same time never leave one without the other', async () => {
      for (let turn = 0; turn < 10; turn++) {
        const project = await automated(await makeAccount(store));
        const training = newId('job');
        const seen = (await stateOf(project))!;
        assert.ok(await store.automation.save(project, { ...seen, training_job_id: training }));
        const revision = seen.revision + 1;
        const [isDecided, isSaved] = await Promise.all([
          decide(project, null, 'deploy', { training, revision }),
          store.automation.save(project, { ...seen, revision, training_job_id: training, known_events: 5 }),
        ]);
        assert.equal(isDecided, !isSaved);
        assert.equal((await stateOf(project))?.training_job_id, isDecided ? null : training);
      }
    });
  });
}
