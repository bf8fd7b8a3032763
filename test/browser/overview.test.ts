// The pages people keep open: what recommendations do compared with a holdout, how fresh everything is, and what is wrong with the
// data.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { eventually } from '../support/eventually.ts';
import { plantModel } from '../support/plant-model.ts';
import { type ServiceProcess, startServiceProcess } from '../support/service.ts';
import { createTasteProject, succeed, type TasteProject, tasteModel } from '../support/taste-project.ts';
import { assertAccessible } from './axe.ts';
import { JOB_TIMEOUT, launchBrowser, openPage, PHONE, type WatchedPage } from './browser.ts';
import { open, signIn } from './signed-in.ts';

let browser: Browser;
let service: ServiceProcess;
let page: WatchedPage;
let project: TasteProject;

before(async () => {
  browser = await launchBrowser();
  service = await startServiceProcess({ KINDRED_ROLES: 'api,worker' });
  project = await createTasteProject(service);
  // What is popular these days.
  const { event_dataset_id } = project;
  const events = Array.from({ length: 30 }, (_, n) => ({
    event_id: `recent${n}`,
    user_id: `u${n}`,
    item_id: `i${n % 10}`,
    event_type: 'view',
    ts: Date.now() - n * 1000,
  }));
  await service.ok('POST', '/upsert-dataset-events', { event_dataset_id, events });
  page = await openPage(browser, { viewport: { width: 1280, height: 1300 }, timezoneId: 'America/New_York' });
  await signIn(page, service);
});
after(async () => {
  await browser?.close();
  await service?.stop();
});

/** Visitors of a placement in an experiment, who click more on what was made for them. */
async function visitors(count: number): Promise<void> {
  const { project_id, event_dataset_id } = project;
  const events: object[] = [];
  const impressions: object[] = [];
  // Counted per variant: chance gives either about half of the visitors, and must not decide how many of them click.
  const turns = new Map<string, number>();
  for (let n = 0; n < count; n++) {
    const user_id = `visitor${n}`;
    const { recommendation_id, variant, results } = await service.ok(
      'POST',
      `/projects/${project_id}/placements/home`,
      { user_id },
    );
    const item_ids = results.map(({ item }: { item: { item_id: string } }) => item.item_id);
    impressions.push({ recommendation_id, item_ids, user_id });
    const turn = turns.get(variant) ?? 0;
    turns.set(variant, turn + 1);
    const clicks = variant === 'holdout' ? turn % 3 === 0 : turn % 3 !== 0;
    const event = { user_id, item_id: item_ids[0], ts: Date.now(), recommendation_id };
    if (clicks) events.push({ ...event, event_id: `click${n}`, event_type: 'view' });
    const buys = clicks && (variant !== 'holdout' || turn % 4 === 0);
    if (buys) events.push({ ...event, event_id: `buy${n}`, event_type: 'buy', event_value: 20 });
  }
  await service.ok('POST', '/record-impressions', { impressions });
  await service.ok('POST', '/upsert-dataset-events', { event_dataset_id, events });
}

test('a list that could not be read is read again with one button', async () => {
  for (const [path, call, shown] of [
    ['/', 'list-projects', page.getByRole('link', { name: 'Train a model' })],
    [`/start/${project.project_id}`, 'list-models', page.getByRole('button', { name: 'Start training' })],
  ] as const) {
    await page.route(`**/${call}*`, (route) =>
      route.fulfill({ status: 500, json: { code: 'INTERNAL_ERROR', detail: 'Broken.' } }),
    );
    await open(page, path);
    await page.reload();
    await page.getByRole('alert').getByText('Broken.').waitFor();
    await page.unroute(`**/${call}*`);
    await page.getByRole('button', { name: 'Try again' }).click();
    await shown.waitFor();
  }
  // The browser itself reports the failed calls.
  page.complaints.length = 0;
});

