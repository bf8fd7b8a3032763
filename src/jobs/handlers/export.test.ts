import assert from 'node:assert/strict';
import { test } from 'node:test';
import { jobPlaces, parsedLines } from '../../../test/support/job-run.ts';
import { newJob } from '../../../test/support/new-ids.ts';
import { plantModel } from '../../../test/support/plant-model.ts';
import { makeEvent } from '../../../test/support/store-fixtures.ts';
import { tasteModel } from '../../../test/support/taste-project.ts';
import { toyModel } from '../../../test/support/toy-model.ts';
import { HOUR_MS } from '../../base/durations.ts';
import type { Exported } from '../../domain/export-job.ts';
import { planImport } from '../../import/import-plan.ts';
import { recordMaker } from '../../import/record-maker.ts';
import { jsonLinesTable, peekRows } from '../../import/table.ts';
import type { ClaimedJob } from '../../store/job-queue.ts';
import { isSplit } from '../job-handler.ts';
import { JOB_HANDLERS } from './index.ts';

const newPlace = jobPlaces();
const exportData = await JOB_HANDLERS.EXPORT();

async function stage() {
  const place = await newPlace();
  const { store, project, run } = place;
  const [users, items, events] = await Promise.all(
    (['user', 'item', 'event'] as const).map(
      async (kind) => (await store.datasets.get(project.account_id, kind, project[`${kind}_dataset_id`]))!,
    ),
  );
  await store.users.upsert(users, [{ id: 'u1', attributes: { age: 30 } }]);
  await store.items.upsert(items, [
    { id: 'i1', attributes: { price: 1 } },
    { id: 'i2', attributes: {} },
  ]);
  const made = [1, 2].map((ts) =>
    makeEvent({ event_id: `e${ts}`, ts, user_id: 'u1', item_id: 'i1', event_type: 'buy' }),
  );
  await store.events.upsert(events, made);
  const exported = async (what: Exported, model_id: string | null = null) => {
    const { result, progress } = await run(exportData, 'EXPORT', {
      what,
      model_id,
      format: 'jsonl',
      destination: null,
    });
    return { result, lines: parsedLines((await place.takeResult()).jsonl), progress };
  };
  return { ...place, users, events, made, exported };
}

test('records and events are exported with the fields of the upsert calls', async () => {
  const { made, exported } = await stage();
  const users = await exported('users');
  assert.deepEqual(users.lines, [{ user_id: 'u1', attributes: { age: 30 } }]);
  const { download_path, expired_at_sec, ...told } = users.result;
  assert.deepEqual(told, { what: 'users', format: 'jsonl', total: 1, message: '1 user.' });
  assert.match(download_path, /&format=jsonl$/);
  assert.ok(expired_at_sec > Date.now() / 1000);
  assert.deepEqual(users.progress, [
    { fraction: 0.9, phase: 'read', message: '1 of 1 read.' },
    { fraction: 0.9, phase: 'write', message: 'Writing the result.' },
  ]);
  const items = await exported('items');
  assert.deepEqual(
    [items.lines, items.result.message],
    [
      [
        { item_id: 'i1', attributes: { price: 1 } },
        { item_id: 'i2', attributes: {} },
      ],
      '2 items.',
    ],
  );
  const events = await exported('events');
  assert.deepEqual([events.lines, events.result.message], [made, '2 events.']);
});

test('exported events, imported again, are the same', async () => {
  const { store, events, exported } = await stage();
  const old = [1000, 4000].map((ts) =>
    makeEvent({ event_id: `old ${ts} `, user_id: 'u ', item_id: ' i', event_type: ' view', ts, event_value: 0 }),
  );
  await store.events.upsert(events, old);
  const { lines } = await exported('events');
  async function* chunks() {
    yield Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  }
  const { sample, table } = await peekRows(await jsonLinesTable(chunks()), 10);
  const make = recordMaker(planImport(table, sample));
  assert.equal(lines.length, 4);
  assert.deepEqual((await Array.fromAsync(table.pieces)).flat().map(make), lines);
});

test('the progress of an export rises with what was read', async () => {
  const { store, users, exported } = await stage();
  const more = Array.from({ length: 1500 }, (_, n) => ({ id: `more ${n}`, attributes: {} }));
  await store.users.upsert(users, more);
  const { lines, progress } = await exported('users');
  assert.equal(lines.length, 1501);
  const fractions = progress.filter(({ phase }) => phase === 'read').map(({ fraction }) => fraction);
  assert.ok(fractions.length > 1);
  for (const [n, fraction] of fractions.entries()) assert.ok(fraction > (fractions[n - 1] ?? 0) && fraction <= 0.9);
  assert.equal(fractions.at(-1), 0.9);
});

