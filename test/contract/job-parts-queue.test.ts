// What the queue promises about the parts of a job.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Job, MAX_RETRIES } from '../../src/domain/job.ts';
import type { ClaimedJob } from '../../src/store/job-queue.ts';
import { ACCOUNT, NOW, QueuedJobs, REASON, RETRY } from '../support/queued-jobs.ts';
import { DIALECTS_OF_LONG_SUITES } from '../support/test-database.ts';

const PARTS = [{ from: 0 }, { from: 1 }, { from: 2 }];
const DONE = { result: {} };

for (const dialect of DIALECTS_OF_LONG_SUITES) {
  describe(`parts of jobs on ${dialect}`, () => {
    let made: QueuedJobs;
    before(async () => {
      made = await QueuedJobs.open(dialect);
    });
    after(() => made.close());

    async function cutJob(): Promise<{ job: Job; parts: ClaimedJob[] }> {
      const job = await made.submit('QUERYING');
      assert.ok(await made.queue.split((await made.claim('QUERYING')).lease, PARTS));
      const parts: ClaimedJob[] = [];
      for (const _ of PARTS) parts.push(await made.claim('QUERYING'));
      return { job, parts };
    }

    test('a job that was cut runs on while its parts do, then comes back with what they published, in order', async () => {
      await made.submit('EXPORT');
      const other = await made.claim('EXPORT');
      const job = await made.submit('QUERYING');
      const whole = await made.claim('QUERYING');
      assert.deepEqual([whole.part, whole.parts, await made.queue.waitsForParts(job.job_id)], [null, 0, false]);
      assert.ok(await made.queue.split(whole.lease, PARTS));
      assert.equal(await made.queue.heartbeat(whole.lease, job.progress), false, 'the attempt that cut it is over');
      assert.equal(await made.queue.split(whole.lease, PARTS), false);
      assert.equal(await made.queue.claim('worker', ['EXPORT'], NOW), null, 'no other job was cut');
      assert.ok(await made.queue.finish(other.lease, DONE, NOW));
      assert.deepEqual(await made.queue.running(), [], 'nobody holds it, and nobody takes it back');
      const cut = await made.read(job);
      const noneDone = { fraction: 0.02, phase: 'parts', message: '0 of 3 parts are done, 0 running.' };
      assert.deepEqual([cut.job_status, cut.progress], ['RUNNING', noneDone]);
      const parts: ClaimedJob[] = [];
      for (const _ of PARTS) parts.push(await made.claim('QUERYING'));
      assert.equal(await made.queue.claim('worker', ['QUERYING'], NOW), null);
      assert.deepEqual(
        parts.map(({ part }) => part),
        PARTS.map((data, number) => ({ jobId: job.job_id, number, data })),
      );
      const { entries } = await made.jobs.list(ACCOUNT, {}, { page_size: 1000, page_token: null });
      assert.deepEqual(
        entries.filter(({ project_id }) => project_id === job.project_id).map(({ job_id }) => job_id),
        [job.job_id],
      );
      assert.equal(await made.jobs.get(ACCOUNT, job.project_id, parts[0].job.job_id), null);
      await made.queue.heartbeat(parts[0].lease, { fraction: 0.5, phase: 'users', message: '' });
      assert.ok(await made.queue.finish(parts[2].lease, { result: { n: 2 } }, NOW));
      assert.deepEqual(await made.queue.partResults(job.job_id), [null, null, { n: 2 }]);
      const { progress } = await made.read(job);
      assert.equal(progress.message, '1 of 3 parts are done, 2 running.');
      assert.ok(Math.abs(progress.fraction - (0.02 + 0.88 * 0.5)) < 1e-9);
      assert.ok(await made.queue.waitsForParts(job.job_id));
      // Two that end at the same moment: one of them sees that all are done.
      const ends = await Promise.all([0, 1].map((n) => made.queue.finish(parts[n].lease, { result: { n } }, NOW)));
      assert.deepEqual(ends, [true, true]);
      const joining = await made.claim('QUERYING');
      assert.deepEqual([joining.job.job_id, joining.part, joining.parts], [job.job_id, null, 3]);
      assert.deepEqual(await made.queue.partResults(job.job_id), [{ n: 0 }, { n: 1 }, { n: 2 }]);
      assert.ok(await made.queue.finish(joining.lease, { result: { joined: true } }, NOW));
      const ended = await made.read(job);
      assert.deepEqual([ended.job_status, ended.job_result], ['SUCCEED', { joined: true }]);
      assert.deepEqual(await made.queue.partResults(job.job_id), []);
      assert.equal(await made.queue.waitsForParts(job.job_id), false);
    });

    test('parts are claimed in the order of their numbers', async () => {
      await made.submit('QUERYING');
      const { lease } = await made.claim('QUERYING');
      const numbers = [...Array(12).keys()];
      assert.ok(
        await made.queue.split(
          lease,
          numbers.map((from) => ({ from })),
        ),
      );
      for (const number of numbers) {
        const { part, lease: held } = await made.claim('QUERYING');
        assert.equal(part?.number, number);
        assert.ok(await made.queue.finish(held, DONE, NOW));
      }
      assert.ok(await made.queue.finish((await made.claim('QUERYING')).lease, DONE, NOW));
    });

    test('a part whose worker is lost is retried, and only its last holder publishes it', async () => {
      const { job, parts } = await cutJob();
      assert.equal(await made.queue.takeBackFrom('another worker', RETRY), 0);
      const mark = (await made.queue.running()).find(({ jobId }) => jobId === parts[1].lease.jobId)!;
      assert.ok(await made.queue.takeBack(mark, RETRY));
      const again = await made.claim('QUERYING');
      assert.deepEqual(again.part, parts[1].part);
      assert.equal(await made.queue.finish(parts[1].lease, DONE, NOW), false);
      for (const { lease } of [parts[0], again, parts[2]]) assert.ok(await made.queue.finish(lease, DONE, NOW));
      const joining = await made.claim('QUERYING');
      // A worker that is lost while it joins leaves the parts as they are.
      assert.ok(await made.queue.retry(joining.lease, RETRY));
      assert.ok(await made.queue.release((await made.claim('QUERYING', NOW + 1)).lease));
      const second = await made.claim('QUERYING', NOW + 2);
      assert.deepEqual([second.job.job_id, second.parts], [job.job_id, 3]);
      assert.equal(second.job.started_ts, NOW, 'it has run since it was cut');
      assert.equal((await made.queue.partResults(job.job_id)).length, 3);
      assert.ok(await made.queue.finish(second.lease, DONE, NOW));
    });

    test('a part that fails, at once or after its retries, fails the job and ends the others', async () => {
      const first = await cutJob();
      assert.ok(await made.queue.fail(first.parts[1].lease, REASON, NOW));
      const failed = await made.read(first.job);
      assert.deepEqual([failed.job_status, failed.failure_reason], ['FAILED', REASON]);
      assert.equal(await made.queue.finish(first.parts[0].lease, DONE, NOW), false);

      const second = await cutJob();
      let holder = second.parts[0];
      for (let retry = 0; retry < MAX_RETRIES; retry++) {
        assert.ok(await made.queue.retry(holder.lease, RETRY));
        holder = await made.claim('QUERYING');
      }
      assert.equal((await made.read(second.job)).job_status, 'RUNNING');
      assert.ok(await made.queue.retry(holder.lease, RETRY));
      const { job_status, failure_reason } = await made.read(second.job);
      assert.deepEqual([job_status, failure_reason?.code], ['FAILED', REASON.code]);
      assert.deepEqual(await made.queue.running(), []);
    });

    test('canceling a job ends its parts, and their holders can publish nothing', async () => {
      const { job, parts } = await cutJob();
      assert.ok(await made.queue.finish(parts[0].lease, DONE, NOW));
      const cancelled = await made.jobs.cancel(ACCOUNT, job.project_id, job.job_id, NOW);
      assert.ok(typeof cancelled === 'object' && cancelled?.job_status === 'CANCELLED');
      assert.equal(await made.queue.heartbeat(parts[1].lease, job.progress), false);
      assert.equal(await made.queue.finish(parts[1].lease, DONE, NOW), false);
      assert.equal(await made.queue.claim('worker', ['QUERYING'], NOW), null);
      assert.equal(await made.queue.waitsForParts(job.job_id), false);

      const whole = await made.submit('QUERYING');
      const { lease } = await made.claim('QUERYING');
      await made.jobs.cancel(ACCOUNT, whole.project_id, whole.job_id, NOW);
      assert.equal(await made.queue.split(lease, PARTS), false, 'nor can it be cut any more');
      const erasures = { datasetIds: ['ds_1', 'ds_2'], count: 0 };
      assert.equal(await made.queue.finish(lease, { ...DONE, erasures }, NOW), false);
      assert.equal(await made.queue.claim('worker', ['QUERYING'], NOW), null);
    });
  });
}
