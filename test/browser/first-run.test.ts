// The whole way of a newcomer: an empty service, the sample, project, training, deployment, recommendations, the playground,
// a histogram, groups. And a job that fails, with the reason in full.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { eventually } from '../support/eventually.ts';
import { type ServiceProcess, startServiceProcess } from '../support/service.ts';
import { assertAccessible } from './axe.ts';
import { DESKTOP, JOB_TIMEOUT, launchBrowser, openPage, PHONE, type WatchedPage } from './browser.ts';
import { open, signIn } from './signed-in.ts';

/** On a busy machine a page may be drawn again long after an event. */
const MOMENTS_AGO = /(just now|\d\d seconds ago|[1-5] minutes? ago)/;

let browser: Browser;
let service: ServiceProcess;
let page: WatchedPage;

before(async () => {
  browser = await launchBrowser();
  service = await startServiceProcess({ KINDRED_ROLES: 'api,worker' });
  page = await openPage(browser);
});
after(async () => {
  await browser?.close();
  await service?.stop();
});

async function countEvents(): Promise<number> {
  const { event_datasets } = await service.ok('GET', '/list-event-datasets');
  return event_datasets[0].num_records;
}

test('a sample that was interrupted is loaded into the datasets it created', async () => {
  await signIn(page, service, '?sample=small');
  await page.route('**/upsert-dataset-users', (route) => route.abort());
  await page.getByRole('button', { name: 'Load the sample' }).click();
  await page.getByRole('alert').waitFor();
  // The browser itself reports the failed call.
  page.complaints.length = 0;
  await page.unroute('**/upsert-dataset-users');
  await page.getByRole('button', { name: 'Load the sample' }).click();
  await page.getByRole('heading', { name: 'Your first recommendations' }).waitFor(JOB_TIMEOUT);
  const { item_datasets } = await service.ok('GET', '/list-item-datasets');
  const { user_datasets } = await service.ok('GET', '/list-user-datasets');
  assert.deepEqual([item_datasets.length, user_datasets.length], [1, 1]);
  assert.deepEqual(page.complaints, []);
});

test('from the sample to recommendations, each step one button', async () => {
  await page.getByRole('heading', { name: 'Your first recommendations' }).waitFor(JOB_TIMEOUT);
  await page.getByRole('button', { name: 'Create project' }).click();
  await page.getByRole('button', { name: 'Start training' }).click();
  await page.getByRole('progressbar', { name: /Progress of G1/ }).waitFor();
  await page.getByRole('button', { name: 'Deploy' }).click(JOB_TIMEOUT);
  await page.getByRole('link', { name: 'Open the playground' }).waitFor(JOB_TIMEOUT);
  await page.getByRole('listitem').filter({ hasText: 'because of' }).nth(4).waitFor();
  await assertAccessible(page, 'the guided path');
  await page.setViewportSize(PHONE);
  assert.equal(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), true);
  await page.setViewportSize(DESKTOP);
  assert.deepEqual(page.complaints, []);
});

test('the model shows figures above the popularity baseline', async () => {
  await open(page, '/projects');
  await page.getByRole('link', { name: /Sample films/ }).click();
  await page.getByRole('cell', { name: 'generator', exact: true }).waitFor();
  await assertAccessible(page, 'the project');
  await page.getByRole('table').getByRole('link', { name: /^G1/ }).click();
  await page.getByRole('heading', { name: 'Quality' }).waitFor();
  await page.getByRole('heading', { name: 'What the figures mean' }).waitFor();
  const figures = page.getByRole('table', { name: 'Figures by question' });
  await figures
    .getByText(/Of 1,000 .*, for [\d,]+ \([\d,]+ to [\d,]+\) the list of 10 had something/)
    .first()
    .waitFor();
  await page.getByRole('heading', { name: 'NDCG at 10' }).waitFor();
  await assertAccessible(page, 'the model');
  assert.deepEqual(page.complaints, []);
});

