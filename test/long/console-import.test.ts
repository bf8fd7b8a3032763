// Bringing own files: preview, mapping, progress, and every bad row listed with its reason.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { parquetWriteBuffer } from 'hyparquet-writer';
import type { Browser, Locator } from 'playwright-core';
import { assertAccessible } from '../browser/axe.ts';
import { JOB_TIMEOUT, launchBrowser, openPage, PHONE } from '../browser/browser.ts';
import { open, signIn } from '../browser/signed-in.ts';
import { createEmptyProject } from '../support/empty-project.ts';
import { type S3Server, startS3Server } from '../support/s3-server.ts';
import { type ServiceProcess, startServiceProcess } from '../support/service.ts';

let browser: Browser;
let service: ServiceProcess;
let s3: S3Server;

before(async () => {
  browser = await launchBrowser();
  s3 = await startS3Server('lake');
  service = await startServiceProcess({
    KINDRED_ROLES: 'api,worker',
    KINDRED_IMPORT_SOURCES: s3.url('in'),
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
  });
});
after(async () => {
  await browser?.close();
  await service?.stop();
  await s3?.close();
});

const FILES = [
  { name: 'customers.csv', mimeType: 'text/csv', text: 'customer_id;age;city\nc1;34;Porto\nc2;51;Lyon\n' },
  {
    name: 'products.jsonl',
    mimeType: 'application/jsonl',
    text: '{"item_id":"p1","name":"Lamp","price":19.5}\nnot json\n{"item_id":"p2","name":"Chair","price":80}\n',
  },
  {
    name: 'orders.csv',
    mimeType: 'text/csv',
    text: [
      'buyer,item_id,when,kind',
      'c1,p1,2026-01-02T10:00:00Z,buy',
      ',p1,2026-01-02T10:00:00Z,buy',
      'c2,p2,soon,buy',
      `c2,${'p'.repeat(300)},2026-01-03T10:00:00Z,buy`,
      'c2,p2,2026-01-04T10:00:00Z,view',
    ].join('\n'),
  },
];

test('files with bad rows are imported, the bad rows listed with reasons, the rest stored', async () => {
  const page = await openPage(browser);
  await signIn(page, service);
  await open(page, '/import');
  const chooser = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Choose files' }).click();
  await (await chooser).setFiles(FILES.map(({ text, ...file }) => ({ ...file, buffer: Buffer.from(text) })));

  // The customer file explains itself; in the orders the columns for user and time have names of their own.
  const customers = page.getByRole('region', { name: 'customers.csv', exact: true });
  await customers.getByText('city: Porto').waitFor();
  const orders = page.getByRole('region', { name: 'orders.csv', exact: true });
  await orders.getByRole('radio', { name: 'Events' }).click();
  await orders.getByText('A column is still missing').waitFor();
  await choose(orders, 'user_id', 'buyer');
  await choose(orders, 'ts (required)', 'when');
  await choose(orders, 'event_type', 'kind');
  await orders.getByText('ts is not a date: soon').waitFor();
  await assertAccessible(page, 'the import page with previews');

  await page.getByRole('button', { name: 'Import 3 files' }).click();
  await page.getByRole('link', { name: 'Continue to recommendations' }).waitFor();
  await orders.getByText('Done: 2 rows imported').waitFor();
  await orders.getByText('3 rows were skipped').waitFor();
  const failed = orders.getByRole('table');
  assert.match((await failed.getByRole('row').nth(1).textContent()) ?? '', /^2user_id is empty/);
  assert.match((await failed.getByRole('row').nth(2).textContent()) ?? '', /^3ts is not a date: soon/);
  assert.match((await failed.getByRole('row').nth(3).textContent()) ?? '', /^4.*item_id/);
  const products = page.getByRole('region', { name: 'products.jsonl', exact: true });
  await products.getByText('1 row was skipped').waitFor();

  const { event_datasets } = await service.ok('GET', '/list-event-datasets');
  assert.equal(event_datasets[0].num_records, 2);
  assert.equal(event_datasets[0].name, 'orders');
  assert.deepEqual(page.complaints, []);
});

