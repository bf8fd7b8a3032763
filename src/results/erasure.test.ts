// Users who are deleted while a job runs, or after it has published a result.
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { plantedProject } from '../../test/support/planted-project.ts';
import { makeEvent } from '../../test/support/store-fixtures.ts';
import { SAMPLE_USERS } from '../insight/clustering/sampled-groups.ts';
import { clusteringSteps } from '../insight/clustering-steps.ts';
import type { InsightRun } from '../insight/insight-run.ts';
import { queryingSteps } from '../insight/querying-steps.ts';
import { asOnePiece } from '../pieces/one-piece.ts';
import { KEPT_HISTORIES_PREFIX } from '../store/blob-store.ts';
import { ResultEraser } from './erase-users.ts';
import { ErasureGuard } from './erasure-guard.ts';
import { discardResult } from './publish-result.ts';
import { type ResultFormat, resultKey } from './result-link.ts';

const query = (run: InsightRun) => asOnePiece(run, queryingSteps);
const findGroups = (run: InsightRun) => asOnePiece(run, clusteringSteps(SAMPLE_USERS));

let planted: Awaited<ReturnType<typeof plantedProject>>;
before(async () => {
  planted = await plantedProject({ groups: 2, usersPerGroup: 20, itemsPerGroup: 10, eventsPerUser: 6, loyalty: 0.9 });
});
after(() => planted.close());

const everybody = { query_type: 'user_list', queries: [{ conditions: [anyUsage('genre-0')] }] };
function anyUsage(value: string) {
  return { attribute: 'genre', value, lower_bound: null, upper_bound: null };
}

async function fileOf(run: InsightRun, expiredAtSec: number, format: ResultFormat): Promise<string> {
  return text((await planted.blobs.read(resultKey({ resultId: run.attemptId, expiredAtSec }, format))).stream);
}

async function someUser(): Promise<string> {
  const [block] = await Array.fromAsync(planted.store.events.internedIds(planted.project.event_dataset_id, 'user'));
  return block.find((id) => !id.startsWith('\u0001'))!;
}

async function remove(userId: string): Promise<void> {
  const { store, project } = planted;
  const of = (kind: 'user' | 'event', id: string) => store.datasets.get(project.account_id, kind, id);
  await store.users.delete((await of('user', project.user_dataset_id))!, [userId]);
  assert.ok((await store.events.deleteOfUser((await of('event', project.event_dataset_id))!, userId)) > 0);
}

for (const [name, data, work] of [
  ['querying', everybody, query],
  ['clustering', { cluster_type: 'user', parameters: { min_user_num: 1, num_clusters: null, seed: 1 } }, findGroups],
] as const) {
  test(`a ${name} job leaves out whom it read and who was deleted before it wrote`, async () => {
    const type = name === 'querying' ? 'QUERYING' : 'CLUSTERING';
    const made = await planted.run(type, data);
    const userId = await someUser();
    const erasures = await ErasureGuard.begin(planted.store, made.job);
    let isRemoved = false;
    const clean = erasures!.clean.bind(erasures);
    // The files are written and not yet published.
    erasures!.clean = async (pathOf, formats) => {
      if (!isRemoved) await remove(userId);
      isRemoved = true;
      return clean(pathOf, formats);
    };
    const before = erasures!.state.count;
    const run = { ...made, erasures };
    const { expired_at_sec } = await work(run);
    for (const format of ['json', 'csv'] as const) {
      const written = await fileOf(run, expired_at_sec, format);
      assert.doesNotMatch(written, new RegExp(`[",\n]${userId}[",\r]`), `${format} names ${userId}`);
      assert.ok(written.includes('[deleted]'));
    }
    assert.ok(erasures!.state.count > before);
    assert.equal(await planted.store.datasets.erasures(erasures!.state.datasetIds), erasures!.state.count);

    await discardResult(planted.blobs, run.attemptId);
    await assert.rejects(fileOf(run, expired_at_sec, 'json'));
  });
}

test('users who are deleted while files of a result are put into the store are taken out there too', async (t) => {
  const made = await planted.run('QUERYING', everybody);
  const erasures = await ErasureGuard.begin(planted.store, made.job);
  const userId = await someUser();
  const other = 'who came later';
  const events = (await planted.store.datasets.get(made.job.account_id, 'event', planted.project.event_dataset_id))!;
  const putFile = planted.blobs.putFile.bind(planted.blobs);
  const put: string[] = [];
  t.mock.method(planted.blobs, 'putFile', async (key: string, path: string) => {
    await putFile(key, path);
    put.push(key);
    if (put.length === 3) await remove(userId);
    if (put.length !== 5) return;
    await planted.store.events.upsert(events, [makeEvent({ event_id: other, user_id: other })]);
    assert.equal(await planted.store.events.deleteOfUser(events, other), 1);
  });
  const run = { ...made, erasures };
  const { expired_at_sec } = await asOnePiece(run, queryingSteps);
  assert.equal(put.length, 5, 'the chart once, the others twice: they do not name the other user');
  for (const format of ['json', 'csv'] as const) {
    const written = await fileOf(run, expired_at_sec, format);
    assert.doesNotMatch(written, new RegExp(`[",\n]${userId}[",\r]`), `${format} names ${userId}`);
    assert.ok(written.includes('[deleted]'));
  }
  assert.equal(await planted.store.datasets.erasures(erasures!.state.datasetIds), erasures!.state.count);
});

