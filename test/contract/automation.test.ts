// What automated projects do, on every dialect, with two nodes that look at them at the same time. Jobs are ended by hand, so
// every test decides how its trainings end.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { FIRST_BACK_OFF_MS } from '../../src/automation/retraining.ts';
import type { AutomationStatus } from '../../src/client/index.ts';
import { automationRoutes } from '../../src/http/routes/automation.ts';
import { type AutomatedProjects, openAutomatedProjects, PAGE } from '../support/automated-projects.ts';
import { newId, newJob } from '../support/new-ids.ts';
import { DIALECTS } from '../support/test-database.ts';

const HOUR_MS = 3_600_000;
const WORSE = {
  verdict: 'worse' as const,
  users: 200,
  since_ts: 5,
  ndcg: 0.1,
  compared_ndcg: 0.2,
  difference: -0.1,
  interval: [-0.12, -0.08] as [number, number],
};
const BETTER = { ...WORSE, verdict: 'better' as const, difference: 0.1, interval: [0.08, 0.12] as [number, number] };

for (const dialect of DIALECTS) {
  describe(`automation on ${dialect}`, () => {
    let made: AutomatedProjects;
    before(async () => {
      made = await openAutomatedProjects(dialect);
    });
    after(() => made.close());

    test('a project is trained once per interval, whatever the number of nodes, restarts and looks', async () => {
      const { restart, look, settle, automated, jobsOf, train, decisionsOf } = made;
      const startMs = Date.now();
      const project = await automated({});
      await settle(startMs);
      assert.deepEqual(await jobsOf(project, 'TRAINING'), [], 'the interval begins when automation is switched on');
      await settle(startMs + 24 * HOUR_MS - 1);
      assert.equal((await jobsOf(project, 'TRAINING')).length, 0);
      await settle(startMs + 24 * HOUR_MS);
      const [job] = await jobsOf(project, 'TRAINING');
      assert.deepEqual([job.job_data.automatic, job.job_data.compare_with_deployed], [true, true]);
      // Without a worker the job waits. Days later there is still one, also for nodes that start only now.
      restart();
      for (let day = 2; day < 9; day++) await look(startMs + day * 24 * HOUR_MS);
      assert.equal((await jobsOf(project, 'TRAINING')).length, 1);
      await train(project, startMs + 9 * 24 * HOUR_MS);
      await settle(startMs + 9 * 24 * HOUR_MS);
      assert.equal(
        (await jobsOf(project, 'TRAINING')).length,
        2,
        'the next round begins at the submission of the last',
      );
      assert.equal((await decisionsOf(project)).length, 1);
      assert.equal((await jobsOf(project, 'DEPLOYMENT')).length, 1);
      assert.equal((await jobsOf(project, 'DATA_HEALTH')).length, 1, 'one check of the data waits with the trainings');
      await train(project, startMs + 9 * 24 * HOUR_MS + 1);
      await settle(startMs + 9 * 24 * HOUR_MS + 2);
    });

    test('new events are counted from the newest model, and deleted ones are not new', async () => {
      const { store, account, settle, automated, addEvents, jobsOf, train, stateOf } = made;
      const nowMs = Date.now();
      const project = await automated({ retrain: { after_new_events: 100 } });
      await addEvents(project, 0, 99);
      await settle(nowMs);
      assert.equal((await jobsOf(project, 'TRAINING')).length, 0);
      await addEvents(project, 99, 1);
      await settle(nowMs);
      assert.equal((await jobsOf(project, 'TRAINING')).length, 1);
      await train(project, nowMs);
      await settle(nowMs);
      assert.equal((await stateOf(project)).known_events, 100);
      await addEvents(project, 0, 100);
      await settle(nowMs + 1);
      assert.equal((await jobsOf(project, 'TRAINING')).length, 1, 'events that were written again are not new');
      const dataset = await store.datasets.get(account, 'event', project.event_dataset_id);
      await store.events.delete(
        dataset!,
        Array.from({ length: 60 }, (_, n) => `e${n}`),
      );
      await settle(nowMs + 2);
      await addEvents(project, 1000, 99);
      await settle(nowMs + 3);
      assert.equal((await jobsOf(project, 'TRAINING')).length, 1);
      await addEvents(project, 2000, 1);
      await settle(nowMs + 4);
      assert.equal((await jobsOf(project, 'TRAINING')).length, 2);
      await train(project, nowMs + 5);
      await settle(nowMs + 6);
    });

    test('what is new is known before the first look', async () => {
      const { store, account, automated, addEvents } = made;
      const project = await automated({ retrain: { every_hours: 24 } });
      await addEvents(project, 0, 7);
      const status = automationRoutes(store).find(({ path }) => path === '/get-automation-status');
      const caller = { accountId: account };
      const call = { query: { project_id: project.project_id }, caller, runtime: { nowMs: () => 5 } };
      const { new_events, next_training_ts } = (await status!.handler(call as never)) as AutomationStatus;
      assert.deepEqual([new_events, next_training_ts], [7, 5 + 24 * HOUR_MS]);
    });

    test('a training that fails is told to webhooks and tried again, later each time', async () => {
      const { store, account, settle, automated, addEvents, jobsOf, train, failTraining, stateOf } = made;
      const startMs = Date.now();
      const webhook_id = newId('webhook');
      await store.webhooks.create(
        {
          account_id: account,
          webhook_id,
          url: 'https://example.com',
          events: ['job.failed'],
          created_ts: 1,
          last_attempt: null,
        },
        100,
      );
      const project = await automated({ retrain: { after_new_events: 1 } });
      await addEvents(project, 0, 5);
      let nowMs = startMs;
      for (const [failures, waitMs] of [1, 2, 4, 8].map((factor, n) => [n + 1, factor * FIRST_BACK_OFF_MS])) {
        await settle(nowMs);
        assert.equal((await jobsOf(project, 'TRAINING')).length, failures);
        await failTraining(project, nowMs);
        await settle(nowMs + waitMs - 1);
        assert.equal((await jobsOf(project, 'TRAINING')).length, failures, `waits ${waitMs} ms`);
        const state = await stateOf(project);
        assert.deepEqual([state.failures, state.message], [failures, 'No events.']);
        nowMs += waitMs;
      }
      const delivery = await store.webhooks.claim(webhook_id, nowMs + HOUR_MS, nowMs + HOUR_MS);
      assert.deepEqual([delivery?.event, delivery?.data.project_id], ['job.failed', project.project_id]);
      await settle(nowMs);
      await train(project, nowMs);
      await settle(nowMs);
      const state = await stateOf(project);
      assert.deepEqual([state.failures, state.not_before_ts, state.message], [0, 0, null]);
    });

    test('a model that is worse is rejected, with its figures and by webhook, and one that is better deployed', async () => {
      const { store, account, settle, addEvents, jobsOf, train, runDeployment, decisionsOf, serving } = made;
      let nowMs = Date.now();
      const webhook_id = newId('webhook');
      const { project, first } = await serving({ retrain: { after_new_events: 10 } }, nowMs);
      await store.webhooks.create(
        {
          account_id: account,
          webhook_id,
          url: 'https://example.com',
          events: ['model.rejected'],
          created_ts: 1,
          last_attempt: null,
        },
        100,
      );
      await addEvents(project, 0, 10);
      await settle(++nowMs);
      const poor = await train(project, nowMs, WORSE);
      await settle(nowMs);
      const [rejected] = await decisionsOf(project);
      assert.deepEqual(
        [rejected.decision, rejected.model_id, rejected.deployment_job_id, rejected.comparison?.interval],
        ['reject', poor.model_id, null, WORSE.interval],
      );
      assert.match(rejected.reason, /worse than the deployed model: NDCG 0\.100 against 0\.200/);
      const delivery = await store.webhooks.claim(webhook_id, nowMs + 1, nowMs + 2);
      assert.deepEqual([delivery?.event, delivery?.data.model_id], ['model.rejected', poor.model_id]);
      assert.equal((await store.deployments.active(account, project.project_id))?.generator_model_id, first.model_id);

      await addEvents(project, 100, 10);
      await settle(++nowMs);
      const good = await train(project, nowMs, BETTER);
      await settle(nowMs);
      await runDeployment(project, nowMs);
      const [deployed] = await decisionsOf(project);
      assert.deepEqual([deployed.decision, deployed.model_id], ['deploy', good.model_id]);
      assert.equal((await jobsOf(project, 'DEPLOYMENT'))[0].job_id, deployed.deployment_job_id);
      assert.equal((await store.deployments.active(account, project.project_id))?.generator_model_id, good.model_id);
      // Too few new events for figures: the newer model is deployed, and the reason says so.
      await addEvents(project, 200, 10);
      await settle(++nowMs);
      const none = { users: 3, since_ts: null, ndcg: null, compared_ndcg: null, difference: null, interval: null };
      await train(project, nowMs, { verdict: 'too_few_users', ...none });
      await settle(nowMs);
      const [blind] = await decisionsOf(project);
      assert.deepEqual([blind.decision, /Too few users/.test(blind.reason)], ['deploy', true]);
      await runDeployment(project, nowMs);
    });

    test('a project that was shut down, or whose deployment was changed by hand, is left as it is', async () => {
      const { store, account, settle, addEvents, jobsOf, train, runDeployment, decisionsOf, serving } = made;
      let nowMs = Date.now();
      const { project } = await serving({ retrain: { after_new_events: 10 } }, nowMs);
      await addEvents(project, 0, 10);
      await settle(++nowMs);
      const other = await train(project, nowMs, BETTER);
      // Before automation decides, a person deploys it; automation then finds another model than the one compared with.
      const given = { generator_model_id: other.model_id, ranker_model_id: null, qps: null };
      const byHand = newJob({
        account_id: account,
        project_id: project.project_id,
        job_type: 'DEPLOYMENT',
        job_data: given,
      });
      await store.jobs.submit(byHand);
      await runDeployment(project, nowMs);
      await settle(nowMs);
      assert.match((await decisionsOf(project))[0].reason, /^Another model was deployed/);
      assert.equal((await jobsOf(project, 'DEPLOYMENT')).length, 2);
      await addEvents(project, 100, 10);
      await settle(++nowMs);
      await train(project, nowMs, BETTER);
      await store.deployments.shutDown(account, project.project_id, nowMs);
      await settle(nowMs);
      const [decision] = await decisionsOf(project);
      assert.deepEqual([decision.decision, /shut down/.test(decision.reason)], ['keep', true]);
      assert.equal((await jobsOf(project, 'DEPLOYMENT')).length, 2);
    });

    test('old models are deleted, but not what serves and what can be rolled back to', async () => {
      const { store, account, deletedFiles, settle, addEvents, train, runDeployment, serving } = made;
      let nowMs = Date.now();
      const { project, first } = await serving({ retrain: { after_new_events: 1 }, keep_models: 2 }, nowMs);
      const models = [first];
      const round = async (comparison: typeof WORSE | typeof BETTER) => {
        await addEvents(project, nowMs * 100, 1);
        await settle(++nowMs);
        models.push(await train(project, nowMs, comparison));
        await settle(nowMs);
        if (comparison === BETTER) await runDeployment(project, nowMs);
      };
      await round(BETTER);
      for (let n = 0; n < 4; n++) await round(WORSE);
      const left = (await store.models.list(account, project.project_id, PAGE)).entries.map(({ model_id }) => model_id);
      // Newest two, the deployed one and the one before it.
      assert.deepEqual(
        left.sort(),
        [models[0], models[1], models[4], models[5]].map(({ model_id }) => model_id).sort(),
      );
      assert.ok(deletedFiles.includes(models[2].artifact_key) && deletedFiles.includes(models[3].artifact_key));
      const { entries } = await store.audit.list(account, { actor_id: 'automation' }, PAGE);
      const own = entries.filter(({ summary }) => summary.includes(project.project_id));
      const of = (operation: string) => own.filter((entry) => entry.operation === operation);
      const deleted = of('/delete-model').map(({ object_id }) => object_id);
      assert.deepEqual(deleted.sort(), [models[2].model_id, models[3].model_id].sort());
      const deployments = of('/submit-deployment-job').map(({ summary }) => summary);
      assert.ok(deployments.includes(`project_id: ${project.project_id}, model_id: ${models[1].model_id}`));
      const earlier = await store.automation.earlierDeployment(account, project.project_id);
      assert.equal(earlier?.generator_model_id, first.model_id);
    });

    test('a roll-back leads to what served before, and the next one further back', async () => {
      const { store, account, settle, automated, addEvents, train, runDeployment, decisionsOf } = made;
      let nowMs = Date.now();
      const project = await automated({ deploy: 'never', retrain: { after_new_events: 1 } });
      const { project_id } = project;
      const models = [];
      for (let n = 0; n < 3; n++) {
        await addEvents(project, nowMs * 100, 1);
        await settle(++nowMs);
        models.push(await train(project, nowMs));
        await settle(nowMs);
      }
      assert.deepEqual(
        (await decisionsOf(project)).map(({ decision }) => decision),
        ['keep', 'keep', 'keep'],
      );
      const deploy = async (model_id: string, more: object = {}) => {
        const job_data = { generator_model_id: model_id, ranker_model_id: null, qps: null, ...more };
        await store.jobs.submit(newJob({ account_id: account, project_id, job_type: 'DEPLOYMENT', job_data }));
        await runDeployment(project, nowMs);
      };
      const earlier = () => store.automation.earlierDeployment(account, project_id);
      const [a, b, c] = models.map(({ model_id }) => model_id);
      assert.equal(await earlier(), null);
      await deploy(a);
      assert.equal(await earlier(), null);
      await deploy(b);
      await deploy(b);
      await deploy(c);
      const first = await earlier();
      assert.equal(first?.generator_model_id, b);
      await deploy(b, { restores_version: first!.version });
      const second = await earlier();
      assert.equal(second?.generator_model_id, a, 'not back to what was rolled back from');
      await deploy(a, { restores_version: second!.version });
      assert.equal(await earlier(), null);
      await deploy(c);
      await store.models.delete(account, project_id, a);
      assert.equal((await earlier())?.generator_model_id, b, 'a deleted model is passed over');
    });

    test('the newest thousand decisions of a project are kept', async () => {
      const { store, account, settle, automated, addEvents, train, decisionsOf } = made;
      const [project, other] = [await automated({ retrain: { after_new_events: 1 } }), await automated({})];
      const early = (project_id: string, n: number) => ({
        sql: `INSERT INTO automation_decision (decision_id, account_id, project_id, created_ts, training_job_id, model_id,
                decision, reason) VALUES (?, ?, ?, ?, ?, 'mdl_1', 'keep', 'It is.')`,
        params: [`${project_id}.${n}`, account, project_id, n, `${project_id}.${n}`],
      });
      const many = Array.from({ length: 1000 }, (_, n) => early(project.project_id, n));
      await store.database.atomic([...many, early(other.project_id, 0)]);
      const nowMs = Date.now();
      await addEvents(project, 0, 1);
      await settle(nowMs);
      await train(project, nowMs);
      await settle(nowMs);
      const page = { page_size: 2000, page_token: null };
      const { entries } = await store.automation.decisions(account, project.project_id, page);
      assert.deepEqual([entries.length, entries.at(-1)?.decided_ts], [1000, 1]);
      assert.ok(entries[0].decided_ts >= nowMs);
      assert.equal((await decisionsOf(other)).length, 1);
    });

    test('switched off, nothing happens, and what a canceled training missed waits for the next round', async () => {
      const { store, account, settle, automated, addEvents, jobsOf, train, decisionsOf } = made;
      let nowMs = Date.now();
      const project = await automated({ retrain: { after_new_events: 10 } });
      await addEvents(project, 0, 10);
      await settle(nowMs);
      const [job] = await jobsOf(project, 'TRAINING');
      await store.jobs.cancel(account, project.project_id, job.job_id, nowMs);
      await settle(++nowMs);
      assert.equal((await jobsOf(project, 'TRAINING')).length, 1);
      await addEvents(project, 100, 10);
      await settle(++nowMs);
      assert.equal((await jobsOf(project, 'TRAINING')).length, 2);
      await store.projects.update(account, project.project_id, { automation: null });
      await train(project, nowMs);
      await settle(++nowMs);
      assert.deepEqual(await decisionsOf(project), []);
      assert.equal(await store.automation.get(account, project.project_id), null);
    });

    test('without an algorithm the state says what is missing', async () => {
      const { settle, automated, addEvents, jobsOf, stateOf } = made;
      const project = await automated({ retrain: { after_new_events: 1 } }, 0);
      await addEvents(project, 0, 5);
      await settle(Date.now());
      assert.match((await stateOf(project)).message ?? '', /no algorithm/);
      assert.equal((await jobsOf(project, 'TRAINING')).length, 0);
    });
  });
}
