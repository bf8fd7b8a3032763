import assert from 'node:assert/strict';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import { parquetReadObjects } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { versionOf } from '../../../test/support/filled-account.ts';
import { parsedLines } from '../../../test/support/job-run.ts';
import { newJob } from '../../../test/support/new-ids.ts';
import { PEOPLE, type RecommendationPlace, recommendationPlaces } from '../../../test/support/recommendation-stage.ts';
import { makeEvent } from '../../../test/support/store-fixtures.ts';
import type { EntityRecord } from '../../domain/record.ts';
import { Opened } from '../../pieces/opened.ts';
import { DELETED_USER } from '../../results/named-users.ts';
import { referenceOf, resultKey } from '../../results/result-link.ts';
import type { ClaimedJob } from '../../store/job-queue.ts';
import { isSplit, type JobContext } from '../job-handler.ts';
import { removePieces } from '../parts/piece-files.ts';
import { ListThreads } from '../recommendation/list-threads.ts';

const stage = recommendationPlaces();

/** Runs a job of all users in parts of two. `afterPart`: is told how many parts are done. */
async function runInParts(
  { store, dataDir, project, data, ask }: RecommendationPlace,
  change: object,
  afterPart: (done: number) => Promise<unknown> = async () => {},
) {
  const { account_id, project_id } = project;
  const job = newJob({ account_id, project_id, job_type: 'RECOMMENDATION', job_data: { ...data, ...change } });
  await store.jobs.submit(job);
  const steps: string[] = [];
  for (;;) {
    const claimed = await store.queue.claim('worker', ['RECOMMENDATION'], Date.now());
    if (claimed === null) break;
    const attemptId = `${claimed.lease.jobId}-1`;
    const { done } = await ask(change, { ...claimed, attemptId, config: { dataDir, jobPartUsers: 2 } });
    steps.push(isSplit(done) ? `${done.split.length} parts` : claimed.part === null ? 'joined' : 'part');
    if (isSplit(done)) assert.ok(await store.queue.split(claimed.lease, done.split));
    else assert.ok(await store.queue.finish(claimed.lease, done, Date.now()));
    if (steps.at(-1) === 'part') await afterPart(steps.length - 1);
  }
  assert.deepEqual(steps, ['3 parts', 'part', 'part', 'part', 'joined']);
  return (await store.jobs.get(account_id, project_id, job.job_id))!;
}

test('a job that is cut gives the lists of one that is not', async () => {
  const staged = await stage();
  const { dataDir, ask, takeResult } = staged;
  const format = { format: 'csv' };
  await ask(format);
  const whole = await takeResult();
  const listed = parsedLines(whole.jsonl);
  assert.equal(listed.length, 5);
  assert.deepEqual(
    whole.csv.trimEnd().split(/\r?\n/).slice(1),
    listed.map(({ user_id, results: [{ item, score }] }) => `${user_id},1,${item.item_id},${score}`),
  );
  assert.ok(!isSplit((await ask(format, { config: { dataDir, jobPartUsers: 4 } })).done), 'it is small enough');
  assert.deepEqual(await takeResult(), whole);
  const ended = await runInParts(staged, format);
  assert.deepEqual(await takeResult(), whole);
  assert.deepEqual([ended.job_status, ended.job_result?.message], ['SUCCEED', 'Lists for 5 users.']);
});

test('the table of a job that is cut has one type for a column, also when items changed from part to part', async () => {
  const staged = await stage();
  const { store, project, blobs } = staged;
  const items = (await store.datasets.get(project.account_id, 'item', project.item_dataset_id))!;
  const sizeOf = (size: unknown) =>
    store.items.upsert(items, [...PEOPLE.keys()].map((n) => ({ id: `i${n}`, attributes: { size } })) as EntityRecord[]);
  await sizeOf(7);
  const ended = await runInParts(staged, { format: 'parquet', attributes: ['size'] }, async (done) => {
    if (done === 1) await sizeOf('large');
  });
  assert.deepEqual(ended.job_result?.attribute_types, { size: 'text' });
  const reference = referenceOf(ended.job_result?.download_path as string)!;
  const bytes = await buffer((await blobs.read(resultKey(reference, 'parquet'))).stream);
  const rows = await parquetReadObjects({ file: new Uint8Array(bytes).buffer, compressors });
  assert.deepEqual(
    rows.map(({ size }) => size),
    ['7', '7', 'large', 'large', 'large'],
  );
  await staged.takeResult();
});

