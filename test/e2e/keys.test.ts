// API keys beyond a key and its secret: expiry, rotation without a gap, keys for browsers.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createEmptyProject } from '../support/empty-project.ts';
import { movableClock } from '../support/movable-clock.ts';
import { ApiCaller, startTestService, type TestService } from '../support/service.ts';

const clock = movableClock();
let service: TestService;
let project_id: string;
before(async () => {
  service = await startTestService({}, clock.runtime);
  ({ project_id } = await createEmptyProject(service));
});
after(() => service.stop());

const tokenStatus = async (client_id: string, client_secret: string): Promise<number> => {
  const body = new URLSearchParams({ grant_type: 'client_credentials', client_id, client_secret });
  return (await fetch(`${service.baseUrl}/oauth2/token`, { method: 'POST', body })).status;
};

/** Less than a token lives. */
const SHORT_MS = 600_000;

test('an expired key is refused everywhere: for new tokens, tokens it made, and next to another token', async () => {
  const expires_ts = clock.runtime.nowMs() + SHORT_MS;
  const made = await service.ok('POST', '/create-api-key', { name: 'short', expires_ts });
  assert.equal(made.expires_ts, expires_ts);
  const short = new ApiCaller(service.baseUrl, made);
  const beside = () => service.call('GET', '/get-account', undefined, { headers: { apikey: made.api_key } });
  assert.equal((await short.call('GET', '/get-account')).status, 200);
  assert.equal((await beside()).status, 200);
  clock.moveAhead(SHORT_MS);
  assert.equal((await short.call('GET', '/get-account')).status, 401);
  assert.equal((await beside()).status, 401);
  assert.equal(await tokenStatus(made.api_key, made.client_secret), 401);
});

test('a token of a key that expires says so: it ends with its key', async () => {
  const made = await service.ok('POST', '/create-api-key', {
    name: 'minutes',
    expires_ts: clock.runtime.nowMs() + 120_000,
  });
  const { api_key: client_id, client_secret } = made;
  const response = await fetch(`${service.baseUrl}/oauth2/token`, {
    method: 'POST',
    body: new URLSearchParams({ grant_type: 'client_credentials', client_id, client_secret }),
  });
  const { expires_in } = (await response.json()) as { expires_in: number };
  assert.ok(expires_in > 60 && expires_in <= 120, String(expires_in));
});

test('a key made by one that expires lasts no longer, and cannot rotate one that does', async () => {
  const expires_ts = clock.runtime.nowMs() + 120_000;
  const maker = new ApiCaller(
    service.baseUrl,
    await service.ok('POST', '/create-api-key', { name: 'maker', expires_ts }),
  );
  assert.equal((await maker.ok('POST', '/create-api-key', { name: 'child' })).expires_ts, expires_ts);
  const longer = await maker.call('POST', '/create-api-key', { name: 'longer', expires_ts: expires_ts + 1 });
  assert.equal(longer.body.errors[0].pointer, '/expires_ts');
  const past = await service.call('POST', '/create-api-key', { name: 'past', expires_ts: clock.runtime.nowMs() - 1 });
  assert.equal(past.body.errors[0].pointer, '/expires_ts');
  const { key_id } = await service.ok('POST', '/create-api-key', { name: 'lasting' });
  assert.equal((await maker.call('POST', '/rotate-api-key', { key_id })).body.code, 'INSUFFICIENT_SCOPE');
});

test('rotation has no gap: both secrets work in the grace time, and only the new one after it', async () => {
  const made = await service.ok('POST', '/create-api-key', { name: 'rotating' });
  const before = new ApiCaller(service.baseUrl, made);
  assert.equal((await before.call('GET', '/get-account')).status, 200);
  const rotated = await service.ok('POST', '/rotate-api-key', {
    key_id: made.key_id,
    grace_hours: SHORT_MS / 3_600_000,
  });
  assert.notEqual(rotated.client_secret, made.client_secret);
  assert.ok(rotated.previous_secret_until_ts > clock.runtime.nowMs());
  const renewed = new ApiCaller(service.baseUrl, { ...made, client_secret: rotated.client_secret });
  assert.equal(await tokenStatus(made.api_key, made.client_secret), 200);
  assert.equal((await renewed.call('GET', '/get-account')).status, 200);
  assert.equal((await before.call('GET', '/get-account')).status, 200, 'a token of the old secret');
  clock.moveAhead(SHORT_MS);
  assert.equal((await before.call('GET', '/get-account')).status, 401);
  assert.equal(await tokenStatus(made.api_key, made.client_secret), 401);
  assert.equal((await renewed.call('GET', '/get-account')).status, 200);
  assert.equal(await tokenStatus(made.api_key, rotated.client_secret), 200);
  const { api_keys } = await service.ok('GET', '/list-api-keys');
  const listed = api_keys.find((key: { key_id: string }) => key.key_id === made.key_id);
  assert.deepEqual([listed.rotated_ts > 0, listed.previous_secret_until_ts], [true, null]);
});

