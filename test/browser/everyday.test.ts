// What people do with a service that already runs: keys, models, deployments, jobs, schemas, the histogram's range.
// The models are planted, so nothing has to be trained.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { eventually } from '../support/eventually.ts';
import { plantModel } from '../support/plant-model.ts';
import { type ServiceProcess, startServiceProcess } from '../support/service.ts';
import { createTasteProject, succeed, type TasteProject, tasteModel, turnedModel } from '../support/taste-project.ts';
import { assertAccessible } from './axe.ts';
import { JOB_TIMEOUT, launchBrowser, openPage, type WatchedPage } from './browser.ts';
import { plantJob, plantOldJobs } from './plant-jobs.ts';
import { drawn, open, signIn } from './signed-in.ts';

const OLD_JOBS = 1_020;

let browser: Browser;
let service: ServiceProcess;
let page: WatchedPage;
let project: TasteProject;
let first: { modelId: string };
let second: { modelId: string };

before(async () => {
  browser = await launchBrowser();
  service = await startServiceProcess({ KINDRED_ROLES: 'api,worker' });
  project = await createTasteProject(service);
  first = await plantModel(service, project, tasteModel());
  second = await plantModel(service, project, turnedModel());
  for (const { modelId } of [first, second]) {
    const deployment = { project_id: project.project_id, generator_model_id: modelId, qps: 100 };
    await succeed(service, '/submit-deployment-job', deployment);
  }
  page = await openPage(browser, { permissions: ['clipboard-read', 'clipboard-write'] });
  await signIn(page, service);
});
after(async () => {
  await browser?.close();
  await service?.stop();
});

