// Jobs that are cut into parts: what the queue promises about parts, and that any order of parts gives the bytes of the whole job.
import assert from 'node:assert/strict';
import { mkdir, mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { after, before, describe, test } from 'node:test';
import { parquetReadObjects } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { type Job, type JobType, MAX_RETRIES } from '../../src/domain/job.ts';
import { Opened } from '../../src/insight/pieces/opened.ts';
import { RESULT_FORMATS, referenceOf, resultKey } from '../../src/insight/results/result-link.ts';
import { clusterAmong } from '../../src/jobs/handlers/clustering.ts';
import { JOB_HANDLERS } from '../../src/jobs/handlers/index.ts';
import { isSplit, type JobContext } from '../../src/jobs/job-handler.ts';
import { removePieces } from '../../src/jobs/parts/piece-files.ts';
import { BlobNotFound } from '../../src/store/blob-store.ts';
import type { ClaimedJob } from '../../src/store/job-queue.ts';
import { parsedLines } from '../support/job-run.ts';
import { newJob } from '../support/new-ids.ts';
import { genreOf, plantedProject } from '../support/planted-project.ts';
import { ACCOUNT, NOW, QueuedJobs, REASON, RETRY } from '../support/queued-jobs.ts';
import { DIALECTS_OF_LONG_SUITES, newTestPlace } from '../support/test-database.ts';

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

  describe(`jobs in parts on ${dialect}`, () => {
    let planted: Awaited<ReturnType<typeof plantedProject>>;
    before(async () => {
      planted = await plantedProject(
        { groups: 3, usersPerGroup: 60, itemsPerGroup: 12, eventsPerUser: 6, loyalty: 0.8 },
        await newTestPlace(dialect),
      );
      const { store, datasets } = planted;
      // Events that say nothing, and users who have a record and events.
      const silent = Array.from({ length: 25 }, (_, n) => ({
        ...{ event_id: `s${n}`, user_id: `s-0-${n}`, item_id: 'i-0-0', ts: n, event_type: 'idle', event_value: 1 },
        attributes: {},
      }));
      await store.events.upsert(datasets.events, silent);
      const ids = ['u-0-0', 'u-1-1', 's-0-3', 'alone-1', 'alone-2'];
      await store.users.upsert(
        datasets.users,
        ids.map((id) => ({ id, attributes: {} })),
      );
    });
    after(() => planted.close());

    /** A job of this size has more users than groups are found among. */
    const clusterSome = clusterAmong(70);
    const handlerOf = (type: JobType) => (type === 'CLUSTERING' ? clusterSome : JOB_HANDLERS[type]());
    const handle = async (type: JobType, context: object) => (await handlerOf(type))(context as JobContext);

    /** Every file of a result, without what names the run. */
    async function filesOf(job: Job, result: Record<string, unknown>): Promise<Map<string, string>> {
      const reference = referenceOf(result.download_path as string)!;
      const files = new Map<string, string>();
      for (const format of RESULT_FORMATS) {
        try {
          const bytes = await buffer((await planted.blobs.read(resultKey(reference, format))).stream);
          // Its rows are in groups as they were made, which readers do not see.
          const rows =
            format === 'parquet' ? await parquetReadObjects({ file: new Uint8Array(bytes).buffer, compressors }) : null;
          const text = rows ? JSON.stringify(rows) : bytes.toString('latin1').replaceAll(job.job_id, 'JOB');
          files.set(format, text.replace(/"created_ts":\d+/, '"created_ts":0'));
        } catch (error) {
          if (!(error instanceof BlobNotFound)) throw error;
        }
      }
      return files;
    }

    interface Way {
      /** the parts in the order they are done; left out: the last one first */
      readonly order?: (parts: readonly ClaimedJob[]) => readonly ClaimedJob[];
      /** `left`: how many parts are not done yet */
      readonly beforePart?: (left: number) => Promise<unknown>;
    }

    /** As workers do it; the first attempt of one part is lost after its work. */
    async function inParts(type: JobType, data: Record<string, unknown>, partUsers: number, way: Way = {}) {
      const { order = (parts) => parts.toReversed(), beforePart = async () => {} } = way;
      const { store, blobs, project, modelId } = planted;
      const job_data = { model_id: modelId, ...data };
      const job = newJob({ account_id: project.account_id, project_id: project.project_id, job_type: type, job_data });
      assert.equal(await store.jobs.submit(job), 'submitted');
      const base = await planted.run(type, data);
      const root = await mkdtemp(join(base.scratchDir, 'parts-'));
      let handled = 0;
      // Two workers keep what they have opened.
      const opened = [new Opened(), new Opened()];
      const run = async (claimed: ClaimedJob) => {
        const attemptId = `${claimed.lease.jobId}-${claimed.lease.attempt}`;
        const scratchDir = join(root, String(handled++));
        await mkdir(scratchDir);
        const config = { ...base.config, jobPartUsers: partUsers };
        const kept = opened[handled % opened.length];
        return handle(type, { ...base, ...claimed, attemptId, scratchDir, config, opened: kept, heard: undefined });
      };
      const claim = async () => (await store.queue.claim('worker', [type], Date.now() + handled))!;
      const whole = await claim();
      const split = await run(whole);
      assert.ok(isSplit(split));
      assert.ok(await store.queue.split(whole.lease, split.split));
      const parts: ClaimedJob[] = [];
      for (const _ of split.split) parts.push(await claim());
      const [lost] = parts;
      await run(lost);
      const mark = (await store.queue.running()).find(({ jobId }) => jobId === lost.lease.jobId)!;
      assert.ok(await store.queue.takeBack(mark, RETRY));
      parts[0] = await claim();
      for (const [n, part] of order(parts).entries()) {
        await beforePart(parts.length - n);
        const done = await run(part);
        assert.ok(!isSplit(done) && (await store.queue.finish(part.lease, done, Date.now())));
      }
      const joining = await claim();
      const done = await run(joining);
      assert.ok(!isSplit(done) && (await store.queue.finish(joining.lease, done, Date.now())));
      for (const worker of opened) await worker.close();
      await removePieces(blobs, job.job_id);
      assert.deepEqual(await Array.fromAsync(blobs.list('parts/')), []);
      return { job, result: done.result, parts: parts.length };
    }

    const RECOMMENDATION = {
      ...{
        ranker_model_id: null,
        model_given: true,
        placement: null,
        users: { all: true },
        limit: 5,
        objective: 'auto',
      },
      ...{ filter_query: null, filter_params: {}, exclude_event_types: [], attributes: ['genre'], destination: null },
    };
    const open = { lower_bound: null, upper_bound: null };
    /** Of three ranges of users with events, and the others. */
    const BY_USERS = { size: 70, parts: 4 };
    type Case = [what: string, type: JobType, data: Record<string, unknown>, cut?: typeof BY_USERS];
    const CASES: readonly Case[] = [
      [
        'a list of users',
        'QUERYING',
        {
          query_type: 'user_list',
          queries: [
            { conditions: [{ attribute: 'genre', value: genreOf(1), ...open }] },
            { conditions: [{ attribute: 'genre', value: genreOf(2), ...open, lower_bound: 0.3 }] },
            { conditions: [{ attribute: 'genre', value: 'none', ...open }] },
          ],
        },
      ],
      [
        'a distribution',
        'QUERYING',
        { query_type: 'user_distribution', queries: [{ attribute: 'genre', value: genreOf(0), bins: 7 }] },
      ],
      ['groups', 'CLUSTERING', { cluster_type: 'user', parameters: { min_user_num: 3, num_clusters: null, seed: 1 } }],
      ['lists as lines', 'RECOMMENDATION', { ...RECOMMENDATION, format: 'jsonl' }],
      ['lists as CSV', 'RECOMMENDATION', { ...RECOMMENDATION, format: 'csv' }],
      ['lists as Parquet', 'RECOMMENDATION', { ...RECOMMENDATION, format: 'parquet' }],
      ['events', 'EXPORT', { what: 'events', format: 'jsonl', destination: null }],
      ['vectors of users', 'EXPORT', { what: 'user_vectors', format: 'jsonl', destination: null }],
      ['users', 'EXPORT', { what: 'users', format: 'jsonl', destination: null }, { size: 3, parts: 3 }],
      ['items', 'EXPORT', { what: 'items', format: 'parquet', destination: null }, { size: 10, parts: 4 }],
    ];

    for (const [what, type, data, { size, parts } = BY_USERS] of CASES) {
      test(`${what}: parts give the bytes of the whole job, also when one is done twice`, async () => {
        const context = await planted.run(type, data);
        const whole = await handle(type, context);
        assert.ok(!isSplit(whole));
        const expected = await filesOf(context.job, whole.result);
        const cut = await inParts(type, data, size);
        assert.equal(cut.parts, parts);
        const found = await filesOf(cut.job, cut.result);
        assert.deepEqual([...found.keys()], [...expected.keys()]);
        for (const [format, text] of expected) assert.ok(text === found.get(format), `the ${format} file is the same`);
        assert.equal(cut.result.message, whole.result.message);
      });
    }

    /** Everybody whom lists are for, whom groups have, or who meets the first query; and how many users the result is about. */
    async function usersIn(job: Job, result: Record<string, unknown>): Promise<{ names: string[]; total: number }> {
      const files = await filesOf(job, result);
      if (files.has('jsonl')) {
        return {
          names: parsedLines(files.get('jsonl')!).map(({ user_id }) => user_id),
          total: Number(result.total_users),
        };
      }
      const { total_users: total, queries, groups, unassigned } = JSON.parse(files.get('json')!);
      const listed: { user_id: string }[] = queries?.[0].users ?? [];
      const grouped: { user_ids: string[] }[] = groups ? [...groups, unassigned] : [];
      const names = [...listed.map(({ user_id }) => user_id), ...grouped.flatMap(({ user_ids }) => user_ids)];
      return { names, total: total ?? queries[0].total_users };
    }

    for (const [what, type, data] of CASES.filter(([, jobType]) => jobType !== 'EXPORT')) {
      test(`${what}: a user whose last event is deleted while parts run is named once`, async () => {
        const { store, datasets } = planted;
        const known = (await Array.fromAsync(store.events.internedIds(datasets.events.dataset_id, 'user'))).flat();
        const [early, late] = known.filter((id) => id.startsWith('u-2-'));
        await store.users.upsert(
          datasets.users,
          [early, late].map((id) => ({ id, attributes: {} })),
        );
        const size = BY_USERS.size;
        const forward = await inParts(type, data, size, {
          order: (parts) => parts,
          beforePart: async (left) => left === 1 && (await store.events.deleteOfUser(datasets.events, early)),
        });
        const backward = await inParts(type, data, size, {
          beforePart: async (left) => left === 3 && (await store.events.deleteOfUser(datasets.events, late)),
        });
        const context = await planted.run(type, data);
        const whole = await handle(type, context);
        assert.ok(!isSplit(whole));
        const expected = await usersIn(context.job, whole.result);
        assert.ok(expected.names.length > 0 || what === 'a distribution');
        for (const { job, result } of [forward, backward]) {
          const { names, total } = await usersIn(job, result);
          assert.deepEqual([names.toSorted(), total], [expected.names.toSorted(), expected.total]);
        }
      });
    }

    test('a result that names users is not published when one was deleted while it was made', async () => {
      const { store, datasets, project } = planted;
      const { account_id, project_id } = project;
      const namesNobody = ['items'];
      for (const [n, [what, type, data]] of CASES.entries()) {
        const context = await planted.run(type, data);
        const { job } = context;
        assert.equal(await store.jobs.submit(job), 'submitted');
        const { lease } = (await store.queue.claim('worker', [type], Date.now()))!;
        const done = await handle(type, { ...context, lease });
        assert.ok(!isSplit(done));
        await store.events.deleteOfUser(datasets.events, `s-0-${10 + n}`);
        assert.equal(await store.queue.finish(lease, done, Date.now()), namesNobody.includes(what), what);
        await store.jobs.cancel(account_id, project_id, job.job_id, Date.now());
      }
    });
  });
}
