// What is asked of jobs next to the queue, on every dialect: figures, results that name users, and the newest check of data.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { DataHealth } from '../../src/domain/data-health.ts';
import type { Job, JobType } from '../../src/domain/job.ts';
import type { Database, SqlValue, Statement } from '../../src/store/database.ts';
import { SqlHealthStore } from '../../src/store/sql/sql-health-store.ts';
import { COUNTS_SQL, SqlJobStore } from '../../src/store/sql/sql-job-store.ts';
import { newId, newJob } from '../support/new-ids.ts';
import { ACCOUNT, NOW, QueuedJobs, REASON } from '../support/queued-jobs.ts';
import { DIALECTS } from '../support/test-database.ts';

for (const dialect of DIALECTS) {
  describe(`job store on ${dialect}`, () => {
    let made: QueuedJobs;
    before(async () => {
      made = await QueuedJobs.open(dialect);
    });
    after(() => made.close());

    /** A project of these datasets, with a job. */
    async function projectOf(userDataset: string, eventDataset: string, type: JobType): Promise<Job> {
      const job = await made.submit(type);
      const sql = 'UPDATE project SET user_dataset_id = ?, event_dataset_id = ? WHERE project_id = ?';
      await made.database.atomic([{ sql, params: [userDataset, eventDataset, job.project_id] }]);
      return job;
    }

    /** A recommendation job that names users, and waits. */
    async function named(datasetId: string, user_ids: string[]): Promise<Job> {
      const { project_id, job_id } = await projectOf(datasetId, '', 'IMPORT');
      await made.jobs.cancel(ACCOUNT, project_id, job_id, NOW);
      const job_data = { users: { user_ids }, limit: 3 };
      const job = newJob({ account_id: ACCOUNT, project_id, job_type: 'RECOMMENDATION', job_data }, NOW);
      assert.equal(await made.jobs.submit(job), 'submitted');
      return job;
    }

    const figures = (counts: { job_type: JobType; job_status: string; count: number }[]) =>
      counts.map(({ job_type, job_status, count }) => `${job_type} ${job_status} ${count}`).sort();

    test('waiting and running jobs are counted, and those that failed since a moment', async () => {
      await made.submit('TRAINING');
      await made.submit('TRAINING');
      await made.submit('QUERYING');
      const training = await made.claim('TRAINING');
      assert.deepEqual(figures(await made.jobs.counts()), [
        'QUERYING PENDING 1',
        'TRAINING PENDING 1',
        'TRAINING RUNNING 1',
      ]);
      await made.queue.fail(training.lease, REASON, NOW + 10);
      await made.queue.fail((await made.claim('TRAINING')).lease, REASON, NOW + 20);
      await made.queue.finish((await made.claim('QUERYING')).lease, { result: {} }, NOW + 20);
      assert.deepEqual(await made.jobs.counts(), []);
      assert.deepEqual(figures(await made.jobs.failedSince(NOW + 10)), ['TRAINING FAILED 2']);
      assert.deepEqual(figures(await made.jobs.failedSince(NOW + 11)), ['TRAINING FAILED 1']);
      assert.deepEqual(await made.jobs.failedSince(NOW + 21), []);
    });

    test('jobs that have ended are not read to count the others', async () => {
      const job = await made.submit('EXPORT');
      await made.queue.finish((await made.claim('EXPORT')).lease, { result: {} }, NOW);
      await made.database.atomic([
        {
          sql: `INSERT INTO job (job_id, account_id, project_id, job_type, name, created_ts, job_data, job_status, progress)
                WITH RECURSIVE ended (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM ended WHERE n < 2000)
                SELECT job_id || n, account_id, project_id, job_type, name, created_ts, job_data, job_status, progress
                FROM ended CROSS JOIN job WHERE job_id = ?`,
          params: [job.job_id],
        },
        { sql: 'ANALYZE' },
      ]);
      const explain = dialect === 'sqlite' ? 'EXPLAIN QUERY PLAN' : 'EXPLAIN';
      const plan = JSON.stringify(await made.database.all(`${explain} ${COUNTS_SQL}`));
      assert.match(plan, /job_queue|job_pending_by_account/);
      assert.match(plan, /job_running|job_one_deployment/);
      assert.deepEqual(await made.jobs.counts(), []);
    });

    test('a job that waits for its parts does not count as running: no worker has it', async () => {
      const job = await made.submit('CLUSTERING');
      await made.queue.split((await made.claim('CLUSTERING')).lease, [{}, {}]);
      assert.equal((await made.jobs.get(ACCOUNT, job.project_id, job.job_id))?.job_status, 'RUNNING');
      assert.deepEqual(figures(await made.jobs.counts()), ['CLUSTERING PENDING 2']);
      const part = await made.claim('CLUSTERING');
      assert.deepEqual(figures(await made.jobs.counts()), ['CLUSTERING PENDING 1', 'CLUSTERING RUNNING 1']);
      await made.queue.fail(part.lease, REASON, NOW);
      assert.deepEqual(await made.jobs.counts(), []);
    });

    test('heartbeats of running jobs grow while a worker has one, and stand still when it is gone', async () => {
      assert.equal(await made.jobs.heartbeats(), 0);
      await made.submit('TRAINING');
      assert.equal(await made.jobs.heartbeats(), 0);
      const { lease } = await made.claim('TRAINING');
      const claimed = await made.jobs.heartbeats();
      assert.ok(claimed > 0);
      assert.equal(await made.jobs.heartbeats(), claimed);
      await made.queue.heartbeat(lease, { fraction: 0.5, phase: 'fit', message: '' });
      assert.equal(await made.jobs.heartbeats(), claimed + 1);
      await made.queue.fail(lease, REASON, NOW);
      assert.equal(await made.jobs.heartbeats(), 0);
    });

    test('results over a dataset are those of its projects that have succeeded since and may name users', async () => {
      const [users, events] = [newId('user'), newId('event')];
      const results = async (datasetId: string, sinceTs: number) =>
        (await made.jobs.resultsOver(ACCOUNT, datasetId, sinceTs)).map(({ of }) => of).sort();
      for (const type of ['QUERYING', 'CLUSTERING', 'RECOMMENDATION', 'EXPORT', 'TRAINING'] as const) {
        await projectOf(users, events, type);
        await made.queue.finish((await made.claim(type)).lease, { result: { of: type } }, NOW);
      }
      await projectOf(users, events, 'QUERYING');
      await made.queue.fail((await made.claim('QUERYING')).lease, REASON, NOW);
      const all = ['CLUSTERING', 'EXPORT', 'QUERYING', 'RECOMMENDATION'];
      assert.deepEqual(await results(users, NOW), all);
      assert.deepEqual(await results(events, NOW), all);
      assert.deepEqual(await results(users, NOW + 1), []);
      assert.deepEqual(await results(newId('user'), 0), []);
      assert.deepEqual(await made.jobs.resultsOver('acc_2', users, 0), []);
    });

    test('deleted users are taken out of the jobs that name them, and out of no others', async () => {
      const users = newId('user');
      const both = await named(users, ['ann', 'bob', 'cleo']);
      const other = await named(users, ['cleo']);
      const elsewhere = await named(newId('user'), ['ann']);
      await made.jobs.forgetUsers('acc_2', users, new Set(['ann']));
      assert.deepEqual((await made.read(both)).job_data, both.job_data);
      await made.jobs.forgetUsers(ACCOUNT, users, new Set(['ann', 'bob']));
      assert.deepEqual((await made.read(both)).job_data, { users: { user_ids: ['cleo'] }, limit: 3 });
      assert.deepEqual((await made.read(other)).job_data, other.job_data);
      assert.deepEqual((await made.read(elsewhere)).job_data, elsewhere.job_data);
      for (const { project_id, job_id } of [both, other, elsewhere]) {
        await made.jobs.cancel(ACCOUNT, project_id, job_id, NOW);
      }
    });

    test('users are taken out of some bytes of jobs per turn, and a job that changed meanwhile is read again', async () => {
      const users = newId('user');
      const filling = Array.from({ length: 1000 }, (_, n) => `${n}`.padStart(60, 'x'));
      const jobs: Job[] = [];
      for (let i = 0; i < 10; i++) jobs.push(await named(users, ['ann', 'bob', 'cleo', ...(i < 5 ? filling : [])]));
      const turns = new Set<number>();
      let turn = 0;
      let isOver = false;
      const count = (): void => {
        turn++;
        if (!isOver) setImmediate(count);
      };
      count();
      const reads: string[][] = [];
      let changes = 0;
      const { database } = made;
      const watched: Database = Object.assign(Object.create(database), {
        async all(sql: string, params?: SqlValue[]) {
          const rows = await database.all(sql, params);
          const data = rows.flatMap(({ job_data }) => (job_data === undefined ? [] : [String(job_data)]));
          if (data.length > 0) {
            reads.push(data);
            turns.add(turn);
          }
          return rows;
        },
        async atomic(statements: Statement[]) {
          // Another node is faster with the second job.
          if (++changes === 2) await made.jobs.forgetUsers(ACCOUNT, users, new Set(['bob']));
          return database.atomic(statements);
        },
      });
      await new SqlJobStore(watched).forgetUsers(ACCOUNT, users, new Set(['ann']));
      isOver = true;
      const bytes = reads.map((data) => data.reduce((sum, text) => sum + text.length, 0));
      assert.ok(Math.max(...bytes) <= 256 * 1024, `${bytes}`);
      assert.ok(reads.length <= 4, `${reads.length} reads for ${jobs.length} jobs`);
      assert.equal(turns.size, reads.length);
      const left = await Promise.all(jobs.map((job) => made.read(job)));
      const expected = jobs.map(({ job_data }) => {
        const { user_ids } = (job_data as { users: { user_ids: string[] } }).users;
        return user_ids.filter((id) => id !== 'ann' && id !== 'bob');
      });
      assert.deepEqual(
        left.map(({ job_data }) => (job_data as { users: { user_ids: string[] } }).users.user_ids),
        expected,
      );
      for (const { project_id, job_id } of jobs) await made.jobs.cancel(ACCOUNT, project_id, job_id, NOW);
    });

    test('of equal jobs submitted at once one waits, and the next comes when it has ended', async () => {
      const { project_id, job_id } = await made.submit('IMPORT');
      await made.jobs.cancel(ACCOUNT, project_id, job_id, NOW);
      const job = (version: number, project = project_id) => {
        const job_data = { restores_version: version };
        return newJob({ account_id: ACCOUNT, project_id: project, job_type: 'DEPLOYMENT', job_data }, NOW);
      };
      const submitted = await Promise.all([1, 2, 3, 4].map(() => made.jobs.submitOnce(job(7))));
      const ids = new Set(submitted.map((one) => (one as { job_id: string }).job_id));
      assert.equal(ids.size, 1, JSON.stringify(submitted));
      const [first] = ids;
      const other = job(8);
      assert.deepEqual(await made.jobs.submitOnce(other), { job_id: other.job_id });
      // What has ended does not count, however often there was one.
      let latest = first;
      for (let round = 0; round < 5; round++) {
        await made.jobs.cancel(ACCOUNT, project_id, latest, NOW);
        const next = job(7);
        assert.deepEqual(await made.jobs.submitOnce(next), { job_id: next.job_id });
        latest = next.job_id;
      }
      assert.equal(await made.jobs.submitOnce(job(7, 'prj_gone')), 'missing-project');
      for (const job_id of [other.job_id, latest]) await made.jobs.cancel(ACCOUNT, project_id, job_id, NOW);
    });

    test('a job that has switched the deployment can be canceled no more', async () => {
      const { job, lease, candidate } = await made.announced(await made.trained(newId('project')));
      assert.ok(await made.deployments.activate(lease, candidate, NOW));
      assert.equal(await made.jobs.cancel(ACCOUNT, job.project_id, job.job_id, NOW), 'switched');
      assert.ok(await made.queue.finish(lease, { result: {} }, NOW));
      assert.equal(await made.jobs.cancel(ACCOUNT, job.project_id, job.job_id, NOW), 'ended');
    });

    test('the newest check of data is kept, for its account alone, and none of a project that is gone', async () => {
      const health = new SqlHealthStore(made.database);
      const project = await made.submit('DATA_HEALTH');
      await made.jobs.cancel(ACCOUNT, project.project_id, project.job_id, NOW);
      const report = (checked_ts: number) => ({ checked_ts }) as DataHealth;
      const kept = async () => (await health.get(ACCOUNT, project.project_id))?.checked_ts;
      assert.equal(await kept(), undefined);
      await health.save(project, report(5));
      assert.equal(await kept(), 5);
      await health.save(project, report(4));
      assert.equal(await kept(), 5, 'a check that began before does not replace it');
      await health.save(project, report(6));
      assert.equal(await kept(), 6);
      assert.equal(await health.get('acc_2', project.project_id), null);
      await health.save({ account_id: ACCOUNT, project_id: 'prj_gone' }, report(7));
      assert.equal(await health.get(ACCOUNT, 'prj_gone'), null);
      await health.save({ account_id: 'acc_2', project_id: project.project_id }, report(8));
      assert.equal(await kept(), 6);
    });
  });
}
