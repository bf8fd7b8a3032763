// Automation and experiments in the console: the switch on the first screen, the gate's decisions, rolling back, and an
// experiment from its start to the promoted variant.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { openStore } from '../../src/store/open-store.ts';
import { assertAccessible } from '../browser/axe.ts';
import { JOB_TIMEOUT, launchBrowser, openPage, type WatchedPage } from '../browser/browser.ts';
import { open, signIn } from '../browser/signed-in.ts';
import { eventually } from '../support/eventually.ts';
import { plantModel } from '../support/plant-model.ts';
import { type ServiceProcess, startServiceProcess } from '../support/service.ts';
import { createTasteProject, succeed, type TasteProject, tasteModel, turnedModel } from '../support/taste-project.ts';

let browser: Browser;
let service: ServiceProcess;
let page: WatchedPage;
let project: TasteProject;
const models: string[] = [];

before(async () => {
  browser = await launchBrowser();
  service = await startServiceProcess({ KINDRED_ROLES: 'api,worker' });
  project = await createTasteProject(service);
  const { project_id } = project;
  for (const model of [turnedModel(), tasteModel()]) {
    const { modelId } = await plantModel(service, project, model);
    models.push(modelId);
    await succeed(service, '/submit-deployment-job', { project_id, generator_model_id: modelId, qps: 100 });
  }
  await service.ok('POST', '/create-placement', { project_id, name: 'home', kind: 'for_you', defaults: { limit: 4 } });
  page = await openPage(browser, { viewport: { width: 1280, height: 2000 } });
  await signIn(page, service);
});
after(async () => {
  await browser?.close();
  await service?.stop();
});

const automation = async () =>
  (await service.ok('GET', '/get-project', { project_id: project.project_id })).automation as unknown;

/** What automation and the write path would have written. */
async function write(sql: string, params: (string | number | null)[]): Promise<void> {
  const store = await openStore(service);
  try {
    await store.database.atomic([{ sql, params }]);
  } finally {
    await store.close();
  }
}

test('automation is switched on where people start, and its rules are changed on the page of the project', async () => {
  await open(page, '/');
  const onStart = page.getByRole('switch', { name: 'Train and deploy automatically' });
  await onStart.waitFor();
  assert.equal(await onStart.isChecked(), false);
  await page.locator('.switch').click();
  await page.getByText('Automation is on').first().waitFor();
  assert.deepEqual(await automation(), {
    retrain: { every_hours: 24, after_new_events: 1000 },
    deploy: 'if_not_worse',
    keep_models: 10,
  });
  await assertAccessible(page, 'the overview with automation');
  await open(page, `/projects/${project.project_id}`);
  await page.getByRole('button', { name: 'Change rules' }).click();
  await page.getByLabel('Train every … hours').fill('12');
  await page.getByLabel('Train after … new events').fill('');
  await page.getByLabel('Models to keep').fill('5');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Trains every 12 hours.').waitFor();
  assert.deepEqual(await automation(), { retrain: { every_hours: 12 }, deploy: 'if_not_worse', keep_models: 5 });
  assert.deepEqual(page.complaints, []);
});