test('an import that was interrupted goes on in the dataset it created', async () => {
  const page = await openPage(browser);
  await signIn(page, service);
  await open(page, '/import');
  const chooser = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Choose files' }).click();
  const buffer = Buffer.from('item_id,color\nm1,blue\nm2,white\n');
  await (await chooser).setFiles([{ name: 'mugs.csv', mimeType: 'text/csv', buffer }]);
  await page.route('**/upsert-dataset-items', (route) => route.abort());
  await page.getByRole('button', { name: 'Import this file' }).click();
  await page.getByRole('alert').getByRole('button', { name: 'Try again' }).waitFor();
  await page.unroute('**/upsert-dataset-items');
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByText('Done: 2 rows imported').waitFor();
  const { item_datasets } = await service.ok('GET', '/list-item-datasets');
  const mugs = item_datasets.filter(({ name }: { name: string }) => name === 'mugs');
  assert.deepEqual(
    mugs.map(({ num_records }: { num_records: number }) => num_records),
    [2],
  );
});

test('a file that is changed or removed while another one is sent is sent as its card shows it', async () => {
  const page = await openPage(browser);
  await signIn(page, service);
  await open(page, '/import');
  const sending = Promise.withResolvers<void>();
  await page.route('**/upsert-dataset-users', async (route) => {
    await sending.promise;
    await route.continue();
  });
  const chooser = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Choose files' }).click();
  const mimeType = 'text/csv';
  await (await chooser).setFiles([
    { name: 'first.csv', mimeType, buffer: Buffer.from('user_id,age\nv1,3\n') },
    { name: 'second.csv', mimeType, buffer: Buffer.from('item_id,color\nv1,blue\n') },
    { name: 'third.csv', mimeType, buffer: Buffer.from('user_id,item_id,ts\nv1,v1,1762000000000\n') },
  ]);
  await page.getByRole('button', { name: 'Import 3 files' }).click();
  const second = page.getByRole('region', { name: 'second.csv', exact: true });
  await page.getByRole('region', { name: 'first.csv', exact: true }).getByText('Starting').waitFor();
  await second.getByLabel('Name of the new dataset').fill('renamed');
  await page.getByRole('button', { name: 'Remove third.csv' }).click();
  sending.resolve();
  await second.getByText('Done: 1 row imported').waitFor();
  await page.getByRole('link', { name: 'Continue to recommendations' }).waitFor();
  const { item_datasets } = await service.ok('GET', '/list-item-datasets');
  const { event_datasets } = await service.ok('GET', '/list-event-datasets');
  const names = [...item_datasets, ...event_datasets].map(({ name }: { name: string }) => name);
  assert.ok(names.includes('renamed'), names.join());
  assert.ok(!names.includes('third'), names.join());
  assert.deepEqual(page.complaints, []);
});

test('a Parquet file is imported with its types', async () => {
  const page = await openPage(browser);
  await signIn(page, service);
  await open(page, '/import');
  const rows = Array.from({ length: 300 }, (_, n) => n);
  const file = parquetWriteBuffer({
    columnData: [
      { name: 'item_id', data: rows.map((n) => `film-${n}`), type: 'STRING' },
      { name: 'price', data: rows.map((n) => n / 4), type: 'DOUBLE' },
      { name: 'in_stock', data: rows.map((n) => n % 2 === 0), type: 'BOOLEAN' },
    ],
    codec: 'SNAPPY',
    rowGroupSize: 100,
  });
  const chooser = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Choose files' }).click();
  await (await chooser).setFiles([{ name: 'films.parquet', mimeType: '', buffer: Buffer.from(file) }]);
  await page.getByText('price: 0.25').waitFor();
  await page.getByRole('button', { name: 'Import this file' }).click();
  await page.getByText('Done: 300 rows imported').waitFor();
  const { item_datasets } = await service.ok('GET', '/list-item-datasets');
  const { item_dataset_id } = item_datasets.find(({ name }: { name: string }) => name === 'films');
  const record = await service.ok('GET', '/get-dataset-record', { item_dataset_id, item_id: 'film-299' });
  assert.deepEqual(record.attributes, { price: 74.75, in_stock: false });
  assert.deepEqual(page.complaints, []);
});

