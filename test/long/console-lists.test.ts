// Lists for many users in the console: made, previewed and downloaded. The model is planted, so nothing has to be trained.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { assertAccessible } from '../browser/axe.ts';
import { JOB_TIMEOUT, launchBrowser, openPage, type WatchedPage } from '../browser/browser.ts';
import { open, signIn } from '../browser/signed-in.ts';
import { plantModel } from '../support/plant-model.ts';
import { type ServiceProcess, startServiceProcess } from '../support/service.ts';
import { createTasteProject, succeed, type TasteProject, tasteModel, USERS } from '../support/taste-project.ts';

let browser: Browser;
let service: ServiceProcess;
let page: WatchedPage;
let project: TasteProject;
let modelId: string;

before(async () => {
  browser = await launchBrowser();
  service = await startServiceProcess({ KINDRED_ROLES: 'api,worker' });
  project = await createTasteProject(service);
  const { project_id } = project;
  ({ modelId } = await plantModel(service, project, tasteModel()));
  await succeed(service, '/submit-deployment-job', { project_id, generator_model_id: modelId });
  await service.ok('POST', '/create-placement', { project_id, name: 'home', kind: 'for_you', defaults: { limit: 3 } });
  page = await openPage(browser);
  await signIn(page, service);
});
after(async () => {
  await browser?.close();
  await service?.stop();
});

async function choose(field: RegExp, option: string | RegExp): Promise<void> {
  await page.getByRole('button', { name: field }).first().click();
  await page.getByRole('option', { name: option }).click();
}

test('lists for all users are made with a filter and a boost, previewed and downloaded', async () => {
  await open(page, `/projects/${project.project_id}`);
  await page.getByRole('link', { name: 'Make lists' }).click();
  await page.getByRole('heading', { level: 1, name: 'Lists for many users' }).waitFor();
  await page.getByLabel('Items per user').fill('4');
  const filter = page.getByRole('group', { name: 'Only items that match' });
  await filter.getByRole('button', { name: /Item attribute/ }).click();
  await page.getByRole('option', { name: /genre/ }).click();
  await filter.getByRole('combobox', { name: 'Value' }).fill('Comedy');
  await page.keyboard.press('Tab');
  await filter.getByRole('button', { name: 'Add condition' }).click();
  await page.getByLabel('As a filter').waitFor();
  const boosts = page.getByRole('group', { name: 'Boosts' });
  await boosts.getByRole('button', { name: /Item attribute/ }).click();
  await page.getByRole('option', { name: /price/ }).click();
  await boosts.getByRole('combobox', { name: 'Value' }).fill('10');
  await page.keyboard.press('Tab');
  await boosts.getByRole('button', { name: 'Add boost' }).click();
  await assertAccessible(page, 'the form of lists');
  await page.getByRole('button', { name: 'Make lists' }).click();

  await page.getByRole('heading', { name: `First 10 of ${USERS} lists` }).waitFor(JOB_TIMEOUT);
  const items = page.getByRole('list', { name: 'List of u0', exact: true }).getByRole('listitem');
  assert.equal(await items.count(), 4);
  assert.match((await items.first().textContent()) ?? '', /^Film \d+$/);
  await assertAccessible(page, 'made lists');
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: /^Download CSV/ }).click(),
  ]);
  const [head, ...rows] = (await readFile(await download.path(), 'utf8')).trim().split(/\r?\n/);
  assert.equal(head, 'user_id,rank,item_id,score,title');
  assert.equal(rows.length, USERS * 4);
  const { jobs } = await service.ok('GET', '/list-jobs', { job_type: 'RECOMMENDATION' });
  assert.equal(jobs[0].job_data.filter_query, "genre = 'Comedy'");
  assert.deepEqual(jobs[0].job_data.call.boosts, [{ filter_query: 'price = 10', factor: 2 }]);
  assert.deepEqual(page.complaints, []);
});

test('a placement makes the lists of some users, and the project shows both files', async () => {
  await open(page, `/projects/${project.project_id}/lists`);
  await page.getByRole('radio', { name: 'Some' }).click();
  await page.getByLabel('User ids').fill('u1, u2\nu2');
  await page.getByText('2 users').waitFor();
  await choose(/Model or placement/, /home/);
  await page.getByText('Items the user knows').click();
  await choose(/Leave out items with these events/, 'buy');
  await choose(/counts as new again/, '7 days');
  await page.getByRole('radio', { name: 'Parquet' }).click();
  await page.getByRole('button', { name: 'Make lists' }).click();
  await page.getByRole('heading', { name: '2 lists' }).waitFor(JOB_TIMEOUT);
  const { jobs } = await service.ok('GET', '/list-jobs', { job_type: 'RECOMMENDATION' });
  const { placement, users, limit, objective, exclude_event_types, call } = jobs[0].job_data;
  assert.deepEqual([exclude_event_types, call.touch_days, call.exclude_seen], [['buy'], 7, undefined]);
  assert.deepEqual([placement, users, limit, objective], ['home', { user_ids: ['u1', 'u2'] }, null, null]);
  const items = page.getByRole('list', { name: 'List of u1', exact: true }).getByRole('listitem');
  assert.equal(await items.count(), 3);

  await open(page, `/projects/${project.project_id}`);
  for (const name of [/^Download CSV: Lists, /, /^Download Parquet: Lists by home, /]) {
    await page.getByRole('link', { name }).waitFor();
  }
  await assertAccessible(page, 'a project with lists');
  assert.deepEqual(page.complaints, []);
});

test('the users that a question found get lists', async () => {
  const { project_id } = project;
  const { job_id } = await succeed(service, '/submit-querying-job', {
    project_id,
    model_id: modelId,
    query_type: 'user_list',
    queries: [{ conditions: [{ attribute: 'genre', value: 'Drama', lower_bound: 0.5 }] }],
  });
  await open(page, `/insight/${project_id}/${job_id}`);
  await page.getByRole('link', { name: 'Make lists' }).click();
  await page.getByRole('radio', { name: 'From Insight', checked: true }).waitFor();
  await page.getByRole('button', { name: 'Make lists' }).click();
  await page.getByText('From a question about users').waitFor();
  const { jobs } = await service.ok('GET', '/list-jobs', { job_type: 'RECOMMENDATION' });
  assert.deepEqual(jobs[0].job_data.users, { job_id });
  assert.deepEqual(page.complaints, []);
});
