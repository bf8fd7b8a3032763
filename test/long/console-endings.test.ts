// Taking things away: a running job, a model, a project, a dataset, one's own key. And the histogram's range under a finger.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { assertAccessible } from '../browser/axe.ts';
import { launchBrowser, openPage, PHONE, type WatchedPage } from '../browser/browser.ts';
import { plantFailedTraining, plantJob } from '../browser/plant-jobs.ts';
import { drawn, open, signIn } from '../browser/signed-in.ts';
import { createEmptyProject } from '../support/empty-project.ts';
import { plantModel } from '../support/plant-model.ts';
import { type ServiceProcess, startServiceProcess } from '../support/service.ts';
import { createTasteProject, succeed, type TasteProject, tasteModel } from '../support/taste-project.ts';

let browser: Browser;
let service: ServiceProcess;
let page: WatchedPage;
let project: TasteProject;
let modelId: string;

before(async () => {
  browser = await launchBrowser();
  service = await startServiceProcess({ KINDRED_ROLES: 'api,worker' });
  project = await createTasteProject(service);
  ({ modelId } = await plantModel(service, project, tasteModel()));
  page = await openPage(browser);
  await signIn(page, service);
});
after(async () => {
  await browser?.close();
  await service?.stop();
});

/** Complaints, without those of the browser itself about calls that were under way when their key or object went. */
const withoutStatus = (status: number): string[] =>
  page.complaints.filter((complaint) => !complaint.includes(`status of ${status}`));

test('a finger drags the range of a histogram, and the page stays where it is', async () => {
  const { job_id } = await succeed(service, '/submit-querying-job', {
    project_id: project.project_id,
    model_id: modelId,
    query_type: 'user_distribution',
    queries: [{ attribute: 'genre', value: 'Drama' }],
  });
  const phone = await openPage(browser, { viewport: PHONE, hasTouch: true, isMobile: true });
  await signIn(phone, service);
  await open(phone, `/insight/${project.project_id}/${job_id}`);
  const lower = phone.getByRole('slider', { name: 'Lower bound of affinity' });
  await lower.scrollIntoViewIfNeeded();
  const chart = (await phone.getByRole('group', { name: /Users by affinity/ }).boundingBox())!;
  const touch = await phone.context().newCDPSession(phone);
  const drag = async (toX: number) => {
    const box = (await lower.boundingBox())!;
    const from = { x: box.x + box.width / 2, y: chart.y + chart.height / 2 };
    await touch.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [from] });
    for (let step = 1; step <= 6; step++) {
      const x = from.x + ((toX - from.x) * step) / 6;
      // A finger never moves quite level.
      await touch.send('Input.dispatchTouchEvent', { type: 'touchMove', touchPoints: [{ x, y: from.y + step }] });
    }
    await touch.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
    await drawn(phone);
  };
  const told = phone.getByRole('status').filter({ hasText: 'between' });
  await drag(chart.x);
  await told.filter({ hasText: /^60 users/ }).waitFor();
  const scrolled = await phone.evaluate('scrollY');
  await drag(chart.x + chart.width * 0.7);
  await told.filter({ hasText: /^60 users/ }).waitFor({ state: 'detached' });
  const value = Number(await lower.getAttribute('aria-valuenow'));
  assert.ok(value > 0.5 * Number(await lower.getAttribute('aria-valuemax')), `lower bound ${value}`);
  assert.equal(await phone.evaluate('scrollY'), scrolled);
  assert.deepEqual(phone.complaints, []);
});

test('the reason of a failed training stays when other jobs succeed after it', async () => {
  await plantFailedTraining(service, project, 'There is nothing to learn from.');
  await open(page, `/projects/${project.project_id}`);
  await page.getByRole('alert').getByText('There is nothing to learn from.').waitFor();
  assert.deepEqual(page.complaints, []);
});

test('a training that runs shows what it has tried, and is canceled', async () => {
  const jobId = await plantJob(service, project, {
    name: 'Long training',
    running: {
      fraction: 0.3,
      phase: 'tune',
      message: 'Trying walks',
      tried: [
        { family: 'popularity', half_life_days: null, ndcg: 0.05 },
        { family: 'walk', beta: 0.5, ndcg: 0.21 },
        { family: 'walk', beta: 1, ndcg: 0.19 },
      ],
    },
  });
  await open(page, `/projects/${project.project_id}`);
  await page.getByRole('img', { name: '3 variants tried; the best alone reached NDCG 0.21' }).waitFor();
  await page.getByRole('link', { name: 'Long training' }).click();
  await page.getByRole('img', { name: /^3 variants tried/ }).waitFor();
  await page.getByText('Trying walks').waitFor();
  await assertAccessible(page, 'a running job');
  await page.getByRole('button', { name: 'Cancel Long training' }).click();
  const canceled = Promise.withResolvers<void>();
  await page.route('**/cancel-job', (route) => canceled.promise.then(() => route.continue()));
  // Nobody presses Escape sooner after the click than this.
  await page.getByRole('button', { name: 'Cancel the job' }).focus();
  await page.evaluate(`(async (button) => {
    button.click();
    await null;
    button.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true }));
  })(document.activeElement)`);
  await drawn(page);
  assert.equal(await page.getByRole('dialog').count(), 1, 'it stays open until it can tell what came of it');
  canceled.resolve();
  await page.getByText('The job was canceled.').waitFor();
  await page.unroute('**/cancel-job');
  const job = await service.ok('GET', '/get-job', { project_id: project.project_id, job_id: jobId });
  assert.equal(job.job_status, 'CANCELLED');
  assert.deepEqual(page.complaints, []);
});