test('in the playground an added event changes the list, a filter holds, and a broken one shows its place', async () => {
  await open(page, '/playground');
  await page.getByRole('combobox', { name: 'User' }).fill('viewer-0001');
  await page.getByRole('option', { name: /viewer-00012/ }).click();
  const cards = page.getByRole('region', { name: 'For you' }).getByRole('listitem');
  await cards.nth(9).waitFor();
  await page
    .getByText(/because of/)
    .first()
    .waitFor();
  const first = await cards.first().locator('.item-id').textContent();
  await cards
    .first()
    .getByRole('button', { name: /Add a watch event/ })
    .click();
  const before = await countEvents();
  await page
    .getByRole('dialog')
    .getByText(/This writes a “watch” event of viewer-00012/)
    .waitFor();
  await assertAccessible(page, 'the question before a real event');
  assert.equal(await countEvents(), before, 'nothing is written before the person confirms');
  await page.getByRole('dialog').getByRole('button', { name: 'Add watch' }).click();
  await page.getByRole('region', { name: 'History' }).getByText(MOMENTS_AGO).waitFor();
  // The reasons of other cards may name it now, so only the cards' own ids count.
  await cards
    .locator('.item-id')
    .filter({ hasText: first ?? '' })
    .waitFor({ state: 'detached' });
  assert.notEqual(await cards.first().locator('.item-id').textContent(), first, 'what was just watched is not new');
  const again = page.getByRole('region', { name: 'Again' }).getByRole('listitem');
  await again
    .filter({ hasText: first ?? '' })
    .getByText(new RegExp(`watch ${MOMENTS_AGO.source}`))
    .waitFor();
  await page
    .getByRole('region', { name: 'Continue' })
    .getByText(/view .* ago/)
    .first()
    .waitFor();
  await assertAccessible(page, 'the playground');
  assert.equal(await countEvents(), before + 1);

  await page.getByRole('radio', { name: 'Everybody' }).click();
  await page.getByRole('radio', { name: '50' }).click();
  await page.getByRole('button', { name: /Counted over/ }).click();
  await page.getByRole('option', { name: 'The last hour' }).click();
  const popular = page.getByRole('region', { name: 'Popular' }).getByRole('listitem');
  await popular.filter({ hasText: first ?? '' }).waitFor();
  await page.getByRole('radio', { name: 'Newest' }).click();
  await page.getByRole('region', { name: 'New in the catalog' }).getByRole('listitem').nth(9).waitFor();
  await page.getByRole('radio', { name: 'Had before' }).click();
  const known = page.getByRole('region', { name: 'New in the catalog' }).getByRole('listitem');
  await known.filter({ hasText: first ?? '' }).waitFor();
  await assertAccessible(page, 'the playground for everybody');

  // What was added can be taken back, also after a reload, and while lists are on their way that were made before.
  const [made, arrived] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  await page.route('**/recommend-items-to-user', async (route) => {
    const response = await route.fetch();
    made.resolve();
    await arrived.promise;
    await route.fulfill({ response }).catch(() => undefined);
  });
  await page.reload();
  await made.promise;
  await page.getByText('1 event added here').waitFor();
  await page.getByRole('button', { name: 'Undo', exact: true }).click();
  await eventually(async () => (await countEvents()) === before);
  arrived.resolve();
  await page.getByText('1 event removed').waitFor();
  await page.unroute('**/recommend-items-to-user');
  await cards
    .locator('.item-id')
    .filter({ hasText: first ?? '' })
    .waitFor();

  await page.getByLabel('Filter').fill("genres = 'Horror' AND price < 6");
  await cards.filter({ hasNotText: 'Horror' }).first().waitFor({ state: 'detached' });
  assert.ok((await cards.count()) > 0);
  await page.getByLabel('Filter').fill("genres = 'Horror' AND price <");
  await page.getByText(/at position 30/).waitFor();
  await page.getByLabel('Filter').fill("genres = 'Horror' AND price < $max");
  await page.getByText(/\$max .*at position 31/).waitFor();
  await page.getByLabel('Filter').fill("gernes = 'Horror' OR price < 6");
  await page.getByText('No item has an attribute gernes. Did you mean genres?').first().waitFor();
  await page.getByLabel('Filter').fill('');
  assert.deepEqual(page.complaints, []);
});