test('the assist window is changed on the page of the project, within its bounds', async () => {
  await open(page, `/projects/${project.project_id}`);
  await page.getByText('24 hours', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Change window' }).click();
  const save = page.getByRole('button', { name: 'Save' });
  for (const text of ['', '0', '1.5', 'day', '721']) {
    await page.getByLabel('Hours', { exact: true }).fill(text);
    assert.equal(await save.isDisabled(), true, text);
  }
  await page.getByLabel('Hours', { exact: true }).fill('72');
  await save.click();
  await page.getByText('72 hours', { exact: true }).waitFor();
  const { assist_window_hours } = await service.ok('GET', '/get-project', { project_id: project.project_id });
  assert.equal(assist_window_hours, 72);
  assert.deepEqual(page.complaints, []);
});

test('the decisions of the gate are listed with their figures, and one click rolls back', async () => {
  const comparison = {
    compared_model_id: models[1],
    verdict: 'worse',
    users: 312,
    since_ts: 1,
    ndcg: 0.1,
    compared_ndcg: 0.14,
    difference: -0.04,
    interval: [-0.05, -0.03],
  };
  const reason = 'It is worse than the deployed model: NDCG 0.100 against 0.140.';
  await write(
    `INSERT INTO automation_decision (decision_id, account_id, project_id, created_ts, training_job_id, model_id, decision,
       reason, comparison) VALUES ('dec_1', ?, ?, ?, 'job_1', ?, 'reject', ?, ?)`,
    [project.account_id, project.project_id, Date.now(), models[0], reason, JSON.stringify(comparison)],
  );
  await open(page, '/projects');
  await open(page, `/projects/${project.project_id}`);
  const row = page.getByRole('row').filter({ hasText: 'rejected' });
  await row.waitFor();
  assert.match((await row.textContent()) ?? '', /-0\.04 \(-0\.05 to -0\.03\).*NDCG 0\.100 against 0\.140/);
  await assertAccessible(page, 'the project with decisions');
  await page.getByRole('region', { name: 'Serving now' }).getByRole('button', { name: 'Roll back' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Roll back' }).click();
  const serving = async () =>
    (await service.ok('GET', '/get-deployment', { project_id: project.project_id })).generator_model_id;
  await eventually(async () => (await serving()) === models[0], JOB_TIMEOUT.timeout);
  assert.deepEqual(page.complaints, []);
});

test('an experiment is started, shows its lift over time and a sentence, and promotes the winner', async () => {
  await open(page, '/experiments');
  await page.getByRole('heading', { name: 'No experiments yet' }).waitFor();
  await page.getByRole('link', { name: 'New experiment' }).click();
  await page.getByRole('button', { name: /Some visitors get/ }).click();
  await page.getByRole('option', { name: 'More variety' }).click();
  await page.getByLabel('Share of visitors in percent').fill('50');
  await page.getByLabel('Days it runs at least').fill('0');
  await page.getByLabel('Name', { exact: true }).fill('Variety pays');
  await assertAccessible(page, 'a new experiment');
  await page.getByRole('button', { name: 'Start experiment' }).click();
  await page.getByRole('heading', { level: 1, name: 'Variety pays' }).waitFor();
  await page.getByText('No visitors yet.').waitFor();
  const { project_id } = project;
  const [experiment] = (await service.ok('GET', '/list-experiments', { project_id })).experiments;
  assert.deepEqual(
    experiment.variants.map(({ name, share }: { name: string; share: number }) => [name, share]),
    [
      ['today', 50],
      ['variety', 50],
    ],
  );
  const { experiment_id } = experiment;
  for (const [variant, clicked] of [
    ['today', 2000],
    ['variety', 2600],
  ] as const) {
    await write(
      `INSERT INTO outcome_series (project_id, placement, experiment_id, variant, users, clicked_users)
       VALUES (?, 'home', ?, ?, 20000, ?)`,
      [project_id, experiment_id, variant, clicked],
    );
  }
  const figures = (clicked: number) =>
    JSON.stringify(
      [
        ['today', 1000],
        ['variety', clicked],
      ].map(([variant, users]) => ({
        variant,
        users: 10_000,
        clicked_users: users,
        target_users: 0,
        value_users: 0,
        value_sum: 0,
        value_squares: 0,
      })),
    );
  const hour = Math.floor(Date.now() / 3_600_000);
  for (const [n, clicked] of [900, 1100, 1250].entries()) {
    await write('INSERT INTO experiment_point (experiment_id, hour, figures) VALUES (?, ?, ?)', [
      experiment_id,
      hour - 30 + 10 * n,
      figures(clicked),
    ]);
  }
  await open(page, '/experiments');
  await page.getByRole('link', { name: 'Variety pays' }).click();
  await page.getByText(/^variety is better: its click rate is 30\.0% above today/).waitFor();
  await page.locator('.lift-line').waitFor();
  await page.locator('.lift-dot').waitFor();
  await page.locator('.legend').getByText('variety', { exact: true }).waitFor();
  assert.match((await page.locator('.lift-line').getAttribute('points')) ?? '', /^(\S+,\S+ ){3,4}\S+,\S+$/);
  await assertAccessible(page, 'an experiment');
  await page.getByRole('button', { name: 'Stop' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Stop', exact: true }).click();
  await page.getByText('Experiment stopped, variety promoted').first().waitFor();
  const placement = await service.ok('GET', '/get-placement', { project_id, name: 'home' });
  assert.deepEqual([placement.version, placement.defaults.diversity], [2, 0.3]);
  assert.deepEqual(page.complaints, []);
});