test('keys, webhooks and sessions are listed in pages, newest first', async () => {
  for (const name of ['one', 'two']) await service.ok('POST', '/create-api-key', { name });
  const url = 'https://hooks.example.com/';
  for (const event of ['job.failed', 'model.trained']) {
    await service.ok('POST', '/create-webhook', { url, events: [event] });
  }
  for (const [path, field, fewest] of [
    ['/list-api-keys', 'api_keys', 3],
    ['/list-webhooks', 'webhooks', 2],
    ['/list-console-sessions', 'sessions', 0],
  ] as const) {
    const whole = await service.ok('GET', path);
    assert.ok(whole[field].length >= fewest && whole.next_page_token === null, path);
    const times = whole[field].map(({ created_ts }: { created_ts: number }) => created_ts);
    assert.deepEqual(
      times,
      times.toSorted((a: number, b: number) => b - a),
    );
    const paged: object[] = [];
    const pageFrom = (place: object) => service.ok('GET', path, { page_size: 1, ...place });
    let page = await pageFrom({});
    while (page.next_page_token !== null) {
      paged.push(...page[field]);
      page = await pageFrom({ page_token: page.next_page_token });
    }
    paged.push(...page[field]);
    assert.deepEqual(paged, whole[field], path);
    assert.equal((await service.call('GET', path, { page_token: 'x' })).body.code, 'INVALID_PAGE_TOKEN');
  }
});

test('without a grace time the old secret and its tokens end at once', async () => {
  const made = await service.ok('POST', '/create-api-key', { name: 'leaked' });
  const thief = new ApiCaller(service.baseUrl, made);
  assert.equal((await thief.call('GET', '/get-account')).status, 200);
  await service.ok('POST', '/rotate-api-key', { key_id: made.key_id, grace_hours: 0 });
  assert.equal((await thief.call('GET', '/get-account')).status, 401);
  assert.equal(await tokenStatus(made.api_key, made.client_secret), 401);
  assert.equal((await service.call('POST', '/rotate-api-key', { key_id: 'key_none' })).body.code, 'KEY_NOT_FOUND');
  for (const grace_hours of [-1, 169]) {
    const refused = await service.call('POST', '/rotate-api-key', { key_id: made.key_id, grace_hours });
    assert.equal(refused.status, 400);
  }
});

test('rotating a key gives no more than the token of the call covers', async () => {
  const headers = { authorization: `Bearer ${await service.token('/rotate-api-key')}` };
  const { key_id } = await service.ok('POST', '/create-api-key', { name: 'powerful' });
  const refused = await service.call('POST', '/rotate-api-key', { key_id }, { headers });
  assert.equal(refused.body.code, 'INSUFFICIENT_SCOPE');
});

test('a browser key names its origins and project, has no secret and gets no token', async () => {
  const origins = ['https://shop.example', 'http://localhost:3000'];
  const made = await service.ok('POST', '/create-api-key', { name: 'pages', kind: 'browser', origins, project_id });
  assert.deepEqual([made.kind, made.origins, made.project_id], ['browser', origins, project_id]);
  assert.equal(made.client_secret, undefined);
  assert.equal(made.api_key, made.key_id);
  for (const secret of ['', made.api_key]) assert.equal(await tokenStatus(made.api_key, secret), 401);
  const beside = await service.call('GET', '/get-account', undefined, { headers: { apikey: made.api_key } });
  assert.equal(beside.status, 401, 'nor does it work next to the token of another key');
  const rotated = await service.call('POST', '/rotate-api-key', { key_id: made.key_id });
  assert.equal(rotated.body.errors[0].pointer, '/key_id');
});

test('a browser key is refused unless its origins are exact and its project is there', async () => {
  const create = (change: object) =>
    service.call('POST', '/create-api-key', {
      name: 'pages',
      kind: 'browser',
      origins: ['https://shop.example'],
      project_id,
      ...change,
    });
  const wrong = [
    'shop.example',
    'https://shop.example/',
    'https://shop.example/path',
    '*',
    'null',
    'ftp://shop.example',
  ];
  for (const origin of [...wrong, 'https://SHOP.example', 'https://*.example', 'https://shop.example:443']) {
    const { status, body } = await create({ origins: ['https://shop.example', origin] });
    assert.equal(status, 400, origin);
    assert.equal(body.errors[0].pointer, '/origins/1', origin);
  }
  assert.equal((await create({ origins: undefined })).body.errors[0].pointer, '/origins');
  assert.equal((await create({ project_id: undefined })).body.errors[0].pointer, '/project_id');
  assert.equal((await create({ project_id: 'prj_none' })).body.code, 'PROJECT_NOT_FOUND');
  assert.equal((await create({ scopes: ['/list-projects'] })).body.errors[0].pointer, '/scopes/0');
  assert.equal((await create({ kind: 'secret' })).body.errors[0].pointer, '/origins');
});
