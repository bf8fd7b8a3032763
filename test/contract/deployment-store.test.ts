// Models and deployments, on every dialect: what serves is switched at once, and no model goes that is in use.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { newId } from '../../src/domain/ids.ts';
import { ACCOUNT, NOW, PAGE, QueuedJobs, REASON } from '../support/queued-jobs.ts';
import { DIALECTS } from '../support/test-database.ts';

for (const dialect of DIALECTS) {
  describe(`models and deployments on ${dialect}`, () => {
    let made: QueuedJobs;
    before(async () => {
      made = await QueuedJobs.open(dialect);
    });
    after(() => made.close());

    test('a candidate replaces what serves only when it is activated, and versions rise', async () => {
      const projectId = newId('project');
      const [first, second] = [await made.trained(projectId), await made.trained(projectId)];
      const one = await made.announced(first);
      assert.equal(await made.deployments.active(ACCOUNT, projectId), null);
      assert.ok(await made.deployments.activate(one.lease, one.candidate));
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
      assert.ok(await made.deployments.activate(two.lease, two.candidate));
      assert.equal((await made.deployments.active(ACCOUNT, projectId))?.generator_model_id, second.model_id);
      assert.ok(await made.queue.finish(two.lease, { result: {} }, NOW));
      assert.equal((await made.deployments.shutDown(ACCOUNT, projectId))?.version, two.candidate.version);
      assert.equal(await made.deployments.active(ACCOUNT, projectId), null);
      assert.equal(await made.deployments.shutDown(ACCOUNT, projectId), null);
    });

    test('the candidate of a job that was cancelled counts no more and cannot be activated', async () => {
      const projectId = newId('project');
      const model = await made.trained(projectId);
      const { job, lease, candidate } = await made.announced(model);
      await made.jobs.cancel(ACCOUNT, projectId, job.job_id, NOW);
      assert.equal((await made.deployments.current()).filter((entry) => entry.project_id === projectId).length, 0);
      assert.equal(await made.deployments.activate(lease, candidate), false);
      assert.equal(await made.deployments.active(ACCOUNT, projectId), null);
      assert.equal(await made.deployments.announce(lease, candidate), 'lost');
    });

    test('a model is deleted only while no deployment uses it in either role', async () => {
      const projectId = newId('project');
      const [generator, ranker] = [await made.trained(projectId), await made.trained(projectId)];
      const { lease, candidate } = await made.announced(generator, ranker);
      assert.equal(await made.models.delete(ACCOUNT, projectId, ranker.model_id), 'deployed');
      await made.deployments.activate(lease, candidate);
      await made.queue.finish(lease, { result: {} }, NOW);
      for (const model of [generator, ranker]) {
        assert.equal(await made.models.delete(ACCOUNT, projectId, model.model_id), 'deployed');
        assert.equal((await made.models.get(ACCOUNT, projectId, model.model_id))?.deployed, true);
      }
      await made.deployments.shutDown(ACCOUNT, projectId);
      const deleted = await made.models.delete(ACCOUNT, projectId, generator.model_id);
      assert.ok(typeof deleted === 'object' && deleted !== null);
      assert.equal(deleted.artifact_key, generator.artifact_key);
      assert.equal(await made.models.delete(ACCOUNT, projectId, generator.model_id), null);
      assert.deepEqual(
        await made.models.knownArtifacts([generator.artifact_key, ranker.artifact_key]),
        new Set([ranker.artifact_key]),
      );
    });

    test('a model that is gone cannot be announced', async () => {
      const projectId = newId('project');
      const model = await made.trained(projectId);
      await made.models.delete(ACCOUNT, projectId, model.model_id);
      await made.submit('DEPLOYMENT', projectId);
      const { job, lease } = await made.claim('DEPLOYMENT');
      assert.equal(
        await made.deployments.announce(lease, {
          account_id: ACCOUNT,
          project_id: projectId,
          generator_model_id: model.model_id,
          ranker_model_id: null,
          qps: 1,
          job_id: job.job_id,
          created_ts: NOW,
        }),
        'missing-model',
      );
      await made.queue.fail(lease, REASON, NOW);
    });

    test('only the name of a model changes', async () => {
      const projectId = newId('project');
      const model = await made.trained(projectId);
      const renamed = await made.models.rename(ACCOUNT, projectId, model.model_id, 'another');
      assert.deepEqual(renamed, { ...model, name: 'another', deployed: false });
      assert.equal(await made.models.rename('acc_2', projectId, model.model_id, 'x'), null);
      assert.deepEqual((await made.models.list(ACCOUNT, projectId, PAGE)).entries, [renamed]);
    });

    test('a node is known from its first heartbeat until it leaves or is seen dead', async () => {
      const { nodes } = made;
      await nodes.beat('node-1', { projects: {} }, NOW);
      const [seen] = await nodes.list();
      await nodes.beat('node-1', { projects: { prj_1: { serving: 2, prepared: 2 } } }, NOW);
      await nodes.removeDead(seen);
      const [again] = await nodes.list();
      assert.equal(again.heartbeat, seen.heartbeat + 1);
      assert.deepEqual(again.projects, { prj_1: { serving: 2, prepared: 2 } });
      await nodes.removeDead(again);
      assert.deepEqual(await nodes.list(), []);
    });
  });
}