test('vectors are those of the model, for users with events', async () => {
  const { dataDir, project, exported } = await stage();
  const model = tasteModel();
  const { modelId } = await plantModel({ dataDir }, project, model);
  const items = await exported('item_vectors', modelId);
  const { dimensions, values } = model.vectors;
  assert.deepEqual(
    items.lines.map(inFloats),
    Array.from({ length: model.warmItemCount }, (_, n) => ({
      item_id: model.itemIds.at(n),
      vector: values.subarray(n * dimensions, (n + 1) * dimensions),
    })),
  );
  const { lines, result } = await exported('user_vectors', modelId);
  assert.deepEqual([lines.length, lines[0].user_id, lines[0].vector.length], [1, 'u1', dimensions]);
  assert.equal(result.message, '1 user.');
});

test('vectors of more items than are written at once come out whole', async () => {
  const { dataDir, project, exported } = await stage();
  const model = toyModel(Array.from({ length: 2001 }, (_, n) => ({ user: `u${n}`, item: `i${n}` })));
  const { modelId } = await plantModel({ dataDir }, project, model);
  const { lines, result } = await exported('item_vectors', modelId);
  assert.equal(result.message, '2,001 items.');
  const { dimensions, values } = model.vectors;
  assert.deepEqual(
    lines.map(inFloats),
    Array.from({ length: 2001 }, (_, n) => ({
      item_id: `i${n}`,
      vector: values.subarray(n * dimensions, (n + 1) * dimensions),
    })),
  );
});

const inFloats = ({ vector, ...line }: { vector: number[] }) => ({ ...line, vector: Float32Array.from(vector) });

test('a part fails as soon as the export is too large with what other parts have made', async () => {
  const { store, project, dataDir, users, run } = await stage();
  const { account_id, project_id } = project;
  await store.users.upsert(users, [{ id: 'u2', attributes: {} }]);
  const job_data = { what: 'users', format: 'jsonl', destination: null, model_id: null };
  const submitted = newJob({ account_id, project_id, job_type: 'EXPORT', job_data });
  await store.jobs.submit(submitted);
  const claim = async () => (await store.queue.claim('worker', ['EXPORT'], Date.now()))!;
  const work = async (claimed: ClaimedJob) =>
    (await run(exportData, 'EXPORT', job_data, { ...claimed, config: { dataDir, jobPartUsers: 1 } })).done;
  const whole = await claim();
  const split = await work(whole);
  assert.ok(isSplit(split) && (await store.queue.split(whole.lease, split.split)));
  const [first, second] = [await claim(), await claim()];
  assert.ok(await work(second), 'alone it is small enough');
  const large = { facts: { objects: 1, bytes: 8 * 1024 ** 3 - 1, files: [] } };
  assert.ok(await store.queue.finish(first.lease, { result: large }, Date.now()));
  await assert.rejects(work(second), { code: 'RESULT_TOO_LARGE' });
});

test('a report has a row per day or a row per hour', async () => {
  const { store, project, events, exported } = await stage();
  const { account_id: accountId, project_id: projectId } = project;
  const origin = { accountId, projectId, modelId: null, placement: 'home', variant: null };
  const day = Math.floor(Date.now() / HOUR_MS / 24) - 5;
  const counts = [1, 2, 26].map((hour) => ({ origin, hour: day * 24 + hour, lists: hour, items: 10 * hour }));
  await store.outcomes.addServed(events, { batchId: projectId, counts, visitors: [] });
  const rowsOf = async (what: Exported) => {
    const { lines, result } = await exported(what);
    const rows = lines.map(({ placement, ts, served }) => [placement, ts / HOUR_MS - day * 24, served]);
    return { rows, message: result.message };
  };
  assert.deepEqual(await rowsOf('report_days'), {
    rows: [
      ['home', 0, 3],
      ['home', 24, 26],
    ],
    message: '2 rows.',
  });
  assert.deepEqual(await rowsOf('report_hours'), {
    rows: [
      ['home', 1, 1],
      ['home', 2, 2],
      ['home', 26, 26],
    ],
    message: '3 rows.',
  });
});

test('what was deleted before an export ran fails it', async () => {
  const { store, project, exported } = await stage();
  await store.database.atomic([{ sql: 'DELETE FROM dataset WHERE dataset_id = ?', params: [project.item_dataset_id] }]);
  await assert.rejects(exported('items'), {
    code: 'DATASET_NOT_FOUND',
    message: 'The item dataset was deleted before the job ran.',
  });
  await store.projects.delete(project.account_id, project.project_id);
  for (const what of ['users', 'items', 'report_days'] as const) {
    await assert.rejects(exported(what), { code: 'PROJECT_NOT_FOUND' });
  }
});
