// `kindred demo` as a person runs it: what it prints, the shop page it ends with, and that it leaves nothing behind.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { get } from 'node:http';
import { after, before, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { Browser } from 'playwright-core';
import { HOME_LISTS } from '../../src/sample/film-shop.ts';
import { assertAccessible } from '../browser/axe.ts';
import { launchBrowser, openPage, PHONE, type WatchedPage } from '../browser/browser.ts';
import { freePort } from '../support/free-port.ts';
import { startTestService } from '../support/service.ts';
import { type Demo, startDemo } from '../support/start-demo.ts';

let demo: Demo;
let browser: Browser;
let page: WatchedPage;

before(async () => {
  const port = String(await freePort());
  // The settings of a service are not those of its demo: its worker would not start with this one.
  demo = await startDemo('small', { KINDRED_PORT: port, KINDRED_TRAINING_MEMORY_MB: 'abc' });
  assert.equal(new URL(demo.baseUrl).port, port);
  browser = await launchBrowser();
  page = await openPage(browser);
});
after(async () => {
  await browser?.close();
  demo?.child.kill('SIGKILL');
});

const namesOf = (list: string) =>
  page.getByRole('region', { name: list, exact: true }).locator('.name').allTextContents();

async function backHome(): Promise<void> {
  await page.getByRole('link', { name: 'Lantern', exact: true }).click();
  await page.getByRole('region', { name: 'Bestsellers' }).waitFor();
}

/** Events of the visitor of the page, the newest first. */
async function storedEvents() {
  const { id } = JSON.parse(String(await page.evaluate("sessionStorage.getItem('kindred-shop')")));
  const { projects } = await demo.kindred.listProjects({});
  const { event_dataset_id } = projects[0];
  const { records } = await demo.kindred.listDatasetRecords({ event_dataset_id, user_id: id });
  return (
    records as unknown as { item_id: string; event_type: string; ts: number; recommendation_id?: string }[]
  ).toSorted((a, b) => b.ts - a.ts);
}

test('the demo prints the whole flow and ends with the address of a shop', () => {
  assert.match(demo.printed, /ndcg@10/);
  assert.equal(demo.printed.match(/^(watched|no history).*→ +For you +Continue +Again/gm)?.length, 4);
  assert.match(demo.printed, /genres = Horror: users by affinity/);
  assert.match(demo.printed, /With your own data:/);
  assert.match(demo.baseUrl, /^http:\/\/127\.0\.0\.1:\d+$/);
});

test('a click in the shop is a stored event, and the lists change', async () => {
  await page.goto(`${demo.baseUrl}/demo/`);
  await page.getByRole('region', { name: 'For you' }).waitFor();
  assert.equal(await page.getByRole('region', { name: 'Continue' }).count(), 0, 'nothing is known yet');
  await assertAccessible(page, 'the home page of the shop');
  const before = await namesOf('For you');
  assert.equal(before.length, 6);
  const titles = HOME_LISTS.map(({ title }) => title);
  const shown = (await Promise.all(titles.map(namesOf))).flat();
  assert.equal(new Set(shown).size, shown.length, 'no film twice');

  await page.getByRole('region', { name: 'For you' }).getByRole('link').nth(1).click();
  await page.getByRole('heading', { level: 1, name: before[1] }).waitFor();
  await page.getByRole('region', { name: 'Similar films' }).waitFor();
  await assertAccessible(page, 'the page of a film');
  const [view] = await storedEvents();
  assert.equal(view.event_type, 'view');
  assert.match(String(view.recommendation_id), /\./, 'the event names the list it came from');

  await backHome();
  assert.deepEqual(await namesOf('Continue'), [before[1]]);
  const after = await namesOf('For you');
  assert.notDeepEqual(after, before);
  assert.deepEqual(page.complaints, []);
});

test('what was bought leaves For you and can be watched again', async () => {
  const [bought] = await namesOf('For you');
  await page.getByRole('region', { name: 'For you' }).getByRole('link').first().click();
  await page.getByRole('button', { name: 'Add to cart' }).click();
  await page.getByRole('link', { name: 'Cart (1)' }).click();
  await page.getByRole('heading', { name: 'Your cart' }).waitFor();
  await assertAccessible(page, 'the cart');
  await page.getByRole('button', { name: 'Buy and watch' }).click();
  await page.getByRole('heading', { name: 'Your cart is empty' }).waitFor();
  assert.deepEqual(
    (await storedEvents()).slice(0, 3).map(({ event_type }) => event_type),
    ['watch', 'cart', 'view'],
  );
  await backHome();
  assert.ok(!(await namesOf('For you')).includes(bought));
  assert.deepEqual(await namesOf('Watch again'), [bought]);
  assert.deepEqual(page.complaints, []);
});

test('the report of the placements knows what was seen and opened in the shop', async () => {
  const { projects } = await demo.kindred.listProjects({});
  const { project_id } = projects[0];
  const read = async () => (await demo.kindred.getPlacementReport({ project_id, placement: 'for-you' })).totals[0];
  // What is on the screen counts as seen after a second.
  for (let tries = 0; (await read()).shown < 6 && tries < 100; tries++) await delay(100);
  const forYou = await read();
  assert.ok(forYou.shown >= 6, `${forYou.shown} items were seen`);
  assert.ok(forYou.direct.clicked >= 2, `${forYou.direct.clicked} were opened`);
  assert.ok(forYou.direct.target_events >= 1, `${forYou.direct.target_events} were bought`);
});

test('another visitor sees other lists, by keyboard and on a phone', async () => {
  const visitor = await namesOf('For you');
  await page.setViewportSize(PHONE);
  await page.getByLabel('You are').focus();
  await page.keyboard.press('ArrowDown');
  await page.getByRole('region', { name: 'Watch again' }).locator('li').nth(1).waitFor();
  const viewer = await namesOf('For you');
  assert.notDeepEqual(viewer, visitor);
  assert.match(String(await page.evaluate('document.activeElement.id')), /^visitor$/, 'the focus stays');
  await assertAccessible(page, 'the shop on a phone');
  await page.getByRole('button', { name: 'Start over as somebody new' }).click();
  await page.getByText('Popular to start with').waitFor();
  assert.deepEqual(await storedEvents(), []);
  assert.deepEqual(page.complaints, []);
});

test('the shop is only there for this machine, and only where the demo ran', async () => {
  const statusAt = (path: string, host?: string) =>
    new Promise<number | undefined>((resolve, reject) => {
      const headers = host === undefined ? {} : { host };
      get(`${demo.baseUrl}${path}`, { headers }, (response) => resolve(response.resume().statusCode)).on(
        'error',
        reject,
      );
    });
  for (const path of ['/demo/', '/demo/shop.js', '/demo/shop.css', '/demo/posters/horror-0.svg']) {
    assert.equal(await statusAt(path), 200, path);
    assert.equal(await statusAt(path, 'shop.example'), 404, path);
  }
  assert.equal(await statusAt('/demo/posters/none-0.svg'), 404);
  assert.match(
    (await fetch(`${demo.baseUrl}/demo/`)).headers.get('content-security-policy') ?? '',
    /default-src 'none'/,
  );

  const plain = await startTestService({ KINDRED_ROLES: 'api' });
  try {
    for (const path of ['/demo/', '/demo/shop.js', '/demo/posters/horror-0.svg']) {
      assert.equal((await fetch(plain.baseUrl + path)).status, 404, path);
    }
    assert.deepEqual(await (await fetch(`${plain.baseUrl}/demo/shop.json`)).json(), { shop: null });
  } finally {
    await plain.stop();
  }
});

test('the console leads from the placements to the shop', async () => {
  const link = /(http\S+#signin=\S+)/.exec(demo.printed)?.[1];
  await page.setViewportSize({ width: 1280, height: 860 });
  await page.goto(String(link));
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.goto(`${demo.baseUrl}/console/#/placements`);
  await page.getByRole('link', { name: 'Open the demo shop' }).waitFor();
  const posters = page.getByRole('list', { name: 'What bestsellers shows a new visitor' }).locator('img.picture');
  await posters.nth(5).waitFor();
  assert.deepEqual(page.complaints, []);
});

test('Ctrl-C ends the demo, which leaves nothing behind', async () => {
  const hasEnded = once(demo.child, 'exit');
  demo.child.kill('SIGINT');
  await hasEnded;
  assert.ok(demo.dataDir && !existsSync(demo.dataDir));
});
