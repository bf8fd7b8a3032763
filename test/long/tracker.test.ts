// The tracker and the placement element in pages of another origin than the service.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { Browser } from 'playwright-core';
import { buildBrowser } from '../../scripts/build-browser.ts';
import { launchBrowser, openPage } from '../browser/browser.ts';
import { eventually } from '../support/eventually.ts';
import { plantModel } from '../support/plant-model.ts';
import { type ServiceProcess, startServiceProcess } from '../support/service.ts';
import { createTasteProject, succeed, type TasteProject, tasteModel } from '../support/taste-project.ts';

let browser: Browser;
let service: ServiceProcess;
let project: TasteProject;
let site: Server;
let foreignSite: Server;
let key: string;
const originOf = (server: Server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

before(async () => {
  await buildBrowser();
  [site, foreignSite] = await Promise.all([servePages(), servePages()]);
  service = await startServiceProcess({ KINDRED_ROLES: 'api,worker' });
  project = await createTasteProject(service);
  const { project_id } = project;
  const { modelId } = await plantModel({ dataDir: service.dataDir }, project, tasteModel());
  await succeed(service, '/submit-deployment-job', { project_id, generator_model_id: modelId });
  const origins = [originOf(site)];
  key = (await service.ok('POST', '/create-api-key', { name: 'pages', kind: 'browser', origins, project_id })).api_key;
  const defaults = { attributes: ['title'], limit: 3 };
  await service.ok('POST', '/create-placement', { project_id, name: 'home', kind: 'for_you', defaults });
  browser = await launchBrowser();
});
after(async () => {
  await browser?.close();
  await service?.stop();
  for (const server of [site, foreignSite]) server?.close();
});

/** Empty pages; what they do, tests say. */
async function servePages(): Promise<Server> {
  const server = createServer((_, response) => {
    response.setHeader('content-type', 'text/html').end('<!doctype html><title>Shop</title><body></body>');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

async function eventsOf(user_id: string, count: number): Promise<Record<string, unknown>[]> {
  const { event_dataset_id } = project;
  let found: Record<string, unknown>[] = [];
  await eventually(async () => {
    found = (await service.ok('GET', '/list-dataset-records', { event_dataset_id, user_id })).records;
    return found.length >= count;
  });
  return found;
}

/** A page of the site with a tracker as `tracker`. */
async function openSite(options: object = {}, { at = site, init = '' } = {}) {
  const page = await openPage(browser);
  if (init) await page.addInitScript(init);
  await page.goto(originOf(at));
  await page.evaluate(`(async () => {
    const { createTracker } = await import(${JSON.stringify(`${service.baseUrl}/browser/kindred.js`)});
    globalThis.tracker = createTracker(${JSON.stringify({ url: service.baseUrl, key, ...options })});
  })()`);
  return page;
}

test('events are sent in a batch after a moment, and leave nothing in the browser', async () => {
  const page = await openSite({ waitMs: 100 });
  const calls: string[] = [];
  page.on('request', (request) => calls.push(`${request.method()} ${new URL(request.url()).pathname}`));
  const visitor = String(
    await page.evaluate(`tracker.track('view', 'i1'); tracker.track('view', 'i2', { value: 2 }); tracker.visitorId`),
  );
  const events = await eventsOf(visitor, 2);
  assert.deepEqual(events.map(({ item_id, event_value }) => [item_id, event_value]).sort(), [
    ['i1', 1],
    ['i2', 2],
  ]);
  assert.equal(await page.evaluate('document.cookie + localStorage.length + sessionStorage.length'), '00');
  // After an answer of the page, which comes after its calls have been told; those of the service may be faster.
  assert.deepEqual(calls, ['POST /track'], 'one call, and the browser did not ask first');
  assert.deepEqual(await page.context().cookies(), []);
  assert.deepEqual(page.complaints, []);
});

test('what still waits when the page is left is sent by a beacon', async () => {
  const page = await openSite({ waitMs: 60_000, visitorId: 'leaves' });
  await page.evaluate(`tracker.track('view', 'i3', { attributes: { device: 'phone' } })`);
  await page.goto(`${originOf(site)}/next`);
  const [event] = await eventsOf('leaves', 1);
  assert.deepEqual([event?.item_id, event?.attributes], ['i3', { device: 'phone' }]);
});

test('events wait while the service cannot be reached, and are stored once', async () => {
  const page = await openSite({ waitMs: 50, visitorId: 'offline' });
  await page.context().setOffline(true);
  await page.evaluate(`for (let n = 0; n < 45; n++) tracker.track('view', 'i' + n); tracker.flush()`);
  await page.context().setOffline(false);
  await page.evaluate('tracker.flush()');
  await page.evaluate('tracker.flush()');
  const events = await eventsOf('offline', 45);
  assert.equal(new Set(events.map(({ item_id }) => item_id)).size, 45);
  assert.equal(events.length, 45);
});

test('who asks not to be tracked is not, and an id is kept only when the page says so', async () => {
  const init = `Object.defineProperty(Navigator.prototype, 'doNotTrack', { get: () => '1' })`;
  const page = await openSite({ waitMs: 10, remember: true }, { init });
  let calls = 0;
  page.on('request', () => {
    calls += 1;
  });
  await page.evaluate(`tracker.track('view', 'i1'); tracker.flush()`);
  assert.deepEqual(
    [calls, await page.evaluate('tracker.visitorId'), await page.evaluate('localStorage.length')],
    [0, null, 0],
  );

  const kept = await openSite({ remember: true });
  const visitor = await kept.evaluate('tracker.visitorId');
  assert.equal(await kept.evaluate(`localStorage.getItem('kindred-visitor')`), visitor);
  await kept.evaluate(`tracker.identify('u7'); tracker.track('buy', 'i5'); tracker.flush()`);
  assert.ok((await eventsOf('u7', 1)).some(({ event_type, item_id }) => event_type === 'buy' && item_id === 'i5'));
});

test('a page of another origin can neither track nor read, and no page reads anything else', async () => {
  const call = (
    path: string,
    body: object,
    type = 'text/plain',
  ) => `fetch(${JSON.stringify(`${service.baseUrl}${path}?key=${key}`)}, {
    method: 'POST', body: ${JSON.stringify(JSON.stringify(body))}, headers: { 'content-type': '${type}' } })
    .then(async (response) => response.status + ' ' + (await response.json()).code, () => 'blocked')`;
  const body = { visitor_id: 'foreign', events: [{ item_id: 'i1', event_type: 'view' }] };
  const foreign = await openSite({}, { at: foreignSite });
  assert.equal(await foreign.evaluate(call('/track', body)), 'blocked');
  assert.equal(await foreign.evaluate(call('/track', body, 'application/json')), 'blocked');
  await foreign.evaluate(
    `navigator.sendBeacon(${JSON.stringify(`${service.baseUrl}/track?key=${key}`)}, ${JSON.stringify(JSON.stringify(body))})`,
  );

  const own = await openSite();
  assert.equal(await own.evaluate(call('/track', { ...body, visitor_id: 'own' }, 'application/json')), '200 undefined');
  const path = `/projects/${project.project_id}/placements/home`;
  assert.equal(await own.evaluate(call(path, { user_id: 'u1', attributes: ['price'] })), '400 INVALID_REQUEST');
  assert.equal(await own.evaluate(call(path, { user_id: 'u1', explain: true })), '400 INVALID_REQUEST');
  const page = { user_id: 'u1', placements: [{ name: 'home', filter_query: 'price > 1' }] };
  assert.equal(await own.evaluate(call(`/projects/${project.project_id}/page`, page)), '400 INVALID_REQUEST');
  for (const other of ['/recommend-items-to-user', '/call-placement', '/upsert-dataset-events', '/create-api-key']) {
    assert.equal(await own.evaluate(call(other, {})), 'blocked', other);
  }
  assert.equal((await eventsOf('own', 1)).length, 1);
  assert.deepEqual(
    (
      await service.ok('GET', '/list-dataset-records', {
        event_dataset_id: project.event_dataset_id,
        user_id: 'foreign',
      })
    ).records,
    [],
  );
});

test('the element shows a placement by its template, without running what a catalog holds, and reports clicks', async () => {
  const { item_dataset_id, project_id } = project;
  const hostile = { title: '<img src=x onerror="globalThis.ran = true">', link: 'javascript:globalThis.ran = true' };
  const items = Array.from({ length: 60 }, (_, n) => ({
    item_id: `i${n}`,
    attributes: { ...hostile, genre: ['a'], price: n },
  }));
  await service.ok('POST', '/upsert-dataset-items', { item_dataset_id, items });
  await service.ok('PUT', '/update-placement', {
    project_id,
    name: 'home',
    defaults: { attributes: ['title', 'link'], limit: 3 },
  });
  const page = await openSite({ waitMs: 10, visitorId: 'u3' });
  await page.setContent(`<kindred-placement url="${service.baseUrl}" key="${key}" project="${project_id}" name="home" limit="2">
    <template><a data-href="link"><b data-text="title"></b></a></template></kindred-placement>`);
  await page.locator('kindred-placement b').first().waitFor();
  assert.equal(await page.locator('kindred-placement b').count(), 2);
  assert.match((await page.locator('kindred-placement b').first().textContent()) ?? '', /^<img/);
  assert.equal(await page.locator('kindred-placement a').first().getAttribute('href'), null);
  const before = (await eventsOf('u3', 0)).length;
  await page.locator('kindred-placement b').first().click();
  const events = await eventsOf('u3', before + 1);
  const click = events.find(({ event_type }) => event_type === 'click');
  assert.match(String(click!.recommendation_id), /\./);
  assert.equal(await page.evaluate('globalThis.ran'), undefined);
});

test('a placement is for the user of the tracker, and after a refresh for the one who signed in since', async () => {
  const page = await openSite({ userId: 'u3' });
  const users: unknown[] = [];
  page.on('request', (request) => {
    if (request.url().includes('/placements/')) users.push(request.postDataJSON().user_id);
  });
  await page.setContent(
    `<kindred-placement url="${service.baseUrl}" key="${key}" project="${project.project_id}" name="home"></kindred-placement>`,
  );
  await page.locator('kindred-placement > div').first().waitFor();
  await page.evaluate(`tracker.identify('u4'); document.querySelector('kindred-placement').refresh()`);
  assert.deepEqual(users, ['u3', 'u4']);
});

test('items count as shown once they were half visible for a second, each once, and later events name the list', async () => {
  const { project_id } = project;
  await service.ok('POST', '/create-placement', { project_id, name: 'tall', kind: 'for_you', defaults: { limit: 6 } });
  const totals = async () => {
    const { totals } = await service.ok('GET', '/get-placement-report', { project_id, placement: 'tall', by: 'total' });
    const [{ shown, shown_lists, direct }] = totals;
    return { shown, shown_lists, clicked: direct.clicked };
  };
  const reached = async (shown: number) => {
    await eventually(async () => (await totals().catch(() => ({ shown: -1 }))).shown >= shown);
    await delay(1500);
    return totals();
  };
  const page = await openSite({ waitMs: 10, visitorId: 'u6', remember: true });
  const sent: string[] = [];
  page.on('request', (request) => sent.push(new URL(request.url()).pathname));
  // Two and a quarter of them fit the screen, of which the last is less than half visible.
  await page.setViewportSize({ width: 800, height: 900 });
  await page.setContent(`<style>body { margin: 0 } kindred-placement > div { display: block; height: 400px }</style>
    <kindred-placement url="${service.baseUrl}" key="${key}" project="${project_id}" name="tall"></kindred-placement>`);
  await page.locator('kindred-placement > div').first().waitFor();
  assert.deepEqual(await reached(2), { shown: 2, shown_lists: 1, clicked: 0 });
  assert.equal(sent.filter((path) => path === '/record-impressions').length, 1, 'seen together, sent together');
  // A glance is no look, also on a page that is too busy to notice its end in time.
  await page.evaluate(`new Promise((done) => {
    scrollTo(0, 1600);
    requestAnimationFrame(() => setTimeout(() => {
      for (const until = performance.now() + 1300; performance.now() < until; );
      scrollTo(0, 0);
      done();
    }, 100));
  })`);
  await delay(1500);
  assert.equal((await totals()).shown, 2);
  await page.evaluate('scrollTo(0, 800)');
  assert.equal((await reached(4)).shown, 4);
  await page.evaluate('scrollTo(0, 0)');
  assert.equal((await reached(4)).shown, 4, 'each item once');
  const before = (await eventsOf('u6', 0)).length;
  await page.locator('kindred-placement > div').first().click();
  const [{ item_id, recommendation_id }] = (await eventsOf('u6', before + 1)).filter(
    ({ event_type }) => event_type === 'click',
  );
  assert.match(String(recommendation_id), /\./);
  // On the next page the visitor buys what was chosen.
  await page.goto(`${originOf(site)}/item`);
  await page.evaluate(`(async () => {
    const { createTracker } = await import(${JSON.stringify(`${service.baseUrl}/browser/kindred.js`)});
    const tracker = createTracker(${JSON.stringify({ url: service.baseUrl, key, visitorId: 'u6', remember: true })});
    tracker.track('buy', ${JSON.stringify(item_id)});
    tracker.track('buy', 'another');
    await tracker.flush();
  })()`);
  const bought = (await eventsOf('u6', before + 3)).filter(({ ts }) => Number(ts) > Date.now() - 60_000);
  const listOf = (id: string) =>
    bought.find((event) => event.event_type === 'buy' && event.item_id === id)?.recommendation_id;
  assert.deepEqual([listOf(String(item_id)), listOf('another')], [recommendation_id, undefined]);
  assert.equal((await totals()).clicked, 1);
});