test('the service imports a file in S3, with the columns the visitor names', async () => {
  const { event_dataset_id } = await createEmptyProject(service, 'lake shop');
  s3.objects.set('in/Orders.csv', Buffer.from('buyer,item_id,ts\nc1,p1,1762000000000\n,p2,1762000000000\n'));
  const page = await openPage(browser);
  await signIn(page, service);
  await open(page, '/import');
  const card = page.getByRole('region', { name: 'From S3', exact: true });
  await card.getByLabel('Address').fill('s3://other/Orders.csv');
  await choose(card, 'Rows are', 'Events');
  await card.getByLabel('user_id').fill('buyer');
  await assertAccessible(page, 'the import page with a file in S3');
  await card.getByRole('button', { name: 'Import from S3' }).click();
  await card.getByRole('alert').getByText('is not a file below a place this service may read from').waitFor();
  page.complaints.length = 0;
  await card.getByLabel('Address').fill('s3://lake/in/Orders.csv');
  await card.getByRole('button', { name: 'Import from S3' }).click();
  await page.getByText('1 row imported, 1 row skipped.', { exact: true }).waitFor(JOB_TIMEOUT);
  await page.getByText('user_id is empty').waitFor();
  await page.getByRole('link', { name: 'Open the dataset' }).waitFor();
  assert.equal((await service.ok('GET', '/get-event-dataset', { event_dataset_id })).num_records, 1);
  assert.deepEqual(page.complaints, []);
});

test('a dataset shows its records, looks one up, and deletes old events after telling how many', async () => {
  const page = await openPage(browser, { viewport: PHONE });
  await signIn(page, service);
  const listed = await service.ok('GET', '/list-event-datasets');
  const event_datasets = listed.event_datasets.filter(({ name }: { name: string }) => name === 'orders');
  await open(page, `/datasets/event/${event_datasets[0].event_dataset_id}`);
  await page.getByRole('region', { name: 'Types' }).getByText('buy').waitFor();
  await page.getByRole('heading', { name: 'No attributes' }).waitFor();
  await assertAccessible(page, 'an event dataset on a phone');
  assert.equal(
    await page.evaluate('document.documentElement.scrollWidth <= innerWidth'),
    true,
    'nothing scrolls sideways',
  );

  await page.getByLabel('event_id').fill('no such event');
  await page.getByRole('button', { name: 'Look up' }).click();
  await page.getByRole('alert').getByText('The event was not found in the dataset').waitFor();
  page.complaints.length = 0;

  // The count of a time that was changed meanwhile is not offered for the new one.
  await page.route('**/delete-dataset-events-before-ts', async (route) => {
    await page.getByLabel('Before').fill('2026-01-03T00:00');
    await route.continue();
  });
  await page.getByLabel('Before').fill('2026-01-05T00:00');
  const late = page.waitForResponse('**/delete-dataset-events-before-ts');
  await page.getByRole('button', { name: 'Count them' }).click();
  await (await late).finished();
  await page.unroute('**/delete-dataset-events-before-ts');
  await page.locator('button[data-pending]').waitFor({ state: 'detached' });
  assert.equal(await page.getByRole('button', { name: 'Delete 2 events' }).count(), 0);
  await page.getByRole('button', { name: 'Count them' }).click();
  await page.getByRole('button', { name: 'Delete 1 event' }).click();
  await page.getByRole('button', { name: 'Delete them' }).click();
  await page.getByText('1 event deleted').waitFor();
  const { num_records } = await service.ok('GET', '/get-event-dataset', {
    event_dataset_id: event_datasets[0].event_dataset_id,
  });
  assert.equal(num_records, 1);
  assert.deepEqual(page.complaints, []);
});

/** Picks a value of a select field, as a visitor does. */
async function choose(scope: Locator, label: string, value: string): Promise<void> {
  await scope.getByRole('button', { name: label }).click();
  await scope.page().getByRole('option', { name: value, exact: true }).click();
}
