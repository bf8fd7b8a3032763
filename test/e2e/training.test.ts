// The whole road, over HTTP and with real processes: data → training → deployment → recommendation, on every database; and what
// becomes of a job whose worker is killed, stopped, or that is cancelled.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { openStore } from '../../src/store/open-store.ts';
import type { Store } from '../../src/store/store.ts';
import { type ServiceProcess, startServiceProcess } from '../support/service.ts';
import { createTasteProject, ended, isOfKind, succeed, type TasteProject } from '../support/taste-project.ts';
import { DIALECTS_OF_LONG_SUITES, newTestPlace, type TestPlace } from '../support/test-database.ts';

for (const dialect of DIALECTS_OF_LONG_SUITES) {
  describe(`training on ${dialect}`, () => {
    let place: TestPlace;
    let env: Record<string, string>;
    let service: ServiceProcess;
    let project: TasteProject;
    /** The service's, open all the time, so that a job can be struck as soon as it runs. */
    let store: Store;

    before(async () => {
      place = await newTestPlace(dialect);
      env = {
        KINDRED_DATA_DIR: place.dataDir,
        KINDRED_ROLES: 'api,worker',
        KINDRED_LOG_LEVEL: 'warn',
        KINDRED_JOB_LEASE_SECONDS: '3',
        ...(place.databaseUrl && { KINDRED_DATABASE_URL: place.databaseUrl }),
      };
      service = await startServiceProcess(env);
      project = await createTasteProject(service);
      store = await openStore(place);
    });
    after(async () => {
      await store.close();
      await service.terminate();
      await place.remove();
    });

    const submit = async (more: Record<string, unknown> = {}): Promise<string> => {
      const { project_id, algorithm_id } = project;
      return (await service.ok('POST', '/submit-training-job', { project_id, algorithm_id, ...more })).job_id;
    };
    const hours = async (): Promise<number> => (await service.ok('GET', '/get-account')).usage.training_hours;
    const topOf = async (user_id: string): Promise<string> =>
      (await service.ok('POST', '/recommend-items-to-user', { user_id, limit: 1 })).results[0].item.item_id;
    /** The process that runs the job, as soon as one does. */
    const workerOf = async (jobId: string): Promise<number> => {
      for (;;) {
        const [row] = await store.database.all('SELECT worker_id FROM job WHERE job_id = ?', [jobId]);
        const pid = /-(\d+)-[0-9a-f]+$/.exec(String(row.worker_id))?.[1];
        if (pid) return Number(pid);
        await delay(2);
      }
    };

    test('from data to recommendations, and a new event changes the next list', async () => {
      const { project_id, algorithm_id, event_dataset_id } = project;
      const before = await hours();
      const job = await succeed(service, '/submit-training-job', { project_id, algorithm_id, name: 'first' });
      assert.deepEqual(job.job_data, { algorithm_id, algorithm_type: 'G1', algorithm_parameters: {} });
      assert.equal(job.progress.fraction, 1);
      assert.ok((await hours()) > before);
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

    test('a worker killed in the middle is replaced, and the job tried again succeeds', async () => {
      const jobId = await submit();
      process.kill(await workerOf(jobId), 'SIGKILL');
      const job = await ended(service, project.project_id, jobId);
      assert.equal(job.job_status, 'SUCCEED');
      assert.equal(job.retry_count, 1);
    });

    for (const [what, path, asked] of [
      [
        'querying',
        '/submit-querying-job',
        { query_type: 'user_list', queries: [{ conditions: [{ attribute: 'genre', value: 'Drama' }] }] },
      ],
      ['clustering', '/submit-clustering-job', { cluster_type: 'user', parameters: { min_user_num: 2 } }],
    ] as const) {
      test(`a worker killed in the middle of ${what} is replaced, and the result is that of an undisturbed job`, async () => {
        const { project_id } = project;
        const { models } = await service.ok('GET', '/list-models', { project_id });
        const body = { project_id, model_id: models[0].model_id, ...asked };
        /** All of it but whose it is and when it was made. */
        const resultOf = async ({ job_result }: { job_result: { download_url: string } }) => {
          const result = (await (await fetch(job_result.download_url)).json()) as object;
          return { ...result, job_id: null, created_ts: null };
        };
        const undisturbed = await resultOf(await succeed(service, path, body));
        // A job may have ended before the blow falls: then the next one is struck.
        for (;;) {
          const { job_id } = await service.ok('POST', path, body);
          process.kill(await workerOf(job_id), 'SIGKILL');
          const job = await ended(service, project_id, job_id);
          assert.equal(job.job_status, 'SUCCEED');
          assert.deepEqual(await resultOf(job), undisturbed);
          if (job.retry_count === 1) break;
          assert.equal(job.retry_count, 0);
        }
      });
    }

    test('a job can be cancelled while it runs, and the next one runs', async () => {
      const { project_id } = project;
      const jobId = await submit();
      await workerOf(jobId);
      const cancelled = await service.ok('POST', '/cancel-job', { project_id, job_id: jobId });
      assert.equal(cancelled.job_status, 'CANCELLED');
      const again = await service.call('POST', '/cancel-job', { project_id, job_id: jobId });
      assert.equal(again.body.code, 'JOB_FINISHED');
      const next = await ended(service, project_id, await submit());
      assert.equal(next.job_status, 'SUCCEED');
      const { models } = await service.ok('GET', '/list-models', { project_id });
      assert.ok(!models.some(({ job_id }: { job_id: string }) => job_id === jobId));
    });

    test('SIGTERM hands the running job back, and after the restart it succeeds without a retry', async () => {
      const jobId = await submit();
      await workerOf(jobId);
      assert.equal(await service.terminate(), 0);
      service = await startServiceProcess(env);
      const job = await ended(service, project.project_id, jobId);
      assert.equal(job.job_status, 'SUCCEED');
      assert.equal(job.retry_count, 0);
      assert.ok(isOfKind(await topOf('u7'), 1), 'what was deployed is served again');
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
