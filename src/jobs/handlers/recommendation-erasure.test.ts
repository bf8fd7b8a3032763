// Users who are deleted while a job makes lists for them.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { parsedLines } from '../../../test/support/job-run.ts';
import { newJob } from '../../../test/support/new-ids.ts';
import { PEOPLE, recommendationPlaces } from '../../../test/support/recommendation-stage.ts';
import { makeEvent } from '../../../test/support/store-fixtures.ts';
import { ResultEraser } from '../../results/erase-users.ts';
import { DELETED_USER } from '../../results/named-users.ts';
import type { Publication } from '../../store/job-queue.ts';

const stage = recommendationPlaces();

test('lists are not published when a user was deleted after they were written', async () => {
  const { store, project, data, ask } = await stage();
  const { account_id, project_id, event_dataset_id } = project;
  const events = (await store.datasets.get(account_id, 'event', event_dataset_id))!;
  const attempt = async (meanwhile: () => Promise<unknown>) => {
    const job = newJob({ account_id, project_id, job_type: 'RECOMMENDATION', job_data: data });
    await store.jobs.submit(job);
    const claimed = (await store.queue.claim('worker', ['RECOMMENDATION'], Date.now()))!;
    const { done } = await ask({}, { ...claimed, attemptId: `${job.job_id}-1` });
    await meanwhile();
    const isPublished = await store.queue.finish(claimed.lease, done as Publication, Date.now());
    if (!isPublished) await store.jobs.cancel(account_id, project_id, job.job_id, Date.now());
    return isPublished;
  };
  assert.equal(await attempt(async () => {}), true);
  assert.equal(await attempt(() => store.events.deleteOfUser(events, 'u1')), false);
  assert.equal(await attempt(async () => {}), true, 'the next one is without that user');
});

test('users who are deleted while lists are put into the store are taken out of all files', async (t) => {
  const { store, blobs, project, ask, takeResult } = await stage();
  const events = (await store.datasets.get(project.account_id, 'event', project.event_dataset_id))!;
  const putFile = blobs.putFile.bind(blobs);
  let put = 0;
  t.mock.method(blobs, 'putFile', async (key: string, path: string) => {
    await putFile(key, path);
    if (++put === 2) assert.ok((await store.events.deleteOfUser(events, 'u1')) > 0);
  });
  const { done } = await ask({ format: 'csv' });
  const { jsonl, csv } = await takeResult();
  const names = parsedLines(jsonl).map(({ user_id }) => user_id);
  assert.deepEqual(names.toSorted(), [DELETED_USER, 'u0', 'u2', 'u3', 'u9'].toSorted());
  assert.deepEqual(
    csv
      .trimEnd()
      .split('\r\n')
      .slice(1)
      .map((row) => row.split(',')[0]),
    names,
  );
  const { datasetIds, count } = (done as Publication).erasures!;
  assert.equal(await store.datasets.erasures(datasetIds), count);
});

test('a user of the job whom nobody knows is no deleted user when others are deleted', async (t) => {
  const { store, blobs, project, ask, takeResult } = await stage();
  const events = (await store.datasets.get(project.account_id, 'event', project.event_dataset_id))!;
  const putFile = blobs.putFile.bind(blobs);
  t.mock.method(blobs, 'putFile', async (key: string, path: string) => {
    await putFile(key, path);
    await store.events.deleteOfUser(events, 'u1');
  });
  await ask({ users: { user_ids: ['u0', 'u1', 'new'] } });
  const names = parsedLines((await takeResult()).jsonl).map(({ user_id }) => user_id);
  assert.deepEqual(names, ['u0', DELETED_USER, 'new']);
});

test('a user of the job who came and was deleted while it ran is taken out', async (t) => {
  const { store, blobs, project, ask, takeResult } = await stage();
  const events = (await store.datasets.get(project.account_id, 'event', project.event_dataset_id))!;
  const localFile = blobs.localFile.bind(blobs);
  t.mock.method(blobs, 'localFile', async (key: string) => {
    await store.events.upsert(events, [makeEvent({ event_id: 'late', user_id: 'new', item_id: 'i1' })]);
    return localFile(key);
  });
  const putFile = blobs.putFile.bind(blobs);
  t.mock.method(blobs, 'putFile', async (key: string, path: string) => {
    await putFile(key, path);
    await store.events.deleteOfUser(events, 'new');
  });
  await ask({ users: { user_ids: ['u0', 'new', 'newer'] } });
  const names = parsedLines((await takeResult()).jsonl).map(({ user_id }) => user_id);
  assert.deepEqual(names, ['u0', DELETED_USER, 'newer']);
});

test('an attribute of items named user_id stays as it is when users are deleted', async (t) => {
  const { store, blobs, project, ask, takeResult } = await stage();
  const { account_id, event_dataset_id, item_dataset_id } = project;
  const items = (await store.datasets.get(account_id, 'item', item_dataset_id))!;
  await store.items.upsert(
    items,
    [...PEOPLE.keys()].map((n) => ({ id: `i${n}`, attributes: { user_id: 'seller', user_ids: ['u0'] } })),
  );
  const events = (await store.datasets.get(account_id, 'event', event_dataset_id))!;
  const attributes = ['user_id', 'user_ids'];
  const erasing = { store, blobs, scratchDir: mkdtempSync(join(tmpdir(), 'kindred-')) };
  t.after(() => rmSync(erasing.scratchDir, { recursive: true }));
  const putFile = blobs.putFile.bind(blobs);
  let put = 0;
  t.mock.method(blobs, 'putFile', async (key: string, path: string) => {
    await putFile(key, path);
    if (++put === 2) assert.ok((await store.events.deleteOfUser(events, 'u1')) > 0);
  });
  const { result } = await ask({ format: 'csv', attributes });
  t.mock.method(store.jobs, 'resultsOver', async () => [result]);
  assert.equal(await new ResultEraser(erasing).erase(account_id, event_dataset_id, ['seller', 'u0']), 1);
  assert.equal(await new ResultEraser(erasing).erase(account_id, event_dataset_id, ['seller']), 0, 'is no user of it');
  const { jsonl, csv } = await takeResult();
  const named = parsedLines(jsonl);
  assert.deepEqual(
    named.map(({ user_id }) => user_id).toSorted(),
    [DELETED_USER, DELETED_USER, 'u2', 'u3', 'u9'].toSorted(),
  );
  for (const { item } of named.flatMap(({ results }) => results)) {
    assert.deepEqual([item.user_id, item.user_ids], ['seller', ['u0']]);
  }
  assert.equal(csv.match(/,seller,"\[""u0""\]"/g)?.length, named.length);
});