test('a model that serves nothing is deleted', async () => {
  await open(page, `/projects/${project.project_id}/models/${modelId}`);
  await page.getByText('Not deployed.').waitFor();
  await page.getByRole('button', { name: 'Delete this model' }).click();
  await page.getByRole('button', { name: 'Delete the model' }).click();
  await page.getByText('Model deleted').waitFor();
  await page.getByRole('heading', { name: 'No models yet' }).waitFor();
  const { models } = await service.ok('GET', '/list-models', { project_id: project.project_id });
  assert.deepEqual(models, []);
  assert.deepEqual(page.complaints, []);
});

test('a dataset is kept while a project uses it, and goes after the project', async () => {
  const deleteDataset = async () => {
    await open(page, `/datasets/event/${project.event_dataset_id}`);
    await page.getByRole('button', { name: 'Delete this dataset' }).click();
    await page.getByRole('button', { name: 'Delete the dataset' }).click();
  };
  await deleteDataset();
  await page
    .getByRole('dialog')
    .getByRole('alert')
    .getByText(/project/)
    .first()
    .waitFor();
  await page.getByRole('button', { name: 'Cancel' }).click();
  // The browser itself reports the refused call.
  page.complaints.length = 0;

  await open(page, `/projects/${project.project_id}`);
  await page.getByRole('button', { name: 'Delete this project' }).click();
  await page.getByRole('button', { name: 'Delete the project' }).click();
  await page.getByText('Project deleted').waitFor();
  await page.getByRole('heading', { name: 'No projects yet' }).waitFor();
  assert.deepEqual((await service.ok('GET', '/list-projects')).projects, []);

  await deleteDataset();
  await page.getByText('Dataset deleted').waitFor();
  await page.getByRole('heading', { name: 'No events yet' }).waitFor();
  assert.deepEqual((await service.ok('GET', '/list-event-datasets')).event_datasets, []);
  assert.deepEqual(withoutStatus(404), []);
});

test('a first check that was canceled says so, and a training that is refused says why', async () => {
  const { project_id } = await createEmptyProject(service, 'new shop');
  const empty = { ...project, project_id };
  const notBefore = Date.now() + 5 * 60_000;
  const job_id = await plantJob(service, empty, { type: 'DATA_HEALTH', name: 'First check', notBefore });
  await open(page, `/health/${project_id}`);
  await page.getByText('Waiting for attempt 2 of 4').waitFor();
  // Of the page before, whose project is gone.
  page.complaints.length = 0;
  await service.ok('POST', '/cancel-job', { project_id, job_id });
  await page.getByText('The job was canceled.').waitFor();
  await page.getByRole('heading', { name: 'Not checked yet' }).waitFor();

  await plantFailedTraining(service, empty, 'There is nothing to learn from.');
  const refusal = { code: 'PLAN_LIMIT_EXCEEDED', title: 'x', status: 403, detail: 'The plan allows 1 training hour.' };
  const body = JSON.stringify(refusal);
  await page.route('**/submit-training-job', (route) =>
    route.fulfill({ status: 403, contentType: 'application/problem+json', body }),
  );
  const listed = Promise.withResolvers<void>();
  await page.route('**/list-jobs*', (route) => listed.promise.then(() => route.continue()));
  const models = page.waitForResponse('**/list-models*');
  await open(page, `/start/${project_id}`);
  await (await models).finished();
  await drawn(page);
  assert.equal(await page.getByRole('button', { name: 'Start training' }).count(), 0, 'its jobs are not known yet');
  listed.resolve();
  await page.getByRole('button', { name: 'Train again' }).click();
  await page.getByRole('alert').getByText('The plan allows 1 training hour.').waitFor();
  await page.unrouteAll();
  assert.deepEqual(withoutStatus(403), []);
  page.complaints.length = 0;
});

test('whoever disables the key of the session is signed out and told why', async () => {
  const other = await service.ok('POST', '/create-api-key', { name: 'spare' });
  await open(page, '/account');
  const own = page.getByRole('row', { name: /this session/ });
  await own.getByRole('button', { name: /^Disable/ }).click();
  await page.getByText('you will be signed out').waitFor();
  await page.getByRole('button', { name: 'Disable the key' }).click();
  await page.getByText('You disabled the key of your session').waitFor();
  await assertAccessible(page, 'the sign-in page after the key was disabled');
  assert.equal(await page.evaluate('sessionStorage.length'), 0);
  await page.getByLabel('API key').fill(other.api_key);
  await page.getByLabel('Client secret').fill(other.client_secret);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'API keys' }).waitFor();
  await page.getByRole('row', { name: /spare/ }).getByText('this session').waitFor();
  assert.deepEqual(withoutStatus(401), []);
});
