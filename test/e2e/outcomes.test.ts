// Recommendation ids at the doors, impressions and reports over HTTP.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { RecommendationIds } from '../../src/outcomes/recommendation-id.ts';
import { eventually } from '../support/eventually.ts';
import { ApiCaller, newAccount, startTestService, type TestService } from '../support/service.ts';

let service: TestService;
let other: ApiCaller;
let ids: Record<'user_dataset_id' | 'item_dataset_id' | 'event_dataset_id', string>;
let project_id = '';
const DAY_MS = 86_400_000;
const ORIGIN = 'https://shop.example';

async function createShop(api: ApiCaller) {
  const made: Record<string, string> = {};
  for (const kind of ['user', 'item', 'event']) {
    const field = `${kind}_dataset_id`;
    made[field] = (await api.ok('POST', `/create-${kind}-dataset`, { name: kind }))[field];
  }
  const about = { name: 'shop', project_type: 'RECOMMEND_ITEMS_TO_USER', target_event_type: 'buy' };
  const created = await api.ok('POST', '/create-project', { ...about, ...made });
  const items = Array.from({ length: 6 }, (_, n) => ({ item_id: `i${n}`, attributes: { price: n } }));
  await api.ok('POST', '/upsert-dataset-items', { item_dataset_id: made.item_dataset_id, items });
  const placement = { project_id: created.project_id, name: 'home', kind: 'newest', defaults: { limit: 4 } };
  await api.ok('POST', '/create-placement', placement);
  return { ids: made as typeof ids, project_id: created.project_id as string };
}

before(async () => {
  service = await startTestService();
  ({ ids, project_id } = await createShop(service));
  other = new ApiCaller(service.baseUrl, await newAccount(service, 'other'));
});
after(() => service.stop());

const listOf = async (user_id = 'u1', api: ApiCaller = service, project = project_id): Promise<string> =>
  (await api.ok('POST', `/projects/${project}/placements/home`, { user_id })).recommendation_id;
const event = (event_id: string, recommendation_id?: unknown, change: object = {}) => ({
  event_id,
  user_id: 'u1',
  item_id: 'i1',
  ts: Date.now(),
  event_type: 'view',
  recommendation_id,
  ...change,
});
const upsert = (events: object[]) =>
  service.ok('POST', '/upsert-dataset-events', { event_dataset_id: ids.event_dataset_id, events });
const report = (query: object = {}) =>
  service.ok('GET', '/get-placement-report', { project_id, placement: 'home', ...query });
const codesOf = ({ failures }: { failures: { index: number; code: string }[] }) =>
  failures.map(({ index, code }) => `${index} ${code}`);

test('an event with an id that is forged or of another account or project fails alone, by every door', async () => {
  const own = await listOf();
  const theirShop = await createShop(other);
  const secondShop = await createShop(service);
  const foreign = await listOf('u1', other, theirShop.project_id);
  const elsewhere = await listOf('u1', service, secondShop.project_id);
  const forged = `${own.slice(0, -1)}${own.endsWith('A') ? 'B' : 'A'}`;
  const made = new RecommendationIds('guess').make(
    { accountId: 'a', projectId: project_id, modelId: null, placement: 'home', variant: null },
    { items: 4, userId: 'u1' },
    Date.now(),
  );
  const sent = [own, forged, foreign, made, 'x', 7, elsewhere, null];
  const response = await upsert(sent.map((id, n) => event(`door-${n}`, id)));
  assert.deepEqual(response.succeed_ids, ['door-0', 'door-7']);
  assert.deepEqual(
    codesOf(response).sort(),
    [1, 2, 3, 4, 5, 6].map((n) => `${n} INVALID_RECOMMENDATION_ID`),
  );
  const tracked = await service.ok('POST', '/track', {
    project_id,
    user_id: 'u1',
    events: sent.slice(0, 7).map((recommendation_id, n) => ({
      item_id: 'i1',
      event_type: 'view',
      event_id: `t${n}`,
      recommendation_id,
    })),
  });
  assert.equal(tracked.stored, 1);
  assert.equal(tracked.failures.length, 6);
  const impressions = sent.slice(0, 7).map((id) => ({ recommendation_id: String(id) }));
  const recorded = await service.ok('POST', '/record-impressions', { impressions });
  // The second shop is the account's own: its list counts for it.
  assert.deepEqual([recorded.recorded, recorded.failures.length], [2, 5]);
  const many = Array.from({ length: 1001 }, () => impressions[0]);
  const refused = await service.call('POST', '/record-impressions', { impressions: many });
  assert.deepEqual([refused.status, refused.body.code], [400, 'BATCH_TOO_LARGE']);
  assert.equal((await service.ok('POST', '/record-impressions', { impressions: many.slice(1) })).recorded, 1000);
  const items = (count: number) => Array.from({ length: count }, (_, n) => `i${n}`);
  const long = Array.from({ length: 1000 }, (_, n) => ({ ...impressions[0], item_ids: items(n === 0 ? 21 : 20) }));
  const longer = await service.call('POST', '/record-impressions', { impressions: long });
  assert.deepEqual([longer.status, longer.body.code], [400, 'BATCH_TOO_LARGE']);
  long[0].item_ids.pop();
  assert.equal((await service.ok('POST', '/record-impressions', { impressions: long })).recorded, 1000);
  const stored = await service.ok('GET', '/get-dataset-record', {
    event_dataset_id: ids.event_dataset_id,
    event_id: 'door-0',
  });
  assert.equal(stored.recommendation_id, own);
});

