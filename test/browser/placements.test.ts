// The placements page: a merchandiser builds a list without writing syntax, sees what would change, saves it and goes back. The
// storefront shows placements on the same data.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser, Locator } from 'playwright-core';
import { DAY_MS } from '../../src/base/durations.ts';
import { eventually } from '../support/eventually.ts';
import { plantModel } from '../support/plant-model.ts';
import { type ServiceProcess, startServiceProcess } from '../support/service.ts';
import {
  createTasteProject,
  ITEMS,
  isOfKind,
  KINDS,
  succeed,
  type TasteProject,
  tasteModel,
} from '../support/taste-project.ts';
import { assertAccessible } from './axe.ts';
import { launchBrowser, openPage, type WatchedPage } from './browser.ts';
import { open, signIn } from './signed-in.ts';

const HORROR = 2;
const PICTURE = '<svg xmlns="http://www.w3.org/2000/svg" width="4" height="3"><rect width="4" height="3"/></svg>';

let browser: Browser;
let service: ServiceProcess;
let page: WatchedPage;
let project: TasteProject;

before(async () => {
  browser = await launchBrowser();
  service = await startServiceProcess({ KINDRED_ROLES: 'api,worker' });
  project = await createTasteProject(service);
  const { item_dataset_id, project_id } = project;
  const items = Array.from({ length: ITEMS }, (_, n) => ({
    item_id: `i${n}`,
    set: { image: `https://pictures.example/${n}.jpg` },
  }));
  await service.ok('POST', '/patch-dataset-items', { item_dataset_id, items });
  const users = [{ user_id: 'u5', attributes: { country: 'DE' } }];
  await service.ok('POST', '/upsert-dataset-users', { user_dataset_id: project.user_dataset_id, users });
  const { modelId } = await plantModel(service, project, tasteModel());
  await succeed(service, '/submit-deployment-job', { project_id, generator_model_id: modelId, qps: 100 });
  // Tall: lists of suggestions close when the page scrolls.
  page = await openPage(browser, { viewport: { width: 1280, height: 2400 } });
  await page.route('https://pictures.example/**', (route) =>
    route.fulfill({ contentType: 'image/svg+xml', body: PICTURE }),
  );
  await signIn(page, service);
});
after(async () => {
  await browser?.close();
  await service?.stop();
});

/** Chooses genre is Horror in the picker whose button has this text. */
async function chooseHorror(button: string): Promise<void> {
  const add = page.getByRole('button', { name: button });
  const picker = page.locator('.condition-picker').filter({ has: add });
  await picker.getByRole('button', { name: /Item attribute/ }).click();
  await page.getByRole('option', { name: /genre/ }).click();
  await picker.getByRole('combobox', { name: 'Value' }).fill('Hor');
  await page.getByRole('option', { name: 'Horror' }).filter({ hasText: '20' }).click();
  await add.click();
}

const cardsOf = (list: string) => page.getByRole('list', { name: list, exact: true }).getByRole('listitem');
const placement = () => service.ok('GET', '/get-placement', { project_id: project.project_id, name: 'home-page' });

test('a placement is created from what the data has, without writing syntax', async () => {
  await open(page, '/placements');
  await page.getByRole('heading', { name: 'No placements yet' }).waitFor();
  await page.getByRole('link', { name: 'New placement' }).click();
  await page.getByLabel('Name', { exact: true }).fill('home-page');
  await page.getByLabel('Number of items').fill('6');
  await cardsOf('This placement').nth(5).waitFor();
  await cardsOf('This placement').nth(6).waitFor({ state: 'detached' });
  assert.equal(await cardsOf('This placement').locator('img').count(), 6);
  await assertAccessible(page, 'a new placement');
  await chooseHorror('Add condition');
  assert.equal(await page.getByLabel('As a filter').inputValue(), "genre = 'Horror'");
  await cardsOf('This placement').filter({ hasText: 'Drama' }).first().waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Create placement' }).click();
  await page.getByRole('heading', { level: 1, name: 'home-page' }).waitFor();
  const { version, defaults, kind } = await placement();
  assert.deepEqual(
    { version, defaults, kind },
    {
      version: 1,
      kind: 'for_you',
      defaults: { limit: 6, filter_query: "genre = 'Horror'" },
    },
  );
  assert.deepEqual(page.complaints, []);
});