test('a newcomer is told the next step, and then what recommendations do', async () => {
  const { project_id } = project;
  await open(page, '/');
  await page.getByRole('link', { name: 'Train a model' }).waitFor();
  const { modelId } = await plantModel(service, project, tasteModel());
  await succeed(service, '/submit-deployment-job', { project_id, generator_model_id: modelId, qps: 10_000 });
  await open(page, '/jobs');
  await open(page, '/');
  await page.getByRole('heading', { name: 'No recommendations in this time' }).waitFor();
  await assertAccessible(page, 'an overview without recommendations');
  await service.ok('POST', '/create-placement', { project_id, name: 'home', kind: 'for_you', defaults: { limit: 4 } });
  await service.ok('POST', '/create-experiment', {
    project_id,
    placement: 'home',
    name: 'Do they work?',
    metric: 'click',
    min_days: 0,
    variants: [
      { name: 'today', share: 50, overrides: {} },
      { name: 'holdout', share: 50, overrides: { kind: 'popular' } },
    ],
  });
  await visitors(240);
  // The page asks again after 15 seconds only.
  const served = async () => {
    const { totals } = await service.ok('GET', '/get-placement-report', { project_id, placement: 'home', by: 'total' });
    return totals.reduce((sum: number, { served }: { served: number }) => sum + served, 0);
  };
  await eventually(async () => (await served()) === 240);
  await page.reload();
  const tile = (name: string) => page.getByRole('region', { name, exact: true });
  await tile('Recommendations served').getByText('240', { exact: true }).waitFor();
  for (const [name, text] of [
    ['Click rate', /\d+(\.\d)?%.*to.*of the items shown\+\d+% over the holdout/],
    ['Conversion rate', /\d%.*Too few in the holdout to compare yet/],
    ['Value', /“buy” events, [\d,.]+ per 1,000 lists/],
  ] as const) {
    await tile(name).filter({ hasText: text }).waitFor();
  }
  assert.equal(await tile('Click rate').locator('svg').count(), 1);
  // Days of the report are UTC, wherever the browser is.
  const today = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeZone: 'UTC' }).format(Date.now());
  const days = await tile('Recommendations served').locator('title').allTextContents();
  assert.deepEqual([days.length, days.at(-1)], [7, `${today} (UTC): 240`]);
  const fresh = page.getByRole('region', { name: 'Fresh and fast' });
  const isFresh =
    /Newest event(just now|\d+ seconds? ago|[1-5] minutes? ago).*\d ms.*calls of all projects in \d+ minutes?/;
  await fresh.filter({ hasText: isFresh }).waitFor();
  await assertAccessible(page, 'the overview');
  assert.deepEqual(page.complaints, []);
});

test('the data is checked when the page is opened first, and each fault has its cost and fix', async () => {
  const { event_dataset_id } = project;
  const events = Array.from({ length: 40 }, (_, n) => ({
    event_id: `odd${n}`,
    user_id: `u${n % 20}`,
    item_id: n < 20 ? 'i1' : `gone${n % 2}`,
    event_type: n === 0 ? 'veiw' : 'view',
    ts: n < 20 ? 1_762_000_000 + n : Date.now() - n * 1000,
  }));
  await service.ok('POST', '/upsert-dataset-events', { event_dataset_id, events });
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Data health' }).click();
  await page.getByRole('heading', { name: /January 1970/ }).waitFor(JOB_TIMEOUT);
  for (const name of [/2 items of events have no record/, /1 event type looks like another one/]) {
    await page.getByRole('heading', { name }).waitFor();
  }
  await page.getByText('gone0').waitFor();
  await page.getByRole('heading', { name: 'Events per hour' }).waitFor();
  await assertAccessible(page, 'data health');
  await open(page, '/');
  await page.getByText(/warnings? about your data/).waitFor();
  const fixed = events.map((event, n) => ({
    ...event,
    item_id: 'i1',
    event_type: 'view',
    ts: Date.now() - 60_000 * n,
  }));
  await service.ok('POST', '/upsert-dataset-events', { event_dataset_id, events: fixed });
  await page.getByRole('link', { name: 'See what each costs and how to fix it' }).click();
  await page.getByRole('button', { name: 'Check now' }).click();
  await page.getByText('Nothing is wrong.').waitFor(JOB_TIMEOUT);
  await page.setViewportSize(PHONE);
  for (const path of ['/', '/health']) {
    await open(page, path);
    assert.ok(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), `${path} fits a phone`);
  }
  assert.deepEqual(page.complaints, []);
});

test('the overview opens on the project chosen last, and the start page counts the records of its own project', async () => {
  await page.setViewportSize({ width: 1280, height: 1300 });
  const ids: Record<string, string> = {};
  for (const kind of ['user', 'item', 'event']) {
    const created = await service.ok('POST', `/create-${kind}-dataset`, { name: 'empty' });
    ids[`${kind}_dataset_id`] = created[`${kind}_dataset_id`];
  }
  const shape = { name: 'newer', project_type: 'RECOMMEND_ITEMS_TO_USER', target_event_type: 'buy' };
  const newer = await service.ok('POST', '/create-project', { ...shape, ...ids });
  const titled = (name: string) => page.getByRole('main').getByRole('heading', { name, exact: true });

  await open(page, `/projects/${newer.project_id}`);
  await page.reload();
  await open(page, `/start/${newer.project_id}`);
  await page.getByText('0 users, 0 items, 0 events.').waitFor();
  await open(page, '/');
  await titled('newer').waitFor();
  await open(page, `/projects/${project.project_id}`);
  await open(page, '/');
  await titled('films').waitFor();
  await page.reload();
  await titled('films').waitFor();
  await page.getByLabel('Project').click();
  await page.getByRole('option', { name: 'newer' }).click();
  await titled('newer').waitFor();
  await open(page, '/insight');
  await page.getByRole('link', { name: 'Train a model' }).waitFor();
  assert.deepEqual(page.complaints, []);
});
