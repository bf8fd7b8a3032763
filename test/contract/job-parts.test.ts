// Jobs that are cut into parts: any order of parts gives the bytes of the whole job.
import assert from 'node:assert/strict';
import { mkdir, mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { after, before, describe, test } from 'node:test';
import { parquetReadObjects } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import type { Job, JobType } from '../../src/domain/job.ts';
import { clusterAmong } from '../../src/jobs/handlers/clustering.ts';
import { JOB_HANDLERS } from '../../src/jobs/handlers/index.ts';
import { isSplit, type JobContext } from '../../src/jobs/job-handler.ts';
import { removePieces } from '../../src/jobs/parts/piece-files.ts';
import { Opened } from '../../src/pieces/opened.ts';
import { RESULT_FORMATS, referenceOf, resultKey } from '../../src/results/result-link.ts';
import { BlobNotFound } from '../../src/store/blob-store.ts';
import type { ClaimedJob } from '../../src/store/job-queue.ts';
import { parsedLines } from '../support/job-run.ts';
import { newJob } from '../support/new-ids.ts';
import { genreOf, plantedProject } from '../support/planted-project.ts';
import { RETRY } from '../support/queued-jobs.ts';
import { DIALECTS_OF_LONG_SUITES, newTestPlace } from '../support/test-database.ts';

for (const dialect of DIALECTS_OF_LONG_SUITES) {
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
        event_id: `s${n}`,
        user_id: `s-0-${n}`,
        item_id: 'i-0-0',
        ts: n,
        event_type: 'idle',
        event_value: 1,
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
      readonly beforeJoin?: () => Promise<unknown>;
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
      await way.beforeJoin?.();
      const joining = await claim();
      const done = await run(joining);
      assert.ok(!isSplit(done) && (await store.queue.finish(joining.lease, done, Date.now())));
      for (const worker of opened) await worker.close();
      await removePieces(blobs, job.job_id);
      assert.deepEqual(await Array.fromAsync(blobs.list('parts/')), []);
      return { job, result: done.result, parts: parts.length };
    }

    const RECOMMENDATION = {
      ranker_model_id: null,
      model_given: true,
      placement: null,
      users: { all: true },
      limit: 5,
      objective: 'auto',
      filter_query: null,
      filter_params: {},
      exclude_event_types: [],
      attributes: ['genre'],
      destination: null,
    };
    const open = { lower_bound: null, upper_bound: null };
    /** Of three ranges of users with events, and the others. */
    const BY_USERS = { size: 70, parts: 4 };
    /** Nobody without events has any of these. */
    const BY_EVENTS = { size: 70, parts: 3 };
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
      ['events', 'EXPORT', { what: 'events', format: 'jsonl', destination: null }, BY_EVENTS],
      ['vectors of users', 'EXPORT', { what: 'user_vectors', format: 'jsonl', destination: null }, BY_EVENTS],
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

    test('groups are the same whether parts know them or not, and parts that do leave no points', async () => {
      const [, type, data] = CASES.find(([what]) => what === 'groups')!;
      const withPoints = async () => {
        const keys = (await Array.fromAsync(planted.blobs.list('parts/'))).map(({ key }) => key);
        return keys.filter((key) => key.endsWith('/points')).length;
      };
      const results: string[] = [];
      for (const [order, expected] of [
        [[0, 1, 2, 3], 0],
        [[1, 0, 2, 3], 1],
        [[2, 1, 3, 0], 3],
      ] as const) {
        let points = 0;
        const { job, result } = await inParts(type, data, BY_USERS.size, {
          order: (parts) => order.map((part) => parts[part]),
          beforeJoin: async () => {
            points = await withPoints();
          },
        });
        assert.equal(points, expected, `parts in the order ${order}`);
        results.push((await filesOf(job, result)).get('json')!);
      }
      assert.ok(results[0].length > 0 && new Set(results).size === 1);
    });

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