test('a change is seen next to today’s list for a chosen user, saved as version 2 and rolled back', async () => {
  await page.getByRole('radiogroup', { name: 'Preview for' }).getByRole('radio', { name: 'User' }).click();
  await page.getByRole('combobox', { name: 'User', exact: true }).fill('u5');
  await page.getByRole('combobox', { name: 'User', exact: true }).press('Enter');
  await cardsOf('Version 1').first().waitFor();
  await page.getByRole('button', { name: 'Clear' }).click();
  await chooseHorror('Add boost');
  await page.getByRole('list', { name: 'Boosts' }).getByText("genre = 'Horror' × 2").waitFor();
  await page.getByRole('button', { name: /, place 3$/ }).click();
  await cardsOf('With your changes').nth(2).getByRole('button', { name: 'Unpin' }).waitFor();
  // Today's list has only horror; without the filter others come in and are marked.
  await cardsOf('Version 1, today').nth(5).waitFor();
  await assertAccessible(page, 'a changed placement');
  const versions = Promise.withResolvers<void>();
  await page.route('**/list-placement-versions*', (route) => versions.promise.then(() => route.continue()));
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('For you, version 2').waitFor();
  assert.equal(await page.getByText('was saved meanwhile').count(), 0, 'one’s own version is no news');
  versions.resolve();
  await page
    .getByRole('row', { name: /^2 Changed/ })
    .getByText('active', { exact: true })
    .waitFor();
  await page.unroute('**/list-placement-versions*');
  const second = await placement();
  assert.equal(second.version, 2);
  assert.deepEqual(second.defaults.boosts, [{ filter_query: "genre = 'Horror'", factor: 2 }]);
  assert.equal(second.defaults.pins[0].position, 3);
  assert.equal(second.defaults.filter_query, undefined);

  await page.getByRole('button', { name: 'Roll back to version 1' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Roll back' }).click();
  await page
    .getByRole('row', { name: /^3 Rolled back/ })
    .getByText('active', { exact: true })
    .waitFor();
  assert.equal(await page.getByLabel('As a filter').inputValue(), "genre = 'Horror'");
  assert.deepEqual((await placement()).defaults, { limit: 6, filter_query: "genre = 'Horror'" });
  assert.deepEqual(page.complaints, []);
});

test('a card is pinned by dragging it to another place', async () => {
  const cards = cardsOf('Version 3');
  await cards.nth(5).waitFor();
  const dragged = await cards.nth(4).locator('.item-name').getAttribute('title');
  assert.ok(isOfKind(dragged ?? '', HORROR));
  await cards.nth(4).dragTo(cards.nth(0));
  await cardsOf('With your changes').nth(0).getByRole('button', { name: 'Unpin' }).waitFor();
  assert.equal(await cardsOf('With your changes').nth(0).locator('.item-name').getAttribute('title'), dragged);
  assert.deepEqual(page.complaints, []);
});

test('a rule for some users holds in the preview of such a user, and a version saved meanwhile is not overwritten', async () => {
  await page.getByRole('radio', { name: 'Visitor', exact: true }).click();
  await page.getByRole('button', { name: 'Add rule' }).click();
  await page.getByLabel('Name of the rule').fill('Germany');
  const from = page.getByLabel('Active from (optional)');
  await from.fill('2026-01-01T08:00');
  // In the year: a fifth digit belongs to the hour.
  for (const key of ['ArrowRight', 'ArrowRight', ...'20256']) await page.keyboard.press(key);
  assert.equal(await from.inputValue(), '2025-01-01T06:00');
  const forWhom = page.getByRole('group', { name: 'Only for users who match' });
  await forWhom.getByRole('button', { name: /User attribute/ }).click();
  await page.getByRole('option', { name: 'country' }).click();
  await forWhom.getByRole('combobox', { name: 'Value' }).fill('D');
  await page.getByRole('option', { name: 'DE' }).click();
  await forWhom.getByRole('button', { name: 'Add condition' }).click();
  assert.equal(await forWhom.getByLabel('As a filter').inputValue(), "user.country = 'DE'");
  await page.getByText('Active rules').waitFor({ state: 'detached' });
  await page.getByRole('radiogroup', { name: 'Preview for' }).getByRole('radio', { name: 'User' }).click();
  await page.getByText('Active rules: Germany').waitFor();
  await assertAccessible(page, 'a rule');

  const { project_id } = project;
  await service.ok('PUT', '/update-placement', { project_id, name: 'home-page', fallback: [] });
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Version 4 was saved meanwhile').waitFor();
  assert.equal(await page.getByLabel('Name of the rule').inputValue(), 'Germany');
  assert.deepEqual((await placement()).rules, []);
  await page.getByRole('button', { name: 'Load version 4' }).click();
  await page.getByLabel('Name of the rule').waitFor({ state: 'detached' });
  // The browser itself reports the refused call.
  page.complaints.length = 0;
});

test('the list of placements shows kind, version, who changed it and a small preview', async () => {
  await open(page, `/placements/${project.project_id}`);
  const entry = page.locator('li.card').filter({ hasText: 'home-page' });
  await entry.getByText('version 4').waitFor();
  await entry.getByText('For you').waitFor();
  await entry.getByText(/Changed by/).waitFor();
  await cardsOf('What home-page shows a new visitor').nth(5).waitFor();
  await assertAccessible(page, 'the placements');
  assert.deepEqual(page.complaints, []);
});

test('a ranking asks for the items to rank', async () => {
  const { project_id } = project;
  await service.ok('POST', '/create-placement', { project_id, name: 'sorted', kind: 'ranking' });
  await open(page, `/placements/${project_id}/sorted`);
  await page.getByRole('combobox', { name: 'Items to rank' }).waitFor();
  // The last that the page asks for. What it asked for after the deletion would be refused.
  await page.getByRole('row', { name: /^1 Created/ }).waitFor();
  await service.ok('DELETE', '/delete-placement', { project_id, name: 'sorted' });
  assert.deepEqual(page.complaints, []);
});

test('conditions take several values, are joined with or, and speak of the context; a list can be varied', async () => {
  const { project_id, event_dataset_id } = project;
  const event = { event_id: 'phone', user_id: 'u1', item_id: 'i1', ts: Date.now(), event_type: 'view' };
  const events = [{ ...event, attributes: { device: 'phone' } }];
  await service.ok('POST', '/upsert-dataset-events', { event_dataset_id, events });
  // In this order: the page it is on is of a placement that was deleted.
  await open(page, `/placements/${project_id}/home-page`);
  await page.reload();
  const always = page.getByRole('group', { name: 'Only items that match' }).first();
  await always.getByRole('button', { name: 'Clear' }).click();
  const chooseAttribute = async (group: Locator, label: RegExp, name: string) => {
    await group.getByRole('button', { name: label }).click();
    await page.getByRole('option', { name }).click();
  };
  await chooseAttribute(always, /Item attribute/, 'genre');
  await always.getByRole('button', { name: /Comparison/ }).click();
  await page.getByRole('option', { name: 'is one of' }).click();
  for (const genre of ['Horror', 'Drama']) {
    await always.getByRole('combobox', { name: 'Value' }).fill(genre.slice(0, 3));
    await page.getByRole('option', { name: genre }).click();
  }
  await assertAccessible(page, 'a condition with several values');
  await always.getByRole('button', { name: 'Add condition' }).click();
  await always.getByRole('radio', { name: 'or', exact: true }).click();
  await chooseAttribute(always, /Item attribute/, 'price');
  await always.getByRole('combobox', { name: 'Value' }).fill('7');
  await page.keyboard.press('Tab');
  await always.getByRole('button', { name: 'Add condition' }).click();
  assert.equal(await always.getByLabel('As a filter').inputValue(), "genre IN ('Horror', 'Drama') OR price = 7");

  await page.getByRole('radio', { name: 'Limit per value' }).click();
  const variety = page.getByRole('group', { name: 'Variety' }).first();
  await chooseAttribute(variety, /Same value of/, 'genre');
  await variety.getByRole('button', { name: 'Add limit' }).click();
  await variety.getByText('At most 2 with the same genre').waitFor();
  await cardsOf('With your changes').nth(5).waitFor({ state: 'detached' });

  await page.getByText('Items the user knows').click();
  const known = page.locator('details', { hasText: 'Items the user knows' });
  await chooseAttribute(known, /counts as new again/, '30 days');
  await chooseAttribute(known, /Items with a/, 'Leave out');

  await page.getByRole('button', { name: 'Add rule' }).click();
  const forWhom = page.getByRole('group', { name: 'Only for users who match' });
  await forWhom.getByRole('radio', { name: 'Context' }).click();
  await chooseAttribute(forWhom, /Context attribute/, 'device');
  await forWhom.getByRole('combobox', { name: 'Value' }).fill('phone');
  await page.keyboard.press('Tab');
  await forWhom.getByRole('button', { name: 'Add condition' }).click();
  assert.equal(await forWhom.getByLabel('As a filter').inputValue(), "context.device = 'phone'");
  await page.getByText('Context, such as the device').click();
  const preview = page.getByRole('region', { name: 'Preview for' });
  await chooseAttribute(preview, /Context attribute/, 'device');
  await preview.getByRole('combobox', { name: 'Value' }).fill('phone');
  await page.keyboard.press('Tab');
  await preview.getByRole('button', { name: 'Set context' }).click();
  await page.getByText('Active rules: Rule 1').waitFor();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('row', { name: /^5 Changed/ }).waitFor();
  const { defaults, rules } = await placement();
  assert.equal(defaults.filter_query, "genre IN ('Horror', 'Drama') OR price = 7");
  assert.deepEqual(defaults.diversity, { max_per: { genre: 2 } });
  assert.deepEqual([defaults.touch_days, defaults.exclude_seen], [30, true]);
  assert.deepEqual(rules, [{ name: 'Rule 1', only_if: "context.device = 'phone'" }]);
  assert.deepEqual(page.complaints, []);
});

test('the storefront shows the placements as one page without repeats, and opening an item changes it', async () => {
  const { project_id } = project;
  const create = (name: string, kind: string) =>
    service.ok('POST', '/create-placement', { project_id, name, kind, defaults: { limit: 6 } });
  await create('also_bought', 'similar');
  await create('new-films', 'newest');
  await page.reload();
  await open(page, `/placements/${project_id}`);
  await page.getByRole('link', { name: 'Storefront' }).click();
  await page.getByText('Open an item to see also_bought').waitFor();
  await cardsOf('New films').nth(5).waitFor();
  const shownIds = () => page.locator('.storefront-page .item-name').evaluateAll((all) => all.map((one) => one.title));
  const before = await shownIds();
  assert.equal(new Set(before).size, before.length, 'no item twice');
  await assertAccessible(page, 'the storefront');

  // By keyboard: the second new film is opened.
  const opened = before[before.length - 5];
  await cardsOf('New films').nth(1).getByRole('button').focus();
  await page.keyboard.press('Enter');
  await cardsOf('Also bought').nth(5).waitFor();
  const after = await shownIds();
  assert.equal(new Set(after).size, after.length, 'no item twice');
  const related = await cardsOf('Also bought')
    .locator('.item-name')
    .evaluateAll((all) => all.map((one) => one.title));
  assert.ok(
    related.every((id) => isOfKind(id, Number(opened.slice(1)) % KINDS)),
    `${related} are of the kind of ${opened}`,
  );

  await page.getByRole('button', { name: 'Take new-films off the page' }).click();
  await page.getByRole('region', { name: 'New films' }).waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Move also_bought up' }).click();
  const titles = page.locator('.storefront-page h2');
  await page.locator('.storefront-page section').first().getByText('Also bought').waitFor();
  assert.deepEqual(await titles.allTextContents(), ['Also bought', 'Home page']);
  // The first list that counts is one of a call that is no preview.
  await service.ok('POST', '/call-placement', { project_id, placement: 'new-films' });
  const served = async (): Promise<[string, number][]> => {
    const { totals } = await service.ok('GET', '/get-placement-report', { project_id, by: 'total' });
    return totals.map((row: { placement: string; served: number }) => [row.placement, row.served]);
  };
  await eventually(async () => (await served()).length > 0);
  assert.deepEqual(await served(), [['new-films', 1]]);
  assert.deepEqual(page.complaints, []);
});

test('a placement whose filters have parameters is previewed with its defaults, changed and saved', async () => {
  const { project_id } = project;
  await service.ok('POST', '/create-placement', {
    project_id,
    name: 'budget',
    kind: 'for_you',
    defaults: { limit: 6, filter_query: 'price < $max', filter_params: { max: 20 } },
    rules: [{ name: 'from next year on', from_ts: Date.now() + 365 * DAY_MS, filter_query: 'price > $min' }],
  });
  await open(page, `/placements/${project_id}/budget`);
  await cardsOf('Version 1').nth(5).waitFor();
  assert.equal(await page.getByLabel('As a filter').first().inputValue(), 'price < $max');
  await page.getByLabel('Number of items').fill('5');
  const saving = Promise.withResolvers<void>();
  await page.route('**/update-placement', (route) => saving.promise.then(() => route.continue()));
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByLabel('Number of items').fill('4');
  saving.resolve();
  await page.getByRole('row', { name: /^2 Changed/ }).waitFor();
  const { defaults, rules } = await service.ok('GET', '/get-placement', { project_id, name: 'budget' });
  assert.deepEqual([defaults.limit, rules[0].filter_query], [5, 'price > $min']);
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('row', { name: /^3 Changed/ }).waitFor();
  const { defaults: changedWhileSaved } = await service.ok('GET', '/get-placement', { project_id, name: 'budget' });
  assert.equal(changedWhileSaved.limit, 4);
  assert.deepEqual(page.complaints, []);
});