test('a key is created, shown once, works, and is refused after it was disabled', async () => {
  await open(page, '/account');
  await page.getByRole('progressbar', { name: 'Training hours' }).waitFor();
  await page.getByRole('button', { name: 'Disable' }).first().waitFor();
  await assertAccessible(page, 'the account');
  await page.getByRole('button', { name: 'New key' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('web shop');
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Your new key' });
  await dialog.waitFor();
  await assertAccessible(page, 'a new key');
  const copied = async (name: string) => {
    await dialog.getByRole('button', { name: `Copy the ${name}` }).click();
    await page.getByText(`${name} copied`).waitFor();
    return String(await page.evaluate('navigator.clipboard.readText()'));
  };
  const client_id = await copied('API key');
  const client_secret = await copied('Client secret');
  await dialog.getByRole('button', { name: 'I have copied them' }).click();
  await dialog.waitFor({ state: 'detached' });
  assert.equal(await page.getByText(client_secret).count(), 0);
  const tokenStatus = async () => {
    const body = new URLSearchParams({ grant_type: 'client_credentials', client_id, client_secret, scope: '*' });
    return (await fetch(`${service.baseUrl}/oauth2/token`, { method: 'POST', body })).status;
  };
  assert.equal(await tokenStatus(), 200);

  await page.getByRole('button', { name: 'Disable web shop' }).click();
  await page.getByRole('button', { name: 'Disable the key' }).click();
  await page
    .getByRole('row', { name: /web shop/ })
    .getByText('Disabled')
    .waitFor();
  assert.equal(await tokenStatus(), 401);
  assert.deepEqual(page.complaints, []);
});

test('a key for web pages has origins and an end, and a program gets a new secret while the old one works', async () => {
  await open(page, '/account');
  await page.getByRole('button', { name: 'New key' }).click();
  await page.getByRole('radio', { name: 'Web pages' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('pages');
  await page.getByRole('textbox', { name: 'Origins' }).fill('https://shop.example\nhttps://www.shop.example');
  await page.getByRole('button', { name: /Expires/ }).click();
  await page.getByRole('option', { name: 'In 30 days' }).click();
  await assertAccessible(page, 'a new browser key');
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  await page.getByText('A browser key is public').waitFor();
  await page.getByText('/browser/kindred.js').waitFor();
  await page.getByRole('button', { name: 'Done' }).click();
  const { api_keys } = await service.ok('GET', '/list-api-keys');
  const key = api_keys.find(({ name }: { name: string }) => name === 'pages');
  assert.deepEqual([key.kind, key.origins.length, key.project_id], ['browser', 2, project.project_id]);
  assert.ok(Math.abs(key.expires_ts - Date.now() - 30 * 86_400_000) < 600_000);
  await page.getByRole('row', { name: /pages of 2 origins/ }).waitFor();

  const made = await service.ok('POST', '/create-api-key', { name: 'worker' });
  await page.reload();
  await page.getByRole('button', { name: 'New secret for worker' }).click();
  await page.getByRole('button', { name: 'Create a new secret' }).click();
  await page.getByText('Copy it now.').waitFor();
  const fresh = (await page.getByRole('dialog').locator('code.secret').textContent()) ?? '';
  await page.getByRole('button', { name: 'I have copied it' }).click();
  for (const client_secret of [made.client_secret, fresh]) {
    const body = { grant_type: 'client_credentials', client_id: made.api_key, client_secret, scope: '*' };
    const response = await fetch(`${service.baseUrl}/oauth2/token`, {
      method: 'POST',
      body: new URLSearchParams(body),
    });
    assert.equal(response.status, 200);
  }
  assert.notEqual(fresh, made.client_secret);
  assert.deepEqual(page.complaints, []);
});

test('a new secret that arrives after its dialog was closed is shown for its own key alone', async () => {
  await service.ok('POST', '/create-api-key', { name: 'nightly' });
  await service.ok('POST', '/create-api-key', { name: 'hourly' });
  await open(page, '/account');
  await page.reload();
  const waiting = Promise.withResolvers<void>();
  await page.route('**/rotate-api-key', (route) => waiting.promise.then(() => route.continue()));
  const dialog = page.getByRole('dialog');
  await page.getByRole('button', { name: 'New secret for nightly' }).click();
  await dialog.getByRole('button', { name: 'Create a new secret' }).click();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'New secret for hourly' }).click();
  // The keys are listed again once the secret is there.
  const listed = page.waitForResponse('**/list-api-keys');
  waiting.resolve();
  await listed;
  await drawn(page);
  await dialog.getByRole('button', { name: 'Create a new secret' }).waitFor();
  assert.equal(await dialog.locator('code.secret').count(), 0);
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'New secret for nightly' }).click();
  await dialog.locator('code.secret').waitFor();
  await dialog.getByRole('button', { name: 'I have copied it' }).click();
  await page.unroute('**/rotate-api-key');
  assert.deepEqual(page.complaints, []);
});

