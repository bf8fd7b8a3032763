// The playground with a planted model: lists of visitors without an id, and of items.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { plantModel } from '../support/plant-model.ts';
import { type ServiceProcess, startServiceProcess } from '../support/service.ts';
import {
  createTasteProject,
  isOfKind,
  KINDS,
  succeed,
  type TasteProject,
  tasteModel,
} from '../support/taste-project.ts';
import { assertAccessible } from './axe.ts';
import { launchBrowser, openPage, type WatchedPage } from './browser.ts';
import { drawn, open, signIn } from './signed-in.ts';

let browser: Browser;
let service: ServiceProcess;
let page: WatchedPage;
let project: TasteProject;

before(async () => {
  browser = await launchBrowser();
  service = await startServiceProcess({ KINDRED_ROLES: 'api,worker' });
  project = await createTasteProject(service);
  const { modelId } = await plantModel(service, project, tasteModel());
  const deployment = { project_id: project.project_id, generator_model_id: modelId, qps: 100 };
  await succeed(service, '/submit-deployment-job', deployment);
  // Tall: lists of suggestions close when the page scrolls.
  page = await openPage(browser, { viewport: { width: 1280, height: 2400 } });
  await signIn(page, service);
});
after(async () => {
  await browser?.close();
  await service?.stop();
});

test('the playground shows the lists of a visitor without an id, by what the visitor looks at', async () => {
  await open(page, '/playground');
  await page.getByRole('radio', { name: 'A visitor' }).click();
  const cards = page.getByRole('region', { name: 'For you' }).getByRole('listitem');
  await cards.nth(9).waitFor();
  await page.getByRole('combobox', { name: 'Items the visitor looked at' }).fill('Film 5');
  await page
    .getByRole('option')
    .filter({ hasText: /Film 5$/ })
    .click();
  await page.getByRole('list', { name: 'Items the visitor looked at' }).getByText('Film 5').waitFor();
  assert.equal(
    await page
      .getByRole('combobox', { name: 'Items the visitor looked at' })
      .evaluate((field) => field === field.ownerDocument.activeElement),
    true,
    'the next item can be typed',
  );
  await cards.filter({ hasNotText: 'Horror' }).first().waitFor({ state: 'detached' });
  await assertAccessible(page, 'the playground for a visitor');
  const [looked] = await cards.locator('.item-id').allTextContents();
  await page
    .getByRole('button', { name: /^Look at / })
    .first()
    .click();
  await cards.locator('.item-id').getByText(looked, { exact: true }).waitFor({ state: 'detached' });
  assert.equal(await page.getByRole('list', { name: 'Items the visitor looked at' }).getByRole('listitem').count(), 2);
  assert.deepEqual(page.complaints, []);
});

test('the playground shows what is related to one or several items', async () => {
  await page.getByRole('radio', { name: 'Items', exact: true }).click();
  await page.getByRole('heading', { name: 'Pick an item' }).waitFor();
  await page.getByRole('combobox', { name: 'Items to start from' }).fill('i4');
  await page.keyboard.press('Enter');
  const cards = page.getByRole('region', { name: 'Instead of it' }).getByRole('listitem');
  await cards.nth(9).waitFor();
  const ids = await cards.locator('.item-id').allTextContents();
  assert.ok(
    ids.every((id) => isOfKind(id, 4 % KINDS)),
    ids.join(),
  );
  await page
    .getByRole('button', { name: /^Start from .* too$/ })
    .first()
    .click();
  await cards.locator('.item-id').getByText(ids[0], { exact: true }).waitFor({ state: 'detached' });
  await page.getByRole('radio', { name: 'Next', exact: true }).click();
  await assertAccessible(page, 'the playground for items');
  assert.deepEqual(page.complaints, []);
});

test('ids with % and / are those of their user', async () => {
  const ids = ['50% off', 'x%2Fy', 'x/y', 'жук?'];
  const { user_dataset_id } = project;
  const users = ids.map((user_id) => ({ user_id, attributes: {} }));
  await service.ok('POST', '/upsert-dataset-users', { user_dataset_id, users });
  const user = page.getByRole('combobox', { name: 'User', exact: true });
  const listsFor = (id: string) =>
    page.waitForRequest((request) => {
      const isList = request.url().endsWith('/recommend-items-to-user');
      return isList && request.postDataJSON().user_id === id;
    });
  await open(page, '/playground');
  await page.reload();
  for (const id of ids) {
    const chosen = listsFor(id);
    await user.fill(id);
    await user.press('Enter');
    await chosen;
    // The address alone leads to the same user.
    const opened = listsFor(id);
    await page.reload();
    await opened;
    assert.equal(await user.inputValue(), id);
  }
  assert.deepEqual(page.complaints, []);
});

test('the history and the marks of one user are not kept for the next', async () => {
  const { project_id, user_dataset_id } = project;
  await open(page, `/playground/${project_id}/u0`);
  const history = page.getByRole('region', { name: 'History' });
  await history.getByRole('button', { name: 'Next' }).click();
  await history.getByText('Page 2').waitFor();
  const user = page.getByRole('combobox', { name: 'User', exact: true });
  const refusal = JSON.stringify({ code: 'INSUFFICIENT_SCOPE', title: 'x', status: 403, detail: 'Not with this key.' });
  await page.route(`**/get-dataset-record?*user_dataset_id=${user_dataset_id}*`, (route) =>
    route.fulfill({ status: 403, contentType: 'application/problem+json', body: refusal }),
  );
  await user.fill('u59');
  await user.press('Enter');
  await history.getByText('Page 1').waitFor();
  await history.getByRole('alert').getByText('Not with this key.').waitFor();
  const list = page.getByRole('region', { name: 'For you' });
  await list.locator('.item-id').getByText('i59', { exact: true }).waitFor();
  await drawn(page);
  assert.equal(await list.locator('.fresh').count(), 0, 'no item is new since the list of another user');
});
