// An acknowledged shutdown stays down, whatever the deployment job was doing, also when its worker was killed: on every database.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { NodeProjectState } from '../../src/store/node-store.ts';
import { openStore } from '../../src/store/open-store.ts';
import type { Store } from '../../src/store/store.ts';
import { plantModel } from '../support/plant-model.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { createTasteProject, ended, succeed, type TasteProject, tasteModel } from '../support/taste-project.ts';
import { DIALECTS_OF_LONG_SUITES, newTestPlace, type TestPlace } from '../support/test-database.ts';

for (const dialect of DIALECTS_OF_LONG_SUITES) {
  describe(`shutdown on ${dialect}`, () => {
    let place: TestPlace;
    let service: TestService;
    let store: Store;
    let project: TasteProject;
    let model: { project_id: string; generator_model_id: string };

    before(async () => {
      place = await newTestPlace(dialect);
      service = await startTestService({
        KINDRED_ROLES: 'api,worker',
        KINDRED_JOB_LEASE_SECONDS: '3',
        ...place.env,
      });
      store = await openStore(place);
      project = await createTasteProject(service);
      const { modelId } = await plantModel(place, project, tasteModel());
      model = { project_id: project.project_id, generator_model_id: modelId };
    });
    after(async () => {
      await store.close();
      await service.stop();
      await place.remove();
    });

    const shutDown = () => service.call('DELETE', '/shutdown-deployment', { project_id: project.project_id });
    const submit = async (): Promise<string> => (await service.ok('POST', '/submit-deployment-job', model)).job_id;
    const read = (job_id: string) => service.ok('GET', '/get-job', { project_id: project.project_id, job_id });

    async function staysDown(): Promise<void> {
      for (let look = 0; look < 8; look++) {
        const { status } = await service.call('POST', '/recommend-items-to-user', {
          user_id: 'u1',
          project_id: project.project_id,
        });
        assert.equal(status, 409);
        await delay(100);
      }
    }

    /** A node that lives and follows, but never gets further with a deployment: the job waits for it. */
    function slowNode(state: NodeProjectState): { leave(): Promise<void> } {
      const projects = { [project.project_id]: state };
      const beat = () => store.nodes.beat('slow', { epoch: Number.MAX_SAFE_INTEGER, projects }, Date.now());
      let beating = beat();
      const timer = setInterval(() => {
        beating = beat();
      }, 200);
      return {
        async leave() {
          clearInterval(timer);
          await beating;
          await store.nodes.remove('slow');
        },
      };
    }

    /** At that try or a later one: a pause longer than the lease is a retry too. */
    async function untilItWaits(jobId: string, retryCount: number): Promise<void> {
      for (;;) {
        const job = await read(jobId);
        if (job.retry_count >= retryCount && job.progress.phase === 'nodes') return;
        assert.ok(['PENDING', 'RUNNING'].includes(job.job_status), job.job_status);
        await delay(20);
      }
    }

    async function killWorkerOf(jobId: string): Promise<void> {
      const [row] = await store.database.all('SELECT worker_id FROM job WHERE job_id = ?', [jobId]);
      process.kill(Number(/-(\d+)-\w+$/.exec(String(row.worker_id))![1]), 'SIGKILL');
    }

    test('at any moment of a deployment', async () => {
      for (const waitMs of [0, 40, 80, 160, 320, 640]) {
        const jobId = await submit();
        await delay(waitMs);
        assert.equal((await shutDown()).status, 200);
        const job = await read(jobId);
        assert.ok(['CANCELLED', 'SUCCEED'].includes(job.job_status), job.job_status);
        if (job.job_status === 'CANCELLED') assert.equal(job.failure_reason.code, 'DEPLOYMENT_SHUT_DOWN');
        await staysDown();
        assert.equal((await read(jobId)).job_status, job.job_status);
        assert.equal((await shutDown()).status, 409);
      }
    });

    test('also when a repeated call finds that a first one, whose response was lost, has done it', async () => {
      await succeed(service, '/submit-deployment-job', model);
      await store.deployments.shutDown(project.account_id, project.project_id, Date.now());
      assert.equal((await shutDown()).status, 409);
      await staysDown();
    });

    test('while the nodes get ready, on a second try after the worker was killed', async () => {
      const slow = slowNode({ serving: 0, prepared: 0 });
      const jobId = await submit();
      await untilItWaits(jobId, 0);
      await killWorkerOf(jobId);
      await untilItWaits(jobId, 1);
      assert.equal((await shutDown()).status, 200);
      assert.equal((await read(jobId)).job_status, 'CANCELLED');
      await slow.leave();
      await staysDown();
      assert.equal((await read(jobId)).job_status, 'CANCELLED');
    });

    test('after the switch, when the worker is killed before the job has ended', async () => {
      const slow = slowNode({ serving: 0, prepared: Number.MAX_SAFE_INTEGER });
      const jobId = await submit();
      while ((await store.deployments.activatedBy(jobId)) === null) await delay(20);
      await killWorkerOf(jobId);
      while ((await read(jobId)).retry_count === 0) await delay(20);
      assert.equal((await shutDown()).status, 200);
      assert.equal((await read(jobId)).job_status, 'CANCELLED');
      await slow.leave();
      await staysDown();
      assert.equal((await read(jobId)).job_status, 'CANCELLED');
    });

    test('a deployment submitted afterwards serves', async () => {
      await succeed(service, '/submit-deployment-job', model);
      await service.ok('POST', '/recommend-items-to-user', { user_id: 'u1', project_id: project.project_id });
      const jobId = await submit();
      assert.equal((await ended(service, project.project_id, jobId)).job_status, 'SUCCEED');
    });
  });
}
