// The queue's promises, on every dialect: one holder, fenced writes, results published once, no clock in a lease.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { newId } from '../../src/domain/ids.ts';
import { type Job, type JobType, MAX_RETRIES } from '../../src/domain/job.ts';
import type { Model } from '../../src/domain/model.ts';
import type { Database } from '../../src/store/database.ts';
import { DeploymentStore } from '../../src/store/deployment-store.ts';
import { type ClaimedJob, JobQueue, LONGEST_BACK_OFF_MS } from '../../src/store/job-queue.ts';
import { type JobFilter, JobStore } from '../../src/store/job-store.ts';
import { ModelStore } from '../../src/store/model-store.ts';
import { NodeStore } from '../../src/store/node-store.ts';
import { DIALECTS, openTestDatabase } from '../support/test-database.ts';

const ACCOUNT = 'acc_1';
const PAGE = { page_size: 1000, page_token: null };
const REASON = { code: 'UNEXPECTED_ERROR', message: 'It broke.' };
const PROGRESS = { fraction: 0.5, phase: 'fit', message: 'half way' };
const NOW = 1_700_000_000_000;

for (const dialect of DIALECTS) {
  describe(`jobs, models and deployments on ${dialect}`, () => {
    let database: Database;
    let close: () => Promise<void>;
    let jobs: JobStore;
    let queue: JobQueue;
    let models: ModelStore;
    let deployments: DeploymentStore;

    before(async () => {
      ({ database, close } = await openTestDatabase(dialect));
      jobs = new JobStore(database);
      queue = new JobQueue(database);
      models = new ModelStore(database);
      deployments = new DeploymentStore(database);
      await database.atomic([
        {
          sql: `INSERT INTO account (account_id, name, max_event_shards, max_training_hours, max_qps, disabled, created_ts,
                  training_hours) VALUES (?, ?, 1, 1, 1, 0, 1, 0)`,
          params: [ACCOUNT, 'test'],
        },
      ]);
    });
    after(() => close());

    // Every test has its own project, and claims are by type alone: so no test may leave a job of its type pending.
    const submit = async (jobType: JobType, projectId = newId('project')): Promise<Job> => {
      const job: Job = {
        account_id: ACCOUNT,
        project_id: projectId,
        job_id: newId('job'),
        job_type: jobType,
        name: 'a job',
        created_ts: NOW,
        job_data: { given: true },
        job_result: null,
        job_status: 'PENDING',
        retry_count: 0,
        progress: { fraction: 0, phase: 'waiting', message: '' },
        started_ts: null,
        finished_ts: null,
        failure_reason: null,
      };
      await database.atomic([
        {
          sql: `INSERT INTO project (project_id, account_id, name, project_type, user_dataset_id, item_dataset_id,
                  event_dataset_id, target_event_type, created_ts) VALUES (?, ?, 'p', 'RECOMMEND_ITEMS_TO_USER', '', '', '', '', 1)
                ON CONFLICT DO NOTHING`,
          params: [projectId, ACCOUNT],
        },
      ]);
      assert.ok(await jobs.submit(job));
      return job;
    };
    const claim = async (jobType: JobType, nowMs = NOW): Promise<ClaimedJob> => {
      const claimed = await queue.claim('worker', [jobType], nowMs);
      assert.ok(claimed, 'there is a job to claim');
      return claimed;
    };
    const read = async (job: Job): Promise<Job> => {
      const found = await jobs.get(ACCOUNT, job.project_id, job.job_id);
      assert.ok(found);
      return found;
    };
    const modelOf = (job: Job): Model => ({
      account_id: ACCOUNT,
      project_id: job.project_id,
      model_id: newId('model'),
      name: job.name,
      algorithm_type: 'G1',
      algorithm_parameters: { seed: 1 },
      created_ts: NOW,
      job_id: job.job_id,
      artifact_key: `models/${randomUUID()}`,
      metrics: null,
      training: { events: 3 },
    });
    const trained = async (projectId: string): Promise<Model> => {
      const { job, lease } = await submit('TRAINING', projectId).then(() => claim('TRAINING'));
      const model = modelOf(job);
      assert.ok(await queue.finish(lease, { result: { model_id: model.model_id }, model }, NOW));
      return model;
    };
    const deploy = async (generator: Model, ranker: Model | null = null) => {
      await submit('DEPLOYMENT', generator.project_id);
      const { job, lease } = await claim('DEPLOYMENT');
      const candidate = await deployments.announce(lease, {
        account_id: ACCOUNT,
        project_id: generator.project_id,
        generator_model_id: generator.model_id,
        ranker_model_id: ranker?.model_id ?? null,
        qps: 5,
        job_id: job.job_id,
        created_ts: NOW,
      });
      assert.ok(typeof candidate === 'object');
      return { job, lease, candidate };
    };

    test('a job reads back as it was submitted, and only in its own account and project', async () => {
      const job = await submit('QUERYING');
      assert.deepEqual(await read(job), job);
      assert.equal(await jobs.get('acc_2', job.project_id, job.job_id), null);
      assert.equal(await jobs.get(ACCOUNT, 'prj_2', job.job_id), null);
      await jobs.cancel(ACCOUNT, job.project_id, job.job_id, NOW);
    });

    test('a job of a project that is gone is not taken', async () => {
      const job = await submit('QUERYING');
      await jobs.cancel(ACCOUNT, job.project_id, job.job_id, NOW);
      assert.equal(await jobs.submit({ ...job, job_id: newId('job'), project_id: newId('project') }), false);
      assert.equal(await jobs.submit({ ...job, job_id: newId('job'), account_id: 'acc_2' }), false);
    });

    test('jobs are claimed oldest first, each by one worker only', async () => {
      const submitted = new Set<string>();
      for (let count = 0; count < 12; count++) submitted.add((await submit('CLUSTERING')).job_id);
      const claims = await Promise.all(
        Array.from({ length: 16 }, (_, worker) => queue.claim(`worker-${worker}`, ['CLUSTERING'], NOW)),
      );
      const taken = claims.filter((entry) => entry !== null).map((entry) => entry.job.job_id);
      assert.equal(new Set(taken).size, taken.length, 'no job has two holders');
      // A claim that raced for a locked row may come back empty; the next one finds what is left.
      for (let left = await queue.claim('worker', ['CLUSTERING'], NOW); left; ) {
        taken.push(left.job.job_id);
        left = await queue.claim('worker', ['CLUSTERING'], NOW);
      }
      assert.deepEqual(taken.toSorted(), [...submitted].toSorted());
      for (const entry of await queue.running()) await queue.fail(entry, REASON, NOW);
    });

    test('progress is written while it runs, and success publishes model, hours and status together', async () => {
      const hours = async () =>
        Number(
          (await database.all('SELECT training_hours FROM account WHERE account_id = ?', [ACCOUNT]))[0].training_hours,
        );
      const before = await hours();
      const job = await submit('TRAINING');
      const { lease } = await claim('TRAINING');
      assert.ok(await queue.heartbeat(lease, PROGRESS));
      assert.deepEqual((await read(job)).progress, PROGRESS);
      const model = modelOf(job);
      const publication = { result: { model_id: model.model_id }, model, trainingHours: 0.25 };
      assert.ok(await queue.finish(lease, publication, NOW + 5));
      assert.equal(await queue.finish(lease, publication, NOW + 6), false, 'a second publication changes nothing');
      const done = await read(job);
      assert.equal(done.job_status, 'SUCCEED');
      assert.equal(done.finished_ts, NOW + 5);
      assert.deepEqual(done.job_result, publication.result);
      assert.deepEqual(await models.get(ACCOUNT, job.project_id, model.model_id), { ...model, deployed: false });
      assert.equal(await hours(), before + 0.25);
    });

    test('a holder that lost its lease can neither write progress nor publish, however late it comes', async () => {
      const job = await submit('TRAINING');
      const { lease: late } = await claim('TRAINING');
      const mark = (await queue.running()).find((entry) => entry.jobId === job.job_id);
      assert.ok(mark);
      assert.ok(await queue.takeBack(mark, REASON, 0, NOW));
      const { lease } = await claim('TRAINING');
      assert.equal(lease.attempt, late.attempt + 1);

      const model = modelOf(job);
      assert.equal(await queue.heartbeat(late, PROGRESS), false);
      assert.equal(await queue.finish(late, { result: {}, model, trainingHours: 9 }, NOW), false);
      assert.equal(await queue.fail(late, REASON, NOW), false);
      assert.equal(await queue.retry(late, REASON, 0, NOW), false);
      assert.equal(await queue.release(late), false);
      assert.equal(await models.get(ACCOUNT, job.project_id, model.model_id), null);
      assert.ok(await queue.finish(lease, { result: { right: true } }, NOW));
      assert.deepEqual((await read(job)).job_result, { right: true });
      assert.equal((await read(job)).retry_count, 1);
    });

    test('a job whose heart beats on is not taken back', async () => {
      const job = await submit('TRAINING');
      const { lease } = await claim('TRAINING');
      const mark = (await queue.running()).find((entry) => entry.jobId === job.job_id);
      assert.ok(mark);
      await queue.heartbeat(lease, PROGRESS);
      assert.equal(await queue.takeBack(mark, REASON, 0, NOW), false);
      assert.ok(await queue.heartbeat(lease, PROGRESS));
      await queue.fail(lease, REASON, NOW);
    });

    test('an unexpected error is retried three times with back-off, then the job has failed and says why', async () => {
      const job = await submit('TRAINING');
      let nowMs = NOW;
      for (let retry = 0; retry <= MAX_RETRIES; retry++) {
        assert.equal((await read(job)).retry_count, retry);
        const { lease } = await claim('TRAINING', nowMs);
        assert.ok(await queue.retry(lease, REASON, 1000, nowMs));
        assert.equal(await queue.claim('worker', ['TRAINING'], nowMs + 999), null, 'waits for its back-off');
        nowMs += 1000;
      }
      const failed = await read(job);
      assert.equal(failed.job_status, 'FAILED');
      assert.equal(failed.retry_count, MAX_RETRIES);
      assert.match(failed.failure_reason?.message ?? '', /tried 4 times.*It broke/);
    });

    test('a clock that was set back does not hold a retry for ever', async () => {
      await submit('TRAINING');
      const { lease } = await claim('TRAINING');
      await queue.retry(lease, REASON, 1000, NOW);
      const claimed = await queue.claim('worker', ['TRAINING'], NOW - 2 * LONGEST_BACK_OFF_MS);
      assert.ok(claimed);
      await queue.fail(claimed.lease, REASON, NOW);
    });

    test('a job handed back at shutdown is free at once and counts no retry', async () => {
      const job = await submit('TRAINING');
      const { lease } = await claim('TRAINING');
      assert.ok(await queue.release(lease));
      assert.equal((await read(job)).job_status, 'PENDING');
      assert.equal((await read(job)).retry_count, 0);
      const again = await claim('TRAINING');
      assert.equal(again.lease.attempt, lease.attempt + 1);
      await queue.fail(again.lease, REASON, NOW);
      assert.deepEqual((await read(job)).failure_reason, REASON);
    });

    test('jobs of a worker that is known to be dead go back to the queue', async () => {
      const job = await submit('TRAINING');
      await queue.claim('dead-worker', ['TRAINING'], NOW);
      assert.equal(await queue.takeBackFrom('dead-worker', REASON, 0, NOW), 1);
      assert.equal((await read(job)).job_status, 'PENDING');
      await jobs.cancel(ACCOUNT, job.project_id, job.job_id, NOW);
    });

    test('a job can be cancelled until it has ended, and its holder loses the lease', async () => {
      const job = await submit('TRAINING');
      const { lease } = await claim('TRAINING');
      const cancelled = await jobs.cancel(ACCOUNT, job.project_id, job.job_id, NOW);
      assert.ok(typeof cancelled === 'object' && cancelled !== null);
      assert.equal(cancelled.job_status, 'CANCELLED');
      assert.equal(await queue.heartbeat(lease, PROGRESS), false);
      assert.equal(await queue.finish(lease, { result: {} }, NOW), false);
      assert.equal(await jobs.cancel(ACCOUNT, job.project_id, job.job_id, NOW), 'ended');
      assert.equal(await jobs.cancel('acc_2', job.project_id, job.job_id, NOW), null);
    });

    test('lists are newest first, filtered, in pages', async () => {
      const projectId = newId('project');
      const submitted: string[] = [];
      for (let count = 0; count < 5; count++) submitted.unshift((await submit('QUERYING', projectId)).job_id);
      const listed: string[] = [];
      let token: string | null = null;
      do {
        const page = await jobs.list(
          ACCOUNT,
          { project_id: projectId, job_status: 'PENDING' },
          { page_size: 2, page_token: token },
        );
        listed.push(...page.entries.map((entry) => entry.job_id));
        token = page.next_page_token;
      } while (token !== null);
      assert.deepEqual(listed, submitted.toSorted().reverse());
      const idsOf = async (account: string, filter: JobFilter) =>
        (await jobs.list(account, filter, PAGE)).entries.map((entry) => entry.job_id);
      assert.deepEqual(await idsOf(ACCOUNT, { project_id: projectId, job_type: 'TRAINING' }), []);
      assert.deepEqual(await idsOf('acc_2', { project_id: projectId }), []);
      const elsewhere = await submit('QUERYING', newId('project'));
      const ofAll = await idsOf(ACCOUNT, {});
      for (const jobId of [...listed, elsewhere.job_id]) assert.ok(ofAll.includes(jobId));
      assert.deepEqual(await idsOf('acc_2', {}), []);
      await jobs.cancel(ACCOUNT, elsewhere.project_id, elsewhere.job_id, NOW);
      for (const jobId of listed) await jobs.cancel(ACCOUNT, projectId, jobId, NOW);
    });

    test('deployments of one project run one after the other', async () => {
      const projectId = newId('project');
      await submit('DEPLOYMENT', projectId);
      await submit('DEPLOYMENT', projectId);
      const claims = await Promise.all([1, 2, 3].map((worker) => queue.claim(`${worker}`, ['DEPLOYMENT'], NOW)));
      const [first, ...others] = claims.filter((entry) => entry !== null);
      assert.equal(others.length, 0);
      await queue.fail(first.lease, REASON, NOW);
      const second = await claim('DEPLOYMENT');
      await queue.fail(second.lease, REASON, NOW);
    });

    test('a candidate replaces what serves only when it is activated, and versions rise', async () => {
      const projectId = newId('project');
      const [first, second] = [await trained(projectId), await trained(projectId)];
      const one = await deploy(first);
      assert.equal(await deployments.active(ACCOUNT, projectId), null);
      assert.ok(await deployments.activate(one.lease, one.candidate));
      assert.deepEqual(await deployments.activatedBy(one.job.job_id), { ...one.candidate, state: 'ACTIVE' });
      assert.equal(await jobs.cancel(ACCOUNT, projectId, one.job.job_id, NOW), 'switched');
      assert.ok(await queue.finish(one.lease, { result: {} }, NOW));

      const two = await deploy(second, first);
      assert.equal(two.candidate.version, one.candidate.version + 1);
      const states = (await deployments.current()).filter((entry) => entry.project_id === projectId);
      assert.deepEqual(
        states.map((entry) => entry.state),
        ['ACTIVE', 'CANDIDATE'],
      );
      assert.ok(await deployments.activate(two.lease, two.candidate));
      assert.equal((await deployments.active(ACCOUNT, projectId))?.generator_model_id, second.model_id);
      assert.ok(await queue.finish(two.lease, { result: {} }, NOW));
      assert.equal((await deployments.shutDown(ACCOUNT, projectId))?.version, two.candidate.version);
      assert.equal(await deployments.active(ACCOUNT, projectId), null);
      assert.equal(await deployments.shutDown(ACCOUNT, projectId), null);
    });

    test('the candidate of a job that was cancelled counts no more and cannot be activated', async () => {
      const projectId = newId('project');
      const model = await trained(projectId);
      const { job, lease, candidate } = await deploy(model);
      await jobs.cancel(ACCOUNT, projectId, job.job_id, NOW);
      assert.equal((await deployments.current()).filter((entry) => entry.project_id === projectId).length, 0);
      assert.equal(await deployments.activate(lease, candidate), false);
      assert.equal(await deployments.active(ACCOUNT, projectId), null);
      assert.equal(await deployments.announce(lease, candidate), 'lost');
    });

    test('a model is deleted only while no deployment uses it in either role', async () => {
      const projectId = newId('project');
      const [generator, ranker] = [await trained(projectId), await trained(projectId)];
      const { lease, candidate } = await deploy(generator, ranker);
      assert.equal(await models.delete(ACCOUNT, projectId, ranker.model_id), 'deployed');
      await deployments.activate(lease, candidate);
      await queue.finish(lease, { result: {} }, NOW);
      for (const model of [generator, ranker]) {
        assert.equal(await models.delete(ACCOUNT, projectId, model.model_id), 'deployed');
        assert.equal((await models.get(ACCOUNT, projectId, model.model_id))?.deployed, true);
      }
      await deployments.shutDown(ACCOUNT, projectId);
      const deleted = await models.delete(ACCOUNT, projectId, generator.model_id);
      assert.ok(typeof deleted === 'object' && deleted !== null);
      assert.equal(deleted.artifact_key, generator.artifact_key);
      assert.equal(await models.delete(ACCOUNT, projectId, generator.model_id), null);
      assert.deepEqual(
        await models.knownArtifacts([generator.artifact_key, ranker.artifact_key]),
        new Set([ranker.artifact_key]),
      );
    });

    test('a model that is gone cannot be announced', async () => {
      const projectId = newId('project');
      const model = await trained(projectId);
      await models.delete(ACCOUNT, projectId, model.model_id);
      await submit('DEPLOYMENT', projectId);
      const { job, lease } = await claim('DEPLOYMENT');
      assert.equal(
        await deployments.announce(lease, {
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
      await queue.fail(lease, REASON, NOW);
    });

    test('only the name of a model changes', async () => {
      const projectId = newId('project');
      const model = await trained(projectId);
      const renamed = await models.rename(ACCOUNT, projectId, model.model_id, 'another');
      assert.deepEqual(renamed, { ...model, name: 'another', deployed: false });
      assert.equal(await models.rename('acc_2', projectId, model.model_id, 'x'), null);
      assert.deepEqual((await models.list(ACCOUNT, projectId, PAGE)).entries, [renamed]);
    });

    test('a node is known from its first heartbeat until it leaves or is seen dead', async () => {
      const nodes = new NodeStore(database);
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
