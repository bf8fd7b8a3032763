// What becomes of a job whose worker is killed or stopped, or that is canceled, with real processes on every database.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { openStore } from '../../src/store/open-store.ts';
import type { Store } from '../../src/store/store.ts';
import { type ServiceProcess, startServiceProcess } from '../support/service.ts';
import { createTasteProject, ended, isOfKind, succeed, type TasteProject } from '../support/taste-project.ts';
import { DIALECTS, newTestPlace, type TestPlace } from '../support/test-database.ts';

for (const dialect of DIALECTS) {
  describe(`struck workers on ${dialect}`, () => {
    let place: TestPlace;
    let env: Record<string, string>;
    let service: ServiceProcess;
    let project: TasteProject;
    /** The service's, open all the time, so that a job can be struck as soon as it runs. */
    let store: Store;

    before(async () => {
      place = await newTestPlace(dialect);
      env = {
        KINDRED_ROLES: 'api,worker',
        KINDRED_LOG_LEVEL: 'warn',
        KINDRED_JOB_LEASE_SECONDS: '10',
        ...place.env,
      };
      service = await startServiceProcess(env);
      project = await createTasteProject(service);
      store = await openStore(place);
      const { project_id, algorithm_id } = project;
      const { job_result } = await succeed(service, '/submit-training-job', { project_id, algorithm_id });
      const deployment = { project_id, generator_model_id: job_result.model_id, qps: 1000 };
      await succeed(service, '/submit-deployment-job', deployment);
    });
    after(async () => {
      await store.close();
      await service.terminate();
      await place.remove();
    });

    const submit = async (): Promise<string> => {
      const { project_id, algorithm_id } = project;
      return (await service.ok('POST', '/submit-training-job', { project_id, algorithm_id })).job_id;
    };
    /** The process that runs the job, as soon as one does; null when the job has ended already. */
    const workerOf = async (jobId: string): Promise<number | null> => {
      for (;;) {
        const [row] = await store.database.all('SELECT worker_id, job_status FROM job WHERE job_id = ?', [jobId]);
        const pid = /-(\d+)-[0-9a-f]+$/.exec(String(row.worker_id))?.[1];
        if (pid) return Number(pid);
        if (row.job_status === 'SUCCEED') return null;
        await delay(2);
      }
    };
    /** A job whose worker was killed. One may have ended before the blow falls: then the next one is struck. */
    const struckJob = async (submitJob: () => Promise<string>) => {
      for (;;) {
        const jobId = await submitJob();
        const pid = await workerOf(jobId);
        if (pid !== null) process.kill(pid, 'SIGKILL');
        const job = await ended(service, project.project_id, jobId);
        assert.equal(job.job_status, 'SUCCEED');
        if (job.retry_count === 1) return job;
        assert.equal(job.retry_count, 0);
      }
    };

    test('a worker killed in the middle is replaced, and the job tried again succeeds', async () => {
      await struckJob(submit);
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
        const struck = await struckJob(async () => (await service.ok('POST', path, body)).job_id);
        assert.deepEqual(await resultOf(struck), undisturbed);
      });
    }

    test('a job can be canceled while it runs, and the next one runs', async () => {
      const { project_id } = project;
      const cancelRunning = async (): Promise<string> => {
        for (;;) {
          const job_id = await submit();
          await workerOf(job_id);
          const { body } = await service.call('POST', '/cancel-job', { project_id, job_id });
          if (body.job_status === 'CANCELLED') return job_id;
          assert.equal(body.code, 'JOB_FINISHED', 'it ended a moment before');
        }
      };
      const jobId = await cancelRunning();
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
      const { results } = await service.ok('POST', '/recommend-items-to-user', { user_id: 'u7', limit: 1 });
      assert.ok(isOfKind(results[0].item.item_id, 1), 'what was deployed is served again');
    });
  });
}