test('all parts work by the placement as it was when the job began', async () => {
  const staged = await stage();
  const { store, project } = staged;
  const { account_id, project_id, item_dataset_id } = project;
  const items = (await store.datasets.get(account_id, 'item', item_dataset_id))!;
  const titled = [...PEOPLE.keys()].map((n) => ({ id: `i${n}`, attributes: { title: `T${n}`, price: n + 0.5 } }));
  await store.items.upsert(items, titled as EntityRecord[]);
  const showing = (version: number, attributes: string[]) => {
    const made = versionOf(version);
    return { ...made, definition: { ...made.definition, defaults: { attributes, limit: 1 } } };
  };
  const current = showing(1, ['title', 'price']);
  await store.placements.create({ account_id, project_id, name: 'home', created_ts: 1, current });
  const asked = { placement: 'home', limit: null, objective: 'discover', format: 'csv' };
  await staged.ask(asked);
  const whole = await staged.takeResult();
  assert.match(whole.csv, /^user_id,rank,item_id,score,title,price\r\nu0,1,i\d,[\d.]+,T\d,\d.5\r\n/);
  const named = { accountId: account_id, projectId: project_id, name: 'home' };
  await runInParts(staged, asked, async (done) => {
    if (done === 1) assert.ok(await store.placements.change(named, showing(2, ['price', 'title'])));
  });
  assert.deepEqual(await staged.takeResult(), whole);
});

test('who was deleted after a job was cut is in none of its lists, also when others were deleted before', async () => {
  const staged = await stage();
  const { store, project } = staged;
  const events = (await store.datasets.get(project.account_id, 'event', project.event_dataset_id))!;
  const forget = (user: string) => store.events.deleteOfUser(events, user);
  await forget('u3');
  await runInParts(staged, {}, async (done) => {
    if (done === 3) await forget('u1');
  });
  const names = (await staged.lists()).map(({ user_id }) => user_id);
  assert.deepEqual(names.toSorted(), [DELETED_USER, 'u0', 'u2', 'u9'].toSorted());
});

/** A job of all users whose parts are claimed one by one. */
async function cutJob({ store, dataDir, project, data, ask }: RecommendationPlace, jobPartUsers: number) {
  const { account_id, project_id } = project;
  await store.jobs.submit(newJob({ account_id, project_id, job_type: 'RECOMMENDATION', job_data: data }));
  const claim = async () => (await store.queue.claim('worker', ['RECOMMENDATION'], Date.now()))!;
  const work = (claimed: ClaimedJob, context: Partial<JobContext> = {}) =>
    ask({}, { ...claimed, config: { dataDir, jobPartUsers }, ...context });
  const whole = await claim();
  const { done } = await work(whole);
  assert.ok(isSplit(done) && (await store.queue.split(whole.lease, done.split)));
  const parts: ClaimedJob[] = [];
  for (const _ of done.split) parts.push(await claim());
  return { parts, claim, work };
}

test('a part fails as soon as the result is too large with what other parts have made', async () => {
  const staged = await stage();
  const { parts, work } = await cutJob(staged, 2);
  const [first, second] = parts;
  assert.ok(await work(second), 'alone it is small enough');
  const large = { facts: { users: 2, bytes: 8 * 1024 ** 3 - 1, attributes: [], files: [] } };
  assert.ok(await staged.store.queue.finish(first.lease, { result: large }, Date.now()));
  await assert.rejects(work(second), { code: 'RESULT_TOO_LARGE' });
});

test('a worker that begins with the small last part of a large job makes lists on all cores', async () => {
  const staged = await stage();
  const { store, project } = staged;
  const events = (await store.datasets.get(project.account_id, 'event', project.event_dataset_id))!;
  const many = Array.from({ length: 2001 }, (_, n) =>
    makeEvent({ event_id: `many-${n}`, ts: n, user_id: `many-${n}`, item_id: 'i0', event_type: 'buy' }),
  );
  await store.events.upsert(events, many);
  const { parts, work } = await cutJob(staged, 1500);
  const opened = new Opened();
  try {
    await work(parts.at(-1)!, { opened });
    assert.ok((await opened.once('lists', () => assert.fail('nothing was kept'))) instanceof ListThreads);
  } finally {
    await opened.close();
  }
});

test('a job whose parts have no files any more fails and says what to do', async () => {
  const staged = await stage();
  const { store, blobs } = staged;
  const { parts, claim, work } = await cutJob(staged, 2);
  for (const part of parts) {
    const { done } = await work(part);
    assert.ok(!isSplit(done) && (await store.queue.finish(part.lease, done, Date.now())));
  }
  const joining = await claim();
  await removePieces(blobs, joining.job.job_id);
  await assert.rejects(work(joining), {
    name: 'JobFailure',
    code: 'PARTS_MISSING',
    message: "Files of this job's parts are missing, for example after a restore. Submit the job again.",
  });
});