test('a model is renamed', async () => {
  await open(page, `/projects/${project.project_id}/models/${first.modelId}`);
  await page.getByRole('button', { name: 'Rename this model' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('Autumn');
  await page.getByRole('button', { name: 'Rename', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'Autumn' }).waitFor();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  assert.deepEqual(page.complaints, []);
});

test('a deployed model is not deleted, and the dialog says why', async () => {
  const listed = Promise.withResolvers<void>();
  await page.route('**/list-models*', (route) => listed.promise.then(() => route.continue()));
  await open(page, `/projects/${project.project_id}/models/${second.modelId}`);
  await page.reload();
  const remove = page.getByRole('button', { name: 'Delete this model' });
  await remove.waitFor();
  assert.equal(await page.getByText('Not deployed').count(), 0, 'it is not known yet');
  listed.resolve();
  await page.getByText('serving as generator').waitFor();
  await page.unroute('**/list-models*');
  await remove.click();
  await page.getByRole('button', { name: 'Delete the model' }).click();
  await page
    .getByRole('dialog')
    .getByRole('alert')
    .getByText(/deploy/i)
    .first()
    .waitFor();
  await page.getByRole('button', { name: 'Cancel' }).click();
  // The browser itself reports the refused call.
  page.complaints.length = 0;
});

test('a project goes back to an earlier model, and then serves nothing', async () => {
  const { project_id } = project;
  await open(page, `/projects/${project_id}`);
  const deployed = async () =>
    (await service.ok('GET', '/list-models', { project_id: project.project_id })).models
      .filter((model: { deployed: boolean }) => model.deployed)
      .map((model: { model_id: string }) => model.model_id);
  await page.getByRole('button', { name: 'Roll back to Autumn' }).click();
  await assertAccessible(page, 'the way back');
  // A deployment that has ended before any list shows it as waiting or running.
  await page.route('**/list-jobs*', async (route) => {
    await eventually(async () => {
      const { jobs } = await service.ok('GET', '/list-jobs', { project_id, job_type: 'DEPLOYMENT' });
      return jobs.length === 3 && jobs.every(({ job_status }: { job_status: string }) => job_status === 'SUCCEED');
    });
    await route.continue();
  });
  await page.getByRole('dialog').getByRole('button', { name: 'Deploy', exact: true }).click();
  await page
    .getByRole('row', { name: /Autumn/ })
    .getByText('serving')
    .waitFor(JOB_TIMEOUT);
  assert.deepEqual(await deployed(), [first.modelId]);
  // A call that is being held would otherwise be continued by two.
  await page.unrouteAll({ behavior: 'wait' });

  await page.getByRole('button', { name: 'Shut down' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Shut down' }).click();
  await page.getByText('Nothing is deployed').waitFor();
  await assertAccessible(page, 'a project that serves nothing');
  assert.deepEqual(await deployed(), []);
  assert.deepEqual(page.complaints, []);
});

test('a job that waits for its retry is canceled', async () => {
  const jobId = await plantJob(service, project, { name: 'Slow training', notBefore: Date.now() + 5 * 60_000 });
  await open(page, '/jobs');
  await page.getByRole('button', { name: 'Cancel Slow training' }).click();
  await page.getByRole('button', { name: 'Cancel the job' }).click();
  await page
    .getByRole('row', { name: /Slow training/ })
    .getByText('Canceled')
    .first()
    .waitFor();
  const job = await service.ok('GET', '/get-job', { project_id: project.project_id, job_id: jobId });
  assert.equal(job.job_status, 'CANCELLED');
  assert.deepEqual(page.complaints, []);
});

test('a schema is declared and taken back', async () => {
  await open(page, `/datasets/item/${project.item_dataset_id}`);
  const declare = async (choice: string) => {
    await page.getByRole('button', { name: 'Edit schema' }).click();
    const dialog = page.getByRole('dialog', { name: 'Attribute schema' });
    await dialog.getByRole('button', { name: /price/ }).click();
    await page.getByRole('option', { name: choice }).click();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    return (await service.ok('GET', '/get-item-dataset', { item_dataset_id: project.item_dataset_id }))
      .attribute_schema;
  };
  assert.deepEqual(await declare('Number'), { price: 'NUMERICAL' });
  await page.getByText('declared', { exact: true }).waitFor();
  assert.equal(await declare('Infer it'), null);
  await page.getByText('declared', { exact: true }).waitFor({ state: 'detached' });
  assert.deepEqual(page.complaints, []);
});

test('the range of a histogram follows the pointer', async () => {
  const { job_id } = await succeed(service, '/submit-querying-job', {
    project_id: project.project_id,
    model_id: first.modelId,
    query_type: 'user_distribution',
    queries: [{ attribute: 'genre', value: 'Drama' }],
  });
  await open(page, `/insight/${project.project_id}/${job_id}`);
  const told = page.getByRole('status').filter({ hasText: 'between' });
  const count = async () => Number((await told.textContent())?.split(' ')[0]);
  const lower = page.getByRole('slider', { name: 'Lower bound of affinity' });
  await lower.waitFor();
  const chart = (await page.getByRole('group', { name: /Users by affinity/ }).boundingBox())!;
  const everybody = told.filter({ hasText: /^60 users/ });
  const drag = async (toX: number) => {
    const box = (await lower.boundingBox())!;
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await page.mouse.down();
    await page.mouse.move(toX, box.y + box.height / 2, { steps: 5 });
    await page.mouse.up();
    await drawn(page);
  };
  await drag(chart.x);
  await everybody.waitFor();
  const valueBefore = Number(await lower.getAttribute('aria-valuenow'));
  await drag(chart.x + chart.width * 0.7);
  await everybody.waitFor({ state: 'detached' });
  assert.ok(Number(await lower.getAttribute('aria-valuenow')) > valueBefore);
  assert.ok((await count()) < 60);
  // The released pointer no longer moves it, and the keys continue from there.
  const text = await told.textContent();
  await page.mouse.move(chart.x + chart.width * 0.2, chart.y + 50);
  assert.equal(await told.textContent(), text);
  await page.keyboard.press('Home');
  await everybody.waitFor();
  assert.deepEqual(page.complaints, []);
});

test('the jobs list continues to the oldest job, beyond one page of the API', async () => {
  await plantOldJobs(service, project, OLD_JOBS);
  await open(page, '/projects');
  await open(page, '/jobs');
  const next = page.getByRole('button', { name: 'Next' });
  await next.waitFor();
  for (let number = 2; await next.isEnabled(); number++) {
    await next.click();
    await page.locator('nav[aria-busy=false]', { hasText: `Page ${number}` }).waitFor();
  }
  await page.getByRole('link', { name: 'old job 1', exact: true }).waitFor();
  await assertAccessible(page, 'the last page of jobs');
  await page.getByRole('button', { name: 'Previous' }).click();
  await page.getByRole('link', { name: 'old job 1', exact: true }).waitFor({ state: 'detached' });
  assert.deepEqual(page.complaints, []);
});

test('own events of Segment are mapped on a page of the project', async () => {
  const { project_id } = project;
  await open(page, `/projects/${project_id}/segment`);
  await page.getByRole('cell', { name: 'Product Viewed', exact: true }).waitFor();
  await page.getByRole('button', { name: 'Add a rule' }).click();
  await page.getByLabel('Name of the message').fill('Song Played');
  await page.getByLabel('Event type').fill('play');
  await page.getByLabel('Path of the item id').fill('properties.song_id');
  await page.getByRole('button', { name: 'Save' }).last().click();
  await page.getByRole('cell', { name: 'Song Played', exact: true }).waitFor();
  await page.getByLabel('Attributes of events').fill('device');
  await page.getByText('“device” has no path.').waitFor();
  await page.getByLabel('Attributes of events').fill('device = context.device.type');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Mapping saved').waitFor();
  await assertAccessible(page, 'the mapping of Segment');
  const { segment_mapping } = await service.ok('GET', '/get-project', { project_id });
  assert.deepEqual(segment_mapping, {
    events: { 'Song Played': { event_type: 'play', item_id: 'properties.song_id' } },
    attributes: { device: 'context.device.type' },
  });
  await page.getByRole('button', { name: 'Remove the rule for Song Played' }).click();
  await page.getByRole('cell', { name: 'Song Played', exact: true }).waitFor({ state: 'detached' });

  // A rule that is saved after its dialog was closed does not close the dialog of the next one.
  const saving = Promise.withResolvers<void>();
  await page.route('**/update-project', (route) => saving.promise.then(() => route.continue()));
  const dialog = page.getByRole('dialog');
  await page.getByRole('button', { name: 'Edit Product Viewed' }).click();
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Edit Product Clicked' }).click();
  await dialog.getByLabel('Event type').fill('open');
  saving.resolve();
  await page.getByText('Rule for Product Viewed saved').waitFor();
  await drawn(page);
  assert.equal(await dialog.getByLabel('Event type').count(), 1);
  await page.unroute('**/update-project');
  assert.deepEqual(page.complaints, []);
});
