// The whole road, over HTTP and with real processes: data → training → deployment → recommendation, on every database. What becomes
// of a job whose worker is killed or stopped is in test/long/struck-workers.test.ts.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { openStore } from '../../src/store/open-store.ts';
import type { Store } from '../../src/store/store.ts';
import { type ServiceProcess, startServiceProcess } from '../support/service.ts';
import { createTasteProject, ended, isOfKind, succeed, type TasteProject } from '../support/taste-project.ts';
import { DIALECTS_OF_LONG_SUITES, newTestPlace, type TestPlace } from '../support/test-database.ts';

for (const dialect of DIALECTS_OF_LONG_SUITES) {
  describe(`training on ${dialect}`, () => {
    let place: TestPlace;
    let service: ServiceProcess;
    let project: TasteProject;
    let store: Store;

    before(async () => {
      place = await newTestPlace(dialect);
      service = await startServiceProcess({
        KINDRED_ROLES: 'api,worker',
        KINDRED_LOG_LEVEL: 'warn',
        ...place.env,
      });
      project = await createTasteProject(service);
      store = await openStore(place);
    });
    after(async () => {
      await store.close();
      await service.terminate();
      await place.remove();
    });

    const hours = async (): Promise<number> => (await service.ok('GET', '/get-account')).usage.training_hours;
    const topOf = async (user_id: string): Promise<string> =>
      (await service.ok('POST', '/recommend-items-to-user', { user_id, limit: 1 })).results[0].item.item_id;

    test('from data to recommendations, and a new event changes the next list', async () => {
      const { project_id, algorithm_id, event_dataset_id } = project;
      const before = await hours();
      const job = await succeed(service, '/submit-training-job', { project_id, algorithm_id, name: 'first' });
      assert.deepEqual(job.job_data, { algorithm_id, algorithm_type: 'G1', algorithm_parameters: {} });
      assert.equal(job.progress.fraction, 1);
      const ranHours = (job.finished_ts - job.started_ts) / 3_600_000;
      assert.ok(Math.abs((await hours()) - before - ranHours) < 1e-9, 'the whole time of the job is counted');
      const { model_id } = job.job_result;
      const { models } = await service.ok('GET', '/list-models', { project_id });
      assert.deepEqual(
        models.map((model: Record<string, unknown>) => [model.model_id, model.name, model.job_id, model.deployed]),
        [[model_id, 'first', job.job_id, false]],
      );

      await succeed(service, '/submit-deployment-job', { project_id, generator_model_id: model_id, qps: 1000 });
      for (const user of [0, 7, 14, 59]) assert.ok(isOfKind(await topOf(`u${user}`), user % 3), `u${user}`);
      for (const [n, kind] of [2, 0].entries()) {
        const event = { event_id: `new-${n}`, user_id: `new-${n}`, item_id: `i${kind}`, ts: 2e12, event_type: 'buy' };
        await service.ok('POST', '/upsert-dataset-events', { event_dataset_id, events: [event] });
        assert.ok(isOfKind(await topOf(`new-${n}`), kind));
      }
    });

    test('a model keeps its name when an update leaves it out', async () => {
      const { project_id } = project;
      const [model] = (await service.ok('GET', '/list-models', { project_id })).models;
      const { model_id } = model;
      assert.deepEqual(await service.ok('PUT', '/update-model', { project_id, model_id }), model);
      assert.deepEqual(await service.ok('PUT', '/update-model', { project_id, model_id, name: null }), model);
      const renamed = { ...model, name: 'second' };
      assert.deepEqual(await service.ok('PUT', '/update-model', { project_id, model_id, name: 'second' }), renamed);
      const { body } = await service.call('PUT', '/update-model', { project_id, model_id: 'mdl_none' });
      assert.equal(body.code, 'MODEL_NOT_FOUND');
    });

    test('data that cannot give a model fails the job at once, in plain words, and costs no hours', async () => {
      const { user_dataset_id, item_dataset_id, event_dataset_id } = project;
      const before = await hours();
      const { project_id } = await service.ok('POST', '/create-project', {
        name: 'no such events',
        project_type: 'RECOMMEND_ITEMS_TO_USER',
        user_dataset_id,
        item_dataset_id,
        event_dataset_id,
        target_event_type: 'never',
      });
      const { algorithm_id } = await service.ok('POST', '/create-algorithm', {
        project_id,
        name: 'a',
        algorithm_type: 'G1',
      });
      const { job_id } = await service.ok('POST', '/submit-training-job', { project_id, algorithm_id });
      const job = await ended(service, project_id, job_id);
      assert.equal(job.job_status, 'FAILED');
      assert.equal(job.retry_count, 0);
      assert.match(job.failure_reason.message, /never/);
      assert.equal(await hours(), before);
    });

    test('no training is taken when the hours of the plan are used up', async () => {
      await store.accounts.update(project.account_id, { plan: { max_training_hours: 0 } });
      const { project_id, algorithm_id } = project;
      const { status, body } = await service.call('POST', '/submit-training-job', { project_id, algorithm_id });
      assert.equal(status, 403);
      assert.equal(body.code, 'PLAN_LIMIT_EXCEEDED');
    });
  });
}
