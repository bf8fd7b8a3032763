// Models and deployments, on every dialect: what serves is switched at once, and no model goes that is in use.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Job } from '../../src/domain/job.ts';
import type { Model } from '../../src/domain/model.ts';
import { LONGEST_BACK_OFF_MS } from '../../src/store/job-queue.ts';
import { SqlAutomationStore } from '../../src/store/sql/sql-automation-store.ts';
import { newId } from '../support/new-ids.ts';
import { ACCOUNT, MAX_QPS, NOW, PAGE, QueuedJobs, REASON, RETRY } from '../support/queued-jobs.ts';
import { DIALECTS } from '../support/test-database.ts';

for (const dialect of DIALECTS) {
  describe(`models and deployments on ${dialect}`, () => {
    let made: QueuedJobs;
    before(async () => {
      made = await QueuedJobs.open(dialect);
      await made.addAccount('acc_2');
    });
    after(() => made.close());

    test('a candidate replaces what serves only when it is activated, and versions rise', async () => {
      const projectId = newId('project');
      const [first, second] = [await made.trained(projectId), await made.trained(projectId)];
      const one = await made.announced(first);
      assert.equal(await made.deployments.active(ACCOUNT, projectId), null);
      const hasServed = () => new SqlAutomationStore(made.database).hasServed(projectId);
      assert.equal(await hasServed(), false);
      assert.ok(await made.deployments.activate(one.lease, one.candidate, NOW));
      assert.equal(await hasServed(), true);
      assert.deepEqual(await made.deployments.activatedBy(one.job.job_id), { ...one.candidate, state: 'ACTIVE' });
      assert.equal(await made.jobs.cancel(ACCOUNT, projectId, one.job.job_id, NOW), 'switched');
      assert.ok(await made.queue.finish(one.lease, { result: {} }, NOW));

      const two = await made.announced(second, first);
      assert.equal(two.candidate.version, one.candidate.version + 1);
      const states = (await made.deployments.current()).filter((entry) => entry.project_id === projectId);
      assert.deepEqual(
        states.map((entry) => entry.state),
        ['ACTIVE', 'CANDIDATE'],
      );
      assert.ok(await made.deployments.activate(two.lease, two.candidate, NOW));
      assert.deepEqual(await made.deployments.active(ACCOUNT, projectId), { ...two.candidate, state: 'ACTIVE' });
      const { generator_model_id, ranker_model_id } = two.candidate;
      assert.deepEqual([generator_model_id, ranker_model_id], [second.model_id, first.model_id]);
      assert.ok(await made.queue.finish(two.lease, { result: {} }, NOW));
      const before = await made.deployments.epoch();
      const ended = await made.deployments.shutDown(ACCOUNT, projectId, NOW);
      assert.deepEqual(ended, { epoch: before + 1, cancelledJobs: [] });
      assert.equal(await made.deployments.active(ACCOUNT, projectId), null);
      assert.equal(await made.deployments.shutDown(ACCOUNT, projectId, NOW), null);
    });

    test('the oldest models that serve are told, and none that serves no more', async () => {
      const models: Model[] = [];
      for (let n = 0; n < 4; n++) {
        const model = await made.trained(newId('project'));
        const sql = 'UPDATE model SET created_ts = ? WHERE model_id = ?';
        // Older than those of other tests, the last the oldest.
        await made.database.atomic([{ sql, params: [100 - n, model.model_id] }]);
        models.push(model);
        const { lease, candidate } = await made.announced(model);
        if (n !== 1) assert.ok(await made.deployments.activate(lease, candidate, NOW));
        assert.ok(await made.queue.finish(lease, { result: {} }, NOW));
      }
      await made.deployments.shutDown(ACCOUNT, models[2].project_id, NOW);
      assert.deepEqual(await made.deployments.oldestModels(2), [
        { project_id: models[3].project_id, trained_ts: 97 },
        { project_id: models[0].project_id, trained_ts: 100 },
      ]);
      assert.equal((await made.deployments.oldestModels(1)).length, 1);
    });

    test('the candidate of a job that was canceled counts no more and cannot be activated', async () => {
      const projectId = newId('project');
      const [served, model] = [await made.trained(projectId), await made.trained(projectId)];
      const before = await made.announced(served);
      assert.ok(await made.deployments.activate(before.lease, before.candidate, NOW));
      assert.ok(await made.queue.finish(before.lease, { result: {} }, NOW));
      const { job, lease, candidate } = await made.announced(model);
      await made.submit('QUERYING');
      const running = await made.claim('QUERYING');
      await made.jobs.cancel(ACCOUNT, projectId, job.job_id, NOW);
      assert.equal((await made.deployments.current()).filter((entry) => entry.project_id === projectId).length, 1);
      const elsewhere = await made.announced(await made.trained(newId('project')));
      assert.ok(await made.deployments.activate(elsewhere.lease, elsewhere.candidate, NOW));
      assert.ok(await made.queue.finish(elsewhere.lease, { result: {} }, NOW));
      const chosen = async () => (await made.accounts.get(ACCOUNT))?.default_project_id;
      const sql = 'UPDATE account SET default_project_id = NULL WHERE account_id = ?';
      await made.database.atomic([{ sql, params: [ACCOUNT] }]);
      const asFirst = { ...candidate, version: elsewhere.candidate.version, project_id: newId('project') };
      assert.equal(await made.deployments.activate(lease, asFirst, NOW), false);
      assert.equal(await chosen(), null, 'a project of which nothing serves is no default');
      assert.equal(await made.deployments.activate(lease, candidate, NOW), false);
      assert.equal((await made.deployments.active(ACCOUNT, projectId))?.generator_model_id, served.model_id);
      assert.equal(await made.deployments.announce(lease, candidate), 'lost');
      assert.equal(typeof (await made.models.delete(ACCOUNT, projectId, model.model_id)), 'object', 'it is in no use');
      await made.queue.fail(running.lease, REASON, NOW);
    });

    for (const ranked of [false, true]) {
      test(`a job that is tried again announces a new candidate in place of its first, ${ranked ? 'with' : 'without'} a ranker`, async () => {
        const projectId = newId('project');
        const ranker = ranked ? await made.trained(projectId) : null;
        const first = await made.announced(await made.trained(projectId), ranker);
        await made.submit('QUERYING');
        const running = await made.claim('QUERYING');
        assert.ok(await made.queue.retry(first.lease, RETRY));
        const { lease } = await made.claim('DEPLOYMENT');
        const second = await made.deployments.announce(lease, first.candidate);
        assert.ok(typeof second === 'object');
        const current = async () => {
          const rows = (await made.deployments.current()).filter((entry) => entry.project_id === projectId);
          return rows.map(({ version, state }) => `${version} ${state}`);
        };
        assert.deepEqual(await current(), ['2 CANDIDATE']);
        assert.equal(await made.deployments.announce(first.lease, first.candidate), 'lost');
        assert.deepEqual(await current(), ['2 CANDIDATE'], 'whoever lost the job changes nothing');
        await made.queue.fail(running.lease, REASON, NOW);
        assert.equal(await made.deployments.activate(lease, first.candidate, NOW), false);
        assert.ok(await made.deployments.activate(lease, second, NOW));
        assert.ok(await made.queue.finish(lease, { result: {} }, NOW));
      });
    }

    test('a shutdown ends what serves and every deployment submitted before it, wherever that is', async () => {
      const shutDown = async (projectId: string, job: Job): Promise<void> => {
        const ended = await made.deployments.shutDown(ACCOUNT, projectId, NOW);
        assert.deepEqual(ended?.cancelledJobs, [job.job_id]);
        const read = await made.read(job);
        assert.equal(read.job_status, 'CANCELLED');
        assert.equal(read.failure_reason?.code, 'DEPLOYMENT_SHUT_DOWN');
        assert.equal(read.finished_ts, NOW);
        assert.equal(await made.queue.claim('worker', ['DEPLOYMENT'], NOW + LONGEST_BACK_OFF_MS), null);
        assert.equal(await made.deployments.active(ACCOUNT, projectId), null);
      };
      const model = await made.trained(newId('project'));
      const projectId = model.project_id;

      await shutDown(projectId, await made.submit('DEPLOYMENT', projectId));

      // While the nodes load it.
      const loading = await made.announced(model);
      await shutDown(projectId, loading.job);
      assert.equal(await made.deployments.activate(loading.lease, loading.candidate, NOW), false);
      assert.equal(await made.queue.retry(loading.lease, RETRY), false);
      assert.equal(await made.deployments.announce(loading.lease, loading.candidate), 'lost');

      // After the switch, while the job waits for the nodes to serve it.
      const switched = await made.announced(model);
      assert.ok(await made.deployments.activate(switched.lease, switched.candidate, NOW));
      await shutDown(projectId, switched.job);
      assert.equal(await made.queue.finish(switched.lease, { result: {} }, NOW), false);
      assert.equal(await made.queue.takeBackFrom('worker', RETRY), 0);

      // After its worker was lost: it waits for another try.
      const lost = await made.announced(model);
      assert.ok(await made.deployments.activate(lost.lease, lost.candidate, NOW));
      assert.ok(await made.queue.retry(lost.lease, RETRY));
      await shutDown(projectId, lost.job);
      assert.equal(await made.deployments.activatedBy(lost.job.job_id), null);

      const later = await made.announced(model);
      assert.ok(await made.deployments.activate(later.lease, later.candidate, NOW), 'what is submitted later serves');
      assert.ok(await made.queue.finish(later.lease, { result: {} }, NOW));
    });

    test('shutting down and switching at the same moment never leaves a deployment that serves', async () => {
      const model = await made.trained(newId('project'));
      for (let round = 0; round < 20; round++) {
        const { job, lease, candidate } = await made.announced(model);
        const [ended] = await Promise.all([
          made.deployments.shutDown(ACCOUNT, model.project_id, NOW),
          made.deployments.activate(lease, candidate, NOW),
        ]);
        assert.deepEqual(ended?.cancelledJobs, [job.job_id]);
        assert.equal(await made.deployments.active(ACCOUNT, model.project_id), null);
        assert.equal((await made.read(job)).job_status, 'CANCELLED');
      }
    });

    for (const ranked of [false, true]) {
      test(`a deployment without qps keeps the rate of the last one that served, ${ranked ? 'with' : 'without'} a ranker`, async () => {
        const model = await made.trained(newId('project'));
        const ranker = await made.trained(model.project_id);
        const deployed = async (qps: number | null, serves = true): Promise<number> => {
          const { lease, candidate } = await made.announced(model, ranked ? ranker : null, qps);
          if (serves) {
            assert.ok(await made.deployments.activate(lease, candidate, NOW));
            assert.ok(await made.queue.finish(lease, { result: {} }, NOW));
          } else {
            await made.deployments.withdraw(candidate);
            await made.queue.fail(lease, REASON, NOW);
          }
          return candidate.qps;
        };
        assert.equal(await deployed(null), MAX_QPS);
        assert.equal(await deployed(7), 7);
        assert.equal(await deployed(9, false), 9);
        assert.equal(await deployed(null), 7);
        await made.deployments.shutDown(ACCOUNT, model.project_id, NOW);
        assert.equal(await deployed(null), 7);
        await made.accounts.update(ACCOUNT, { plan: { max_qps: 3 } });
        assert.equal(await deployed(null), 3, 'never more than the plan allows');
        await made.accounts.update(ACCOUNT, { plan: { max_qps: MAX_QPS } });
      });
    }

    test('a model is deleted only while no deployment uses it in either role', async () => {
      const projectId = newId('project');
      const [generator, ranker] = [await made.trained(projectId), await made.trained(projectId)];
      const idle = await made.trained(projectId);
      const { lease, candidate } = await made.announced(generator, ranker);
      assert.equal(await made.models.delete(ACCOUNT, projectId, ranker.model_id), 'deployed');
      await made.deployments.activate(lease, candidate, NOW);
      await made.queue.finish(lease, { result: {} }, NOW);
      for (const model of [generator, ranker]) {
        assert.equal(await made.models.delete(ACCOUNT, projectId, model.model_id), 'deployed');
        assert.equal((await made.models.get(ACCOUNT, projectId, model.model_id))?.deployed, true);
      }
      assert.equal((await made.models.get(ACCOUNT, projectId, idle.model_id))?.deployed, false);
      assert.equal(typeof (await made.models.delete(ACCOUNT, projectId, idle.model_id)), 'object');
      await made.deployments.shutDown(ACCOUNT, projectId, NOW);
      const deleted = await made.models.delete(ACCOUNT, projectId, generator.model_id);
      assert.ok(typeof deleted === 'object' && deleted !== null);
      assert.equal(deleted.model.artifact_key, generator.artifact_key);
      assert.deepEqual(await made.models.existing([generator.model_id, ranker.model_id]), new Set([ranker.model_id]));
      assert.equal(await made.models.delete(ACCOUNT, projectId, generator.model_id), null);
      assert.deepEqual(
        await made.models.knownArtifacts([generator.artifact_key, ranker.artifact_key]),
        new Set([ranker.artifact_key]),
      );
    });

    test('a model that is gone cannot be announced', async () => {
      const projectId = newId('project');
      const [model, kept] = [await made.trained(projectId), await made.trained(projectId)];
      await made.models.delete(ACCOUNT, projectId, model.model_id);
      await made.submit('DEPLOYMENT', projectId);
      const { job, lease } = await made.claim('DEPLOYMENT');
      const announced = { account_id: ACCOUNT, project_id: projectId, qps: 1, job_id: job.job_id, created_ts: NOW };
      for (const models of [
        { generator_model_id: model.model_id, ranker_model_id: null },
        { generator_model_id: kept.model_id, ranker_model_id: model.model_id },
      ]) {
        assert.equal(await made.deployments.announce(lease, { ...announced, ...models }), 'missing-model');
      }
      assert.equal((await made.deployments.current()).filter((entry) => entry.project_id === projectId).length, 0);
      await made.queue.fail(lease, REASON, NOW);
    });

    test('a candidate is taken back for its project alone', async () => {
      const [one, other] = [await made.trained(newId('project')), await made.trained(newId('project'))];
      const announced = [await made.announced(one), await made.announced(other)];
      await made.deployments.withdraw(announced[1].candidate);
      const [left, gone] = announced.map(({ lease, candidate }) => made.deployments.activate(lease, candidate, NOW));
      assert.deepEqual([await gone, await left], [false, true]);
      for (const { lease } of announced) await made.queue.fail(lease, REASON, NOW);
    });

    test('only the name of a model changes', async () => {
      const projectId = newId('project');
      const model = await made.trained(projectId);
      const renamed = await made.models.rename(ACCOUNT, projectId, model.model_id, 'another');
      assert.deepEqual(renamed, { ...model, name: 'another', deployed: false });
      assert.equal(await made.models.rename('acc_2', projectId, model.model_id, 'x'), null);
      assert.equal(await made.models.rename(ACCOUNT, newId('project'), model.model_id, 'x'), null);
      assert.deepEqual((await made.models.list(ACCOUNT, projectId, PAGE)).entries, [renamed]);
    });

    test('a node is known from its first heartbeat until it leaves or is seen dead', async () => {
      const { nodes } = made;
      await nodes.beat('node-1', { epoch: 3, projects: {} }, NOW);
      const [seen] = await nodes.list();
      await nodes.beat('node-1', { epoch: 4, projects: { prj_1: { serving: 2, prepared: 2 } } }, NOW);
      await nodes.removeDead(seen);
      const [again] = await nodes.list();
      assert.equal(again.heartbeat, seen.heartbeat + 1);
      assert.equal(again.epoch, 4);
      assert.deepEqual(again.projects, { prj_1: { serving: 2, prepared: 2 } });
      await nodes.beat('node-2', { epoch: 4, projects: {} }, again.heartbeat);
      await nodes.removeDead(again);
      const left = (await nodes.list()).map(({ nodeId, heartbeat }) => [nodeId, heartbeat]);
      assert.deepEqual(left, [['node-2', again.heartbeat]], 'another with the same heartbeat stays');
      await nodes.remove('node-2');
    });

    test('a node that was removed and has come back is not removed by one who saw it before', async () => {
      const { nodes } = made;
      await nodes.beat('node-1', { epoch: 3, projects: {} }, NOW);
      const [seen] = await nodes.list();
      await nodes.removeDead(seen);
      await nodes.beat('node-1', { epoch: 3, projects: {} }, NOW + 20_000);
      await nodes.removeDead(seen);
      assert.equal((await nodes.list()).length, 1);
      await nodes.beat('node-2', { epoch: 3, projects: {} }, NOW);
      await nodes.remove('node-1');
      assert.deepEqual(
        (await nodes.list()).map(({ nodeId }) => nodeId),
        ['node-2'],
      );
      await nodes.remove('node-2');
    });

    test('what served before is told with its ranker, or that it had none', async () => {
      const projectId = newId('project');
      const models: Model[] = [];
      for (let n = 0; n < 4; n++) models.push(await made.trained(projectId));
      const [first, ranker, second, third] = models;
      const deploy = async (generator: Model, ranked: Model | null) => {
        const { lease, candidate } = await made.announced(generator, ranked);
        assert.ok(await made.deployments.activate(lease, candidate, NOW));
        await made.queue.finish(lease, { result: {} }, NOW);
      };
      const earlier = () => new SqlAutomationStore(made.database).earlierDeployment(ACCOUNT, projectId);
      await deploy(first, ranker);
      assert.equal(await earlier(), null);
      await deploy(second, null);
      const ofFirst = { generator_model_id: first.model_id, ranker_model_id: ranker.model_id };
      assert.deepEqual(await earlier(), { ...ofFirst, version: 1 });
      await deploy(third, null);
      const ofSecond = { generator_model_id: second.model_id, ranker_model_id: null };
      assert.deepEqual(await earlier(), { ...ofSecond, version: 2 });
      await made.deployments.shutDown(ACCOUNT, projectId, NOW);
      assert.equal(await earlier(), null, 'nothing serves, so nothing served before it');
    });
  });
}