test("Segment's property is used where it is an id of the account and ignored where it is not", async () => {
  const [own, before] = [await listOf('u5'), (await report()).totals[0].direct.clicked];
  const message = (product_id: string, recommendation_id: string) => ({
    type: 'track',
    event: 'Product Viewed',
    userId: 'u5',
    messageId: product_id,
    timestamp: new Date().toISOString(),
    properties: { product_id, recommendation_id },
  });
  const { api_key, client_secret } = service.credentials;
  const basic = Buffer.from(`${api_key}:${client_secret}`).toString('base64');
  const { body } = await service.call(
    'POST',
    `/ingest/segment?project_id=${project_id}`,
    { batch: [message('i1', own), message('i2', 'their-own-id')] },
    { anonymous: true, headers: { authorization: `Basic ${basic}` } },
  );
  assert.deepEqual([body.stored, body.failures], [2, []]);
  assert.equal((await report()).totals[0].direct.clicked, before + 1);
});

test('a browser key records impressions of its project alone', async () => {
  const second = await createShop(service);
  const { browser_key, api_key } = await service.ok('POST', '/create-api-key', {
    name: 'page',
    kind: 'browser',
    origins: [ORIGIN],
    project_id,
  });
  const lists = [await listOf('u7'), await listOf('u7', service, second.project_id)];
  const { status, body } = await service.call(
    'POST',
    `/record-impressions?key=${browser_key ?? api_key}`,
    { impressions: lists.map((recommendation_id) => ({ recommendation_id, item_ids: ['i1'] })) },
    { anonymous: true, headers: { origin: ORIGIN } },
  );
  assert.equal(status, 200, JSON.stringify(body));
  assert.deepEqual([body.recorded, codesOf(body)], [1, ['1 INVALID_RECOMMENDATION_ID']]);
  assert.match(body.failures[0].message, /Send it unchanged\.$/, 'without its id an impression means nothing');
});

test('a list is served once it is returned, but a preview is not', async () => {
  const served = async () => (await report({ by: 'total' })).totals[0].served as number;
  const first = await listOf();
  const definition = { kind: 'newest' };
  await service.call('POST', '/preview-placement', { project_id, definition, request: { user_id: 'u1' } });
  await upsert([event('one', first)]);
  // Counted within a second or two.
  const before = await served();
  await listOf();
  await eventually(async () => (await served()) > before);
  const all = await service.ok('GET', '/get-placement-report', { project_id, by: 'total' });
  assert.deepEqual(
    all.totals.map(({ placement }: { placement: string | null }) => placement),
    ['home'],
    'a preview is no call outside placements',
  );
});

test('previews of a placement and of a page do not count as served, and their events count outside placements', async () => {
  const tried = { project_id, name: 'tried', kind: 'newest', defaults: { limit: 2 } };
  await service.ok('POST', '/create-placement', tried);
  const call = { project_id, user_id: 'u1', preview: true };
  const { results } = await service.ok('POST', '/call-placement', { ...call, placement: 'tried' });
  const page = await service.ok('POST', '/compose-page', { ...call, placements: [{ name: 'tried' }] });
  assert.deepEqual([results.length, page.placements[0].results], [2, results]);
  // Lists are counted in their order, so that of a visitor comes after the previews.
  await service.ok('POST', '/call-placement', { project_id, placement: 'tried', user_id: 'u1' });
  const served = async () => (await report({ placement: 'tried', by: 'total' })).totals[0]?.served ?? 0;
  await eventually(async () => (await served()) > 0);
  assert.equal(await served(), 1);
  await upsert([event('tried', page.placements[0].recommendation_id)]);
  const { totals } = await service.ok('GET', '/get-placement-report', { project_id, by: 'total' });
  const figures = (totals as { placement: string | null; served: number; direct: { clicked: number } }[])
    .filter(({ placement }) => placement !== 'home')
    .map(({ placement, served, direct }) => [placement, served, direct.clicked]);
  assert.deepEqual(figures, [
    [null, 0, 1],
    ['tried', 1, 0],
  ]);
});