test('a result that is too large to be written again is removed', async () => {
  const { store, blobs, project } = planted;
  const run = await planted.run('QUERYING', everybody);
  const result = await asOnePiece(run, queryingSteps);
  const jobs = { forgetUsers: async () => {}, resultsOver: async () => [result] };
  const eraser = new ResultEraser({
    store: { jobs: jobs as never, exclusively: store.exclusively },
    blobs,
    scratchDir: run.scratchDir,
    maxBytes: 100,
  });
  assert.equal(await eraser.erase(project.account_id, project.user_dataset_id, ['somebody']), 1);
  for (const format of ['json', 'csv', 'svg'] as const)
    await assert.rejects(fileOf(run, result.expired_at_sec, format), { name: 'BlobNotFound' });
});

test('results of a deleted project are removed, also one that a deletion of users writes again', async (t) => {
  const { store, blobs, project } = planted;
  const run = await planted.run('QUERYING', everybody);
  const result = await asOnePiece(run, queryingSteps);
  const jobs = { forgetUsers: async () => {}, resultsOver: async () => [result] } as never;
  let removal: Promise<void> | null = null;
  const { scratchDir } = run;
  const eraser = new ResultEraser({ store: { jobs, exclusively: store.exclusively }, blobs, scratchDir });
  const putFile = blobs.putFile.bind(blobs);
  t.mock.method(blobs, 'putFile', (key: string, path: string) => {
    removal ??= eraser.remove([result, { message: 'a result without files' }]);
    return putFile(key, path);
  });
  await eraser.erase(project.account_id, project.user_dataset_id, [await someUser()]);
  await removal;
  const place = resultKey({ resultId: run.attemptId, expiredAtSec: result.expired_at_sec }, 'json').slice(0, -5);
  assert.deepEqual(await Array.fromAsync(blobs.list(place)), []);
});

test('deletions that come at once are taken out together, and all of them are gone', async () => {
  const { store, blobs, project } = planted;
  const run = await planted.run('QUERYING', everybody);
  const result = await asOnePiece(run, queryingSteps);
  const named: string[] = JSON.parse(await fileOf(run, result.expired_at_sec, 'json')).queries[0].users.map(
    ({ user_id }: { user_id: string }) => user_id,
  );
  let looks = 0;
  const resultsOver = async () => {
    looks++;
    return [result];
  };
  const eraser = new ResultEraser({
    store: { jobs: { forgetUsers: async () => {}, resultsOver } as never, exclusively: store.exclusively },
    blobs,
    scratchDir: run.scratchDir,
  });
  const gone = named.slice(0, 20);
  await Promise.all(gone.map((id) => eraser.erase(project.account_id, project.user_dataset_id, [id])));
  assert.ok(looks <= 3, `${looks} looks for 20 calls`);
  const left: { user_id: string }[] = JSON.parse(await fileOf(run, result.expired_at_sec, 'json')).queries[0].users;
  assert.deepEqual(
    left.map(({ user_id }) => user_id),
    named.map((id) => (gone.includes(id) ? '[deleted]' : id)),
  );
});

test('a deletion of an account does not wait for those of other accounts', async () => {
  const { store, blobs, project } = planted;
  const { scratchDir } = await planted.run('QUERYING', everybody);
  const { promise: slow, resolve: end } = Promise.withResolvers<never[]>();
  const resultsOver = (accountId: string) => (accountId === 'acc_slow' ? slow : Promise.resolve([]));
  const jobs = { forgetUsers: async () => {}, resultsOver } as never;
  const eraser = new ResultEraser({ store: { jobs, exclusively: store.exclusively }, blobs, scratchDir });
  const waiting = eraser.erase('acc_slow', 'uds_slow', ['somebody']);
  try {
    const other = eraser.erase(project.account_id, project.user_dataset_id, ['somebody']);
    assert.equal(await Promise.race([other, sleep(30_000, 'it waits', { ref: false })]), 0);
  } finally {
    end([]);
    await waiting;
  }
});

test('histories that are kept for the next training with Spark are removed with any user of their events', async () => {
  const { store, blobs, project } = planted;
  const { scratchDir } = await planted.run('QUERYING', everybody);
  const own = `${KEPT_HISTORIES_PREFIX}${project.event_dataset_id}/algorithm/a.parquet`;
  const other = `${KEPT_HISTORIES_PREFIX}${project.event_dataset_id}x/algorithm/a.parquet`;
  for (const key of [own, other]) {
    await writeFile(join(scratchDir, 'local'), 'bytes');
    await blobs.putFile(key, join(scratchDir, 'local'));
  }
  await new ResultEraser({ store, blobs, scratchDir }).erase(project.account_id, project.event_dataset_id, [
    'somebody',
  ]);
  const left = await Array.fromAsync(blobs.list(KEPT_HISTORIES_PREFIX), ({ key }) => key);
  assert.deepEqual(left, [other]);
});
