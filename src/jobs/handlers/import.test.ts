import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { jobPlaces } from '../../../test/support/job-run.ts';
import { type S3Server, startS3Server } from '../../../test/support/s3-server.ts';
import { JOB_HANDLERS } from './index.ts';

const newPlace = jobPlaces();
const importData = await JOB_HANDLERS.IMPORT();

process.env.AWS_ACCESS_KEY_ID ??= 'test';
process.env.AWS_SECRET_ACCESS_KEY ??= 'test';

let server: S3Server;
before(async () => {
  server = await startS3Server('lake');
});
after(() => server.close());

async function stage() {
  const place = await newPlace({ importSources: [server.url('in')] });
  const run = (name: string, text: string, data: object = {}) => {
    server.objects.set(`in/${name}`, Buffer.from(text));
    return place.run(importData, 'IMPORT', { source: `s3://lake/in/${name}`, ...data });
  };
  return { ...place, importFile: run };
}

test('an import tells what it stored and which rows it skipped', async () => {
  const { store, project, importFile } = await stage();
  const { result, progress } = await importFile('films.csv', 'item_id,price\ni1,3\n,4\ni2,5\n', { kind: 'items' });
  const { notes: _, ...told } = result;
  assert.deepEqual(told, {
    kind: 'items',
    dataset_id: project.item_dataset_id,
    rows: 3,
    stored: 2,
    skipped: 1,
    warnings: {},
    skipped_rows: [{ row: 2, code: 'UNREADABLE_ROW', message: 'item_id is empty' }],
    message: '2 rows imported, 1 row skipped.',
  });
  assert.deepEqual(progress[0], { fraction: 0.2, phase: 'download', message: 'Downloading the file.' });
  assert.deepEqual(progress.at(-1), { fraction: 1, phase: 'import', message: '2 rows imported, 1 row skipped.' });
  assert.deepEqual((await store.items.get(project.item_dataset_id, 'i2'))?.attributes, { price: 5 });
  const rows = Array.from({ length: 12_000 }, (_, n) => `i${n},${n}\n`).join('');
  const { result: many } = await importFile('many.csv', `item_id,price\n${rows}`, { kind: 'items' });
  assert.deepEqual([many.rows, many.message], [12_000, '12,000 rows imported.'], 'of several batches');
  const { result: one } = await importFile('people.jsonl', '{"user_id":"u1"}\n', { kind: 'users' });
  assert.equal(one.message, '1 row imported.');
});

test('a file of which nothing can be stored fails with the reason of its first row', async () => {
  const { importFile } = await stage();
  const rows = Array.from({ length: 120 }, (_, n) => `,${n}\n`).join('');
  await assert.rejects(importFile('films.csv', `item_id,price\n${rows}`, { kind: 'items' }), {
    code: 'NOTHING_IMPORTED',
    message: /^None of 120 rows could be stored\. Row 1: .*item_id/,
  });
});

test('a file that cannot be used fails the job with its address and what to do', async () => {
  const { run, importFile } = await stage();
  const failing = (address: string) => run(importData, 'IMPORT', { source: address });
  await assert.rejects(failing('s3://lake/out/films.csv'), {
    code: 'SOURCE_NOT_ALLOWED',
    message: 'This worker may not read s3://lake/out/films.csv. Set KINDRED_IMPORT_SOURCES on workers too.',
  });
  await assert.rejects(failing('s3://lake/in/gone.csv'), {
    code: 'SOURCE_NOT_FOUND',
    message: 's3://lake/in/gone.csv does not exist (NoSuchKey). Check the address.',
  });
  server.fail(1, 403);
  await assert.rejects(failing('s3://lake/in/films.csv'), {
    code: 'SOURCE_REFUSED',
    message: 's3://lake/in/films.csv was refused: InternalError (403).',
  });
  await assert.rejects(importFile('films.csv', 'title,price\nA,1\n', { kind: 'items' }), { code: 'UNCLEAR_COLUMNS' });
  await assert.rejects(importFile('films.parquet', 'no table', { kind: 'items' }), {
    code: 'UNREADABLE_FILE',
    message: /^s3:\/\/lake\/in\/films\.parquet .*\.$/,
  });
});

test('an import into a project or dataset that was deleted meanwhile fails', async () => {
  const { store, project, importFile } = await stage();
  const { account_id, project_id, item_dataset_id } = project;
  const importItems = () => importFile('films.csv', 'item_id\ni1\n', { kind: 'items' });
  const deleted = { sql: 'DELETE FROM dataset WHERE dataset_id = ?', params: [item_dataset_id] };
  await store.database.atomic([deleted]);
  const message = 'The item dataset was deleted before the job ran.';
  await assert.rejects(importItems(), { code: 'DATASET_NOT_FOUND', message });
  await store.projects.delete(account_id, project_id);
  await assert.rejects(importItems(), { code: 'PROJECT_NOT_FOUND' });
});