test('days add up to totals, and wrong spans say what is possible', async () => {
  const daily = await report({ by: 'day', from_ts: Date.now() - 3 * DAY_MS });
  // Two where a day ended in between.
  const sumOf = (rows: Record<string, number>[], name: string) => rows.reduce((sum, row) => sum + row[name], 0);
  for (const name of ['served', 'shown']) assert.equal(sumOf(daily.rows, name), daily.totals[0][name], name);
  assert.ok(daily.rows.every(({ ts }: { ts: number }) => ts % DAY_MS === 0));
  if (daily.rows.length === 1) assert.deepEqual({ ...daily.rows[0], ts: null }, daily.totals[0]);
  assert.equal(daily.target_event_type, 'buy');
  const past = await report({ from_ts: 1, to_ts: DAY_MS });
  assert.deepEqual([past.rows, past.totals], [[], []]);
  for (const query of [
    { by: 'hour', from_ts: Date.now() - 40 * DAY_MS },
    { from_ts: 5, to_ts: 5 },
    { by: 'week' },
    { from_ts: 'x' },
  ]) {
    const { status, body } = await service.call('GET', '/get-placement-report', { project_id, ...query });
    assert.deepEqual([status, body.code], [400, 'INVALID_REQUEST'], JSON.stringify(query));
  }
  const { status } = await other.call('GET', '/get-placement-report', { project_id });
  assert.equal(status, 404);
});

test('for how long shown items assist events is a setting of the project', async () => {
  const shop = await createShop(service);
  const project = { project_id: shop.project_id };
  const window = async () => (await service.ok('GET', '/get-project', project)).assist_window_hours;
  assert.equal(await window(), 24);
  for (const assist_window_hours of [0, 721, 1.5, '12']) {
    const { status, body } = await service.call('PUT', '/update-project', { ...project, assist_window_hours });
    assert.deepEqual([status, body.code], [400, 'INVALID_REQUEST'], String(assist_window_hours));
  }
  assert.equal((await service.ok('PUT', '/update-project', { ...project, name: 'same' })).assist_window_hours, 24);
  assert.equal(
    (await service.ok('PUT', '/update-project', { ...project, assist_window_hours: 1 })).assist_window_hours,
    1,
  );
  const recommendation_id = await listOf('u1', service, shop.project_id);
  const shownTs = Date.now();
  const impressions = [{ recommendation_id, item_ids: ['i1'], user_id: 'u1', ts: shownTs }];
  await service.ok('POST', '/record-impressions', { impressions });
  const { event_dataset_id } = shop.ids;
  const events = [0.5, 1.5].map((hours) => event(`after ${hours}`, undefined, { ts: shownTs + hours * 3_600_000 }));
  const assisted = async () =>
    (await service.ok('GET', '/get-placement-report', { ...project, placement: 'home' })).totals[0].assisted.clicked;
  await service.ok('POST', '/upsert-dataset-events', { event_dataset_id, events: events.slice(1) });
  assert.equal(await assisted(), 0);
  await service.ok('POST', '/upsert-dataset-events', { event_dataset_id, events });
  assert.equal(await assisted(), 1);
  const made = await service.ok('POST', '/create-project', {
    name: 'long',
    project_type: 'RECOMMEND_ITEMS_TO_USER',
    target_event_type: 'buy',
    ...shop.ids,
    assist_window_hours: 720,
  });
  assert.equal(made.assist_window_hours, 720);
});

test('the status of a project has its data, its newest event and the time of calls', async () => {
  const shop = await createShop(service);
  const status = () => service.ok('GET', '/get-project-status', { project_id: shop.project_id });
  const first = await status();
  assert.deepEqual(first.data, { users: 0, items: 6, events: 0, newest_event_ts: null });
  assert.deepEqual([first.model, first.health, first.failed_job], [null, null, null]);
  const { event_dataset_id } = shop.ids;
  const events = [5, 9, 7].map((ts, n) => ({ ...event(`s${n}`), ts: 1_700_000_000_000 + ts }));
  await service.ok('POST', '/upsert-dataset-events', { event_dataset_id, events });
  await listOf('u1', service, shop.project_id);
  const { data, serving } = await status();
  assert.deepEqual(data, { users: 0, items: 6, events: 3, newest_event_ts: 1_700_000_000_009 });
  assert.equal(serving.calls, first.serving.calls + 1);
  assert.ok(serving.p50_ms > 0 && serving.p99_ms >= serving.p50_ms);
  const theirs = await other.call('GET', '/get-project-status', { project_id: shop.project_id });
  assert.deepEqual([theirs.status, theirs.body.code], [404, 'PROJECT_NOT_FOUND']);
});