test('two models are shown side by side', async () => {
  await page.getByText('Two models side by side').click();
  await page.getByText(/items in both lists/).waitFor();
  await assertAccessible(page, 'two models side by side');
  assert.deepEqual(page.complaints, []);
});

test('a question becomes a histogram whose range moves by keyboard, and a range becomes a list of users', async () => {
  await open(page, '/insight');
  await page.getByRole('button', { name: 'Item attribute' }).click();
  await page.getByRole('option', { name: /^genres/ }).click();
  await page.getByRole('combobox', { name: 'Value' }).fill('Dra');
  await page.getByRole('option', { name: /^Drama/ }).click();
  await page.getByRole('button', { name: 'Ask' }).click();
  const lower = page.getByRole('slider', { name: 'Lower bound of affinity' });
  await lower.waitFor(JOB_TIMEOUT);
  await assertAccessible(page, 'the histogram');
  const told = page.getByRole('status').filter({ hasText: 'between' });
  await lower.focus();
  await page.keyboard.press('Home');
  assert.match((await told.textContent()) ?? '', /^600 users \(100%\)/);
  for (let step = 0; step < 12; step++) await page.keyboard.press('ArrowRight');
  const some = Number((await told.textContent())?.split(' ')[0].replace(',', ''));
  assert.ok(some > 0 && some < 600, `${some} users`);
  for (const format of ['JSON', 'CSV', 'SVG']) {
    const download = page.waitForEvent('download');
    await page.getByRole('link', { name: format }).click();
    assert.equal(await (await download).failure(), null);
  }
  await page.getByRole('button', { name: 'List these users' }).click();
  await page
    .getByRole('table')
    .getByRole('link', { name: /^viewer-/ })
    .first()
    .waitFor(JOB_TIMEOUT);
  await assertAccessible(page, 'the list of users');
  assert.deepEqual(page.complaints, []);
});

test('users form groups, on a map and as cards, also on a phone in the dark', async () => {
  const phone = await openPage(browser, { viewport: PHONE, colorScheme: 'dark' });
  await signIn(phone, service);
  await open(phone, '/insight');
  await phone.getByRole('radio', { name: 'Which groups are there?' }).click();
  await phone.getByRole('button', { name: 'Ask' }).click();
  await phone.getByRole('img', { name: /^Map of users/ }).waitFor(JOB_TIMEOUT);
  await assertAccessible(phone, 'the groups on a phone');
  assert.equal(await phone.evaluate('document.documentElement.scrollWidth <= innerWidth'), true);
  assert.deepEqual(phone.complaints, []);
});

test('a job that cannot succeed says why, in full', async () => {
  const { projects } = await service.ok('GET', '/list-projects');
  const { project_id: _, serving_uri: __, created_ts: ___, ...same } = projects[0];
  const { project_id } = await service.ok('POST', '/create-project', {
    ...same,
    name: 'Nothing to learn',
    target_event_type: 'no such type',
  });
  await open(page, `/projects/${project_id}`);
  await page.getByRole('button', { name: 'Train a model' }).first().click();
  await page.getByRole('button', { name: 'Start training' }).click();
  await page.getByRole('alert').filter({ hasText: 'no such type' }).waitFor(JOB_TIMEOUT);
  await open(page, '/jobs');
  // Automation may have tried as well.
  await page
    .getByRole('row', { name: /Failed/ })
    .first()
    .waitFor();
  await assertAccessible(page, 'the jobs');
  assert.deepEqual(page.complaints, []);
});
