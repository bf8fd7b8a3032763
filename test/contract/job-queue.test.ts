// The queue's promises, on every dialect: one holder, fenced writes, results published once, no clock in a lease.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { MAX_PENDING_JOBS, MAX_RETRIES } from '../../src/domain/job.ts';
import { type ClaimedJob, type Lease, LONGEST_BACK_OFF_MS, type Retry } from '../../src/store/job-queue.ts';
import type { JobFilter } from '../../src/store/job-store.ts';
import { newId } from '../support/new-ids.ts';
import { ACCOUNT, NOW, PAGE, QueuedJobs, REASON, RETRY } from '../support/queued-jobs.ts';
import { DIALECTS } from '../support/test-database.ts';

const PROGRESS = { fraction: 0.5, phase: 'fit', message: 'half way' };

for (const dialect of DIALECTS) {
  describe(`jobs on ${dialect}`, () => {
    let made: QueuedJobs;
    before(async () => {
      made = await QueuedJobs.open(dialect);
    });
    after(() => made.close());

    test('a job reads back as it was submitted, and only in its own account and project', async () => {
      const job = await made.submit('QUERYING');
      assert.deepEqual(await made.read(job), job);
      assert.equal(await made.jobs.get('acc_2', job.project_id, job.job_id), null);
      assert.equal(await made.jobs.get(ACCOUNT, 'prj_2', job.job_id), null);
      await made.jobs.cancel(ACCOUNT, job.project_id, job.job_id, NOW);
    });

    test('a job of a project that is gone is not taken', async () => {
      const job = await made.submit('QUERYING');
      await made.jobs.cancel(ACCOUNT, job.project_id, job.job_id, NOW);
      assert.equal(
        await made.jobs.submit({ ...job, job_id: newId('job'), project_id: newId('project') }),
        'missing-project',
      );
      assert.equal(await made.jobs.submit({ ...job, job_id: newId('job'), account_id: 'acc_2' }), 'missing-project');
    });

    test('jobs are claimed oldest first, each by one worker only', async () => {
      const submitted = new Set<string>();
      for (let count = 0; count < 12; count++) submitted.add((await made.submit('CLUSTERING')).job_id);
      const claims = await Promise.all(
        Array.from({ length: 16 }, (_, worker) => made.queue.claim(`worker-${worker}`, ['CLUSTERING'], NOW)),
      );
      const taken = claims.filter((entry) => entry !== null).map((entry) => entry.job.job_id);
      assert.equal(new Set(taken).size, taken.length, 'no job has two holders');
      // A claim that raced for a locked row may come back empty; the next one finds what is left.
      for (let left = await made.queue.claim('worker', ['CLUSTERING'], NOW); left; ) {
        taken.push(left.job.job_id);
        left = await made.queue.claim('worker', ['CLUSTERING'], NOW);
      }
      assert.deepEqual(taken.toSorted(), [...submitted].toSorted());
      for (const entry of await made.queue.running()) await made.queue.fail(entry, REASON, NOW);
    });

    test('a result is not published when users it may name were deleted meanwhile', async () => {
      const dataset = { dataset_id: newId('user'), count: 3 };
      await made.database.atomic([
        {
          sql: 'INSERT INTO dataset_count (dataset_id, num_shards, erasures) VALUES (?, 1, ?)',
          params: [dataset.dataset_id, dataset.count],
        },
      ]);
      for (const [count, isPublished] of [
        [2, false],
        [3, true],
      ] as const) {
        const job = await made.submit('QUERYING');
        const claimed = await made.queue.claim('worker', ['QUERYING'], NOW);
        const erasures = { datasetIds: [dataset.dataset_id, newId('event')], count };
        assert.equal(await made.queue.finish(claimed!.lease, { result: {}, erasures }, NOW), isPublished);
        const { job_status, job_result } = (await made.read(job))!;
        assert.deepEqual([job_status, job_result], isPublished ? ['SUCCEED', {}] : ['RUNNING', null]);
        const { jobId, attempt } = claimed!.lease;
        const attempts = [attempt, attempt + 1].map((number) => ({ jobId, attempt: number }));
        assert.deepEqual(await made.queue.neededResults(attempts), [true, !isPublished]);
        if (isPublished) continue;
        await made.queue.fail(claimed!.lease, REASON, NOW);
        assert.deepEqual(await made.queue.neededResults(attempts), [false, false]);
      }
    });

    test('users deleted from other datasets keep no result back, and stay counted', async () => {
      const [own, other] = [newId('user'), newId('user')];
      const sql = 'INSERT INTO dataset_count (dataset_id, num_shards, erasures) VALUES (?, 1, ?)';
      for (const params of [
        [own, 1],
        [other, 5],
      ]) {
        await made.database.atomic([{ sql, params }]);
      }
      await made.submit('QUERYING');
      const { lease } = await made.claim('QUERYING');
      const erasures = { datasetIds: [own, newId('event')], count: 1 };
      assert.ok(await made.queue.finish(lease, { result: {}, erasures }, NOW));
      const counted = (datasetId: string) => made.datasets.erasures([datasetId]);
      assert.deepEqual([await counted(own), await counted(other)], [1, 5]);
    });

    test('accounts take turns, however many jobs one of them has submitted before', async () => {
      const [flood, other] = ['acc_flood', 'acc_other'];
      for (const account of [flood, other]) await made.addAccount(account);
      for (let count = 0; count < 30; count++) await made.submit('CLUSTERING', newId('project'), flood);
      let nowMs = NOW;
      const claimed: ClaimedJob[] = [];
      const next = async (): Promise<string> => {
        const claim = await made.queue.claim('worker', ['CLUSTERING'], nowMs++);
        assert.ok(claim);
        claimed.push(claim);
        return claim.job.account_id;
      };
      const end = async (): Promise<void> => {
        await made.queue.fail(claimed.shift()!.lease, REASON, nowMs);
      };
      assert.deepEqual([await next(), await next()], [flood, flood]);
      for (let count = 0; count < 3; count++) await made.submit('CLUSTERING', newId('project'), other);
      assert.deepEqual([await next(), await next()], [other, other], 'until both have as many running');
      for (let count = 0; count < 4; count++) await end();
      assert.equal(await next(), flood, 'then the one that waited longest');
      await end();
      assert.equal(await next(), other);
      await end();
      assert.equal(await next(), flood);
      await end();
      for (let left = await made.queue.claim('worker', ['CLUSTERING'], nowMs++); left; ) {
        await made.queue.fail(left.lease, REASON, nowMs);
        left = await made.queue.claim('worker', ['CLUSTERING'], nowMs++);
      }
    });

    test('an account has a limited number of jobs waiting, also when they are submitted at the same moment', async () => {
      await made.addAccount('acc_many');
      const cut = await made.submit('EXPORT', newId('project'), 'acc_many');
      assert.ok(await made.queue.split((await made.claim('EXPORT')).lease, [{}, {}, {}]), 'parts do not count');
      const first = await made.submit('CLUSTERING', newId('project'), 'acc_many');
      const again = () => made.jobs.submit({ ...first, job_id: newId('job') });
      for (let count = 1; count < MAX_PENDING_JOBS - 3; count++) assert.equal(await again(), 'submitted');
      const outcomes = await Promise.all(Array.from({ length: 8 }, again));
      assert.equal(outcomes.filter((outcome) => outcome === 'submitted').length, 3);
      assert.equal(outcomes.filter((outcome) => outcome === 'too-many').length, 5);
      const claim = await made.claim('CLUSTERING');
      assert.equal(await again(), 'submitted', 'one that runs does not wait');
      await made.jobs.cancel('acc_many', cut.project_id, cut.job_id, NOW);
      await made.submit('CLUSTERING');
      await made.queue.fail(claim.lease, REASON, NOW);
      await made.database.atomic([{ sql: `DELETE FROM job WHERE job_status = 'PENDING'` }]);
    });

    test('progress is written while it runs, and success publishes model, hours and status together', async () => {
      const hours = async () =>
        Number(
          (await made.database.all('SELECT training_hours FROM account WHERE account_id = ?', [ACCOUNT]))[0]
            .training_hours,
        );
      const before = await hours();
      const job = await made.submit('TRAINING');
      const { lease } = await made.claim('TRAINING');
      assert.ok(await made.queue.heartbeat(lease, PROGRESS));
      assert.deepEqual((await made.read(job)).progress, PROGRESS);
      const model = made.modelOf(job);
      const publication = { result: { model_id: model.model_id }, model };
      const endMs = NOW + 900_000;
      assert.ok(await made.queue.finish(lease, publication, endMs));
      assert.ok(
        await made.queue.finish(lease, publication, endMs + 1),
        'it was published, so the worker keeps its result',
      );
      const done = await made.read(job);
      assert.equal(done.job_status, 'SUCCEED');
      assert.equal(done.finished_ts, endMs);
      assert.deepEqual(done.job_result, publication.result);
      assert.deepEqual(await made.models.get(ACCOUNT, job.project_id, model.model_id), { ...model, deployed: false });
      assert.equal(await hours(), before + 0.25);
    });

    test('a holder that lost its lease can neither write progress nor publish, however late it comes', async () => {
      const job = await made.submit('TRAINING');
      const { lease: late } = await made.claim('TRAINING');
      const mark = (await made.queue.running()).find((entry) => entry.jobId === job.job_id);
      assert.ok(mark);
      assert.ok(await made.queue.takeBack(mark, RETRY));
      const { lease } = await made.claim('TRAINING');
      assert.equal(lease.attempt, late.attempt + 1);

      const model = made.modelOf(job);
      await made.submit('QUERYING');
      const other = await made.claim('QUERYING');
      assert.equal(other.lease.attempt, late.attempt);
      assert.equal(await made.queue.heartbeat(late, PROGRESS), false);
      const erasures = { datasetIds: ['ds_1', 'ds_2'], count: 0 };
      assert.equal(await made.queue.finish(late, { result: {}, erasures }, NOW), false);
      assert.equal(await made.queue.finish(late, { result: {}, model }, NOW + 1000), false);
      assert.equal(await made.queue.fail(late, REASON, NOW), false);
      assert.equal(await made.queue.retry(late, RETRY), false);
      assert.equal(await made.queue.release(late), false);
      assert.equal(await made.models.get(ACCOUNT, job.project_id, model.model_id), null);
      await made.queue.fail(other.lease, REASON, NOW);
      assert.ok(await made.queue.finish(lease, { result: { right: true } }, NOW));
      assert.deepEqual((await made.read(job)).job_result, { right: true });
      assert.equal((await made.read(job)).retry_count, 1);
    });

    test('a job whose heart beats on is not taken back', async () => {
      const job = await made.submit('TRAINING');
      const { lease } = await made.claim('TRAINING');
      const mark = (await made.queue.running()).find((entry) => entry.jobId === job.job_id);
      assert.ok(mark);
      await made.queue.heartbeat(lease, PROGRESS);
      assert.equal(await made.queue.takeBack(mark, RETRY), false);
      assert.ok(await made.queue.heartbeat(lease, PROGRESS));
      await made.queue.fail(lease, REASON, NOW);
    });

    const retries: Record<string, (lease: Lease, retry: Retry) => Promise<unknown>> = {
      'an unexpected error': (lease, retry) => made.queue.retry(lease, retry),
      'a lost worker': async ({ jobId }, retry) => {
        const mark = (await made.queue.running()).find((one) => one.jobId === jobId)!;
        return made.queue.takeBack(mark, retry);
      },
      'a dead worker process': (_, retry) => made.queue.takeBackFrom('worker', retry),
    };
    for (const [what, tryAgain] of Object.entries(retries)) {
      test(`${what} is retried three times with back-off, then the job has failed and says why`, async () => {
        const job = await made.submit('TRAINING');
        let nowMs = NOW;
        for (let retry = 0; retry <= MAX_RETRIES; retry++) {
          const { progress, ...waits } = await made.read(job);
          assert.deepEqual([waits.retry_count, progress.fraction, progress.phase], [retry, 0, 'waiting']);
          assert.deepEqual([waits.started_ts, waits.finished_ts], [null, null]);
          if (retry > 0) assert.ok(progress.message.includes(REASON.message), 'why it is tried again');
          const { lease } = await made.claim('TRAINING', nowMs);
          assert.ok(await tryAgain(lease, { reason: REASON, backOffMs: 1000, nowMs }));
          assert.equal(await made.queue.claim('worker', ['TRAINING'], nowMs + 999), null, 'waits for its back-off');
          nowMs += 1000;
        }
        const failed = await made.read(job);
        assert.equal(failed.job_status, 'FAILED');
        assert.deepEqual([failed.retry_count, failed.finished_ts], [MAX_RETRIES, nowMs - 1000]);
        assert.match(failed.failure_reason?.message ?? '', /tried 4 times.*It broke/);
      });
    }

    test('a clock that was set back does not hold a retry for ever', async () => {
      await made.submit('TRAINING');
      const { lease } = await made.claim('TRAINING');
      await made.queue.retry(lease, { ...RETRY, backOffMs: 1000 });
      const claimed = await made.queue.claim('worker', ['TRAINING'], NOW - 2 * LONGEST_BACK_OFF_MS);
      assert.ok(claimed);
      await made.queue.fail(claimed.lease, REASON, NOW);
    });

    test('a job handed back at shutdown is free at once and counts no retry', async () => {
      const job = await made.submit('TRAINING');
      const { lease } = await made.claim('TRAINING');
      assert.ok(await made.queue.release(lease));
      assert.equal((await made.read(job)).job_status, 'PENDING');
      assert.equal((await made.read(job)).retry_count, 0);
      const again = await made.claim('TRAINING');
      assert.equal(again.lease.attempt, lease.attempt + 1);
      await made.queue.fail(again.lease, REASON, NOW);
      assert.deepEqual((await made.read(job)).failure_reason, REASON);
    });

    test('jobs of a worker that is known to be dead go back to the queue', async () => {
      const job = await made.submit('TRAINING');
      await made.queue.claim('dead-worker', ['TRAINING'], NOW);
      assert.equal(await made.queue.takeBackFrom('dead-worker', RETRY), 1);
      assert.equal((await made.read(job)).job_status, 'PENDING');
      await made.jobs.cancel(ACCOUNT, job.project_id, job.job_id, NOW);
    });

    test('a job can be canceled until it has ended, and its holder loses the lease', async () => {
      const job = await made.submit('TRAINING');
      const { lease } = await made.claim('TRAINING');
      const cancelled = await made.jobs.cancel(ACCOUNT, job.project_id, job.job_id, NOW);
      assert.ok(typeof cancelled === 'object' && cancelled !== null);
      assert.equal(cancelled.job_status, 'CANCELLED');
      assert.equal(await made.queue.heartbeat(lease, PROGRESS), false);
      assert.equal(await made.queue.finish(lease, { result: {} }, NOW), false);
      assert.equal(await made.jobs.cancel(ACCOUNT, job.project_id, job.job_id, NOW), 'ended');
      assert.equal(await made.jobs.cancel('acc_2', job.project_id, job.job_id, NOW), null);
    });

    test('lists are newest first, filtered, in pages', async () => {
      const projectId = newId('project');
      const submitted: string[] = [];
      for (let count = 0; count < 5; count++) submitted.unshift((await made.submit('QUERYING', projectId)).job_id);
      const listed: string[] = [];
      let token: string | null = null;
      do {
        const page = await made.jobs.list(
          ACCOUNT,
          { project_id: projectId, job_status: 'PENDING' },
          { page_size: 2, page_token: token },
        );
        listed.push(...page.entries.map((entry) => entry.job_id));
        token = page.next_page_token;
      } while (token !== null);
      assert.deepEqual(listed, submitted.toSorted().reverse());
      const idsOf = async (account: string, filter: JobFilter) =>
        (await made.jobs.list(account, filter, PAGE)).entries.map((entry) => entry.job_id);
      assert.deepEqual(await idsOf(ACCOUNT, { project_id: projectId, job_type: 'TRAINING' }), []);
      assert.deepEqual(await idsOf('acc_2', { project_id: projectId }), []);
      const elsewhere = await made.submit('QUERYING', newId('project'));
      const ofAll = await idsOf(ACCOUNT, {});
      for (const jobId of [...listed, elsewhere.job_id]) assert.ok(ofAll.includes(jobId));
      assert.deepEqual(await idsOf('acc_2', {}), []);
      await made.jobs.cancel(ACCOUNT, elsewhere.project_id, elsewhere.job_id, NOW);
      for (const jobId of listed) await made.jobs.cancel(ACCOUNT, projectId, jobId, NOW);
    });

    test('deployments of one project run one after the other', async () => {
      const projectId = newId('project');
      await made.submit('DEPLOYMENT', projectId);
      await made.submit('DEPLOYMENT', projectId);
      const claims = await Promise.all([1, 2, 3].map((worker) => made.queue.claim(`${worker}`, ['DEPLOYMENT'], NOW)));
      const [first, ...others] = claims.filter((entry) => entry !== null);
      assert.equal(others.length, 0);
      await made.queue.fail(first.lease, REASON, NOW);
      const second = await made.claim('DEPLOYMENT');
      await made.queue.fail(second.lease, REASON, NOW);
    });
  });
}
