// Credentials: tokens, scopes, both headers, disabled keys, first start and the one-time sign-in.
import assert from 'node:assert/strict';
import { readFile, stat } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { KEY_LIMITS } from '../../src/domain/account.ts';
import { openStore } from '../../src/store/open-store.ts';
import { eventually } from '../support/eventually.ts';
import { ApiCaller, newAccount, startServiceProcess, startTestService, type TestService } from '../support/service.ts';

let service: TestService;
let stranger: ApiCaller;
before(async () => {
  service = await startTestService();
  stranger = new ApiCaller(service.baseUrl, await newAccount(service, 'stranger'));
});
after(() => service.stop());

const askForToken = (fields: Record<string, string>, headers: Record<string, string> = {}) =>
  fetch(`${service.baseUrl}/oauth2/token`, { method: 'POST', headers, body: new URLSearchParams(fields) });

const clientFields = () => ({
  grant_type: 'client_credentials',
  client_id: service.credentials.api_key,
  client_secret: service.credentials.client_secret,
});

test('a token is given for a form, for JSON and for HTTP Basic', async () => {
  const { api_key, client_secret } = service.credentials;
  const basic = `Basic ${Buffer.from(`${api_key}:${client_secret}`).toString('base64')}`;
  const responses = [
    await askForToken({ ...clientFields(), scope: '/get-account' }),
    await askForToken({ grant_type: 'client_credentials', scope: '/get-account' }, { authorization: basic }),
    await fetch(`${service.baseUrl}/oauth2/token`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...clientFields(), scope: '/get-account' }),
    }),
  ];
  for (const result of responses) {
    assert.equal(result.status, 200);
    assert.equal(result.headers.get('cache-control'), 'no-store');
    const { access_token, ...rest } = (await result.json()) as Record<string, unknown>;
    assert.equal(typeof access_token, 'string');
    assert.deepEqual(rest, { token_type: 'Bearer', expires_in: 3600, scope: '/get-account' });
  }
});

test('a token request may have fields that are not known, and known ones must be text', async () => {
  const ask = async (fields: object) => {
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ ...clientFields(), ...fields });
    const result = await fetch(`${service.baseUrl}/oauth2/token`, { method: 'POST', headers, body });
    return { status: result.status, body: (await result.json()) as Record<string, string> };
  };
  assert.equal((await ask({ foo: 1, audience: ['a'] })).status, 200);
  const { status, body } = await ask({ scope: 1 });
  assert.deepEqual([status, body.error_description], [400, 'scope must be a string.']);
});

test('null for the scope means left out', async () => {
  const result = await fetch(`${service.baseUrl}/oauth2/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...clientFields(), scope: null }),
  });
  assert.equal(((await result.json()) as { scope: string }).scope, '*');
});

test('a long scope is read to its end', async () => {
  const long = `/get-account${' '.repeat(9000)}`;
  assert.equal(
    ((await (await askForToken({ ...clientFields(), scope: long })).json()) as { scope: string }).scope,
    '/get-account',
  );
  assert.equal((await askForToken({ ...clientFields(), scope: `${long}/no-such-call` })).status, 400);
});

test('token errors have the shape of RFC 6749', async () => {
  const cases: [Record<string, string>, number, string][] = [
    [{ ...clientFields(), client_secret: 'wrong' }, 401, 'invalid_client'],
    [{ ...clientFields(), client_id: 'nobody' }, 401, 'invalid_client'],
    [{ grant_type: 'client_credentials' }, 401, 'invalid_client'],
    [{ ...clientFields(), grant_type: 'password' }, 400, 'unsupported_grant_type'],
    [{ client_id: 'a', client_secret: 'b' }, 400, 'invalid_request'],
    [{ ...clientFields(), grant_type: '' }, 400, 'invalid_request'],
    [{ ...clientFields(), scope: '/no-such-call' }, 400, 'invalid_scope'],
    [{ ...clientFields(), scope: ' ' }, 400, 'invalid_scope'],
    [{ ...clientFields(), scope: '' }, 400, 'invalid_scope'],
  ];
  for (const [fields, status, error] of cases) {
    const result = await askForToken(fields);
    assert.equal(result.status, status, error);
    const body = (await result.json()) as Record<string, string>;
    assert.equal(body.error, error);
    assert.equal(typeof body.error_description, 'string');
    if (status === 401) assert.match(result.headers.get('www-authenticate') ?? '', /^Basic/);
  }
  const broken = await fetch(`${service.baseUrl}/oauth2/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"grant_type":',
  });
  assert.equal(broken.status, 400);
  assert.equal(((await broken.json()) as { error: string }).error, 'invalid_request');
  for (const type of ['text/plain', 'text/xml']) {
    const headers = { 'content-type': type };
    const result = await fetch(`${service.baseUrl}/oauth2/token`, { method: 'POST', headers, body: 'token, please' });
    assert.equal(result.status, 415);
    const { error, error_description } = (await result.json()) as Record<string, string>;
    assert.equal(error, 'invalid_request');
    assert.match(error_description, /application\/x-www-form-urlencoded/);
  }
});

test('who has no token yet cannot send large bodies', async () => {
  assert.equal((await askForToken({ ...clientFields(), scope: 'x'.repeat(60_000) })).status, 400);
  const result = await askForToken({ ...clientFields(), scope: 'x'.repeat(70_000) });
  assert.equal(result.status, 413);
  assert.equal(((await result.json()) as { error: string }).error, 'invalid_request');
});

test('both headers are needed', async () => {
  const authorization = `Bearer ${await service.token()}`;
  const apikey = service.credentials.api_key;
  for (const headers of [
    {},
    { authorization },
    { apikey },
    { authorization: 'Bearer x.y.z', apikey },
    { authorization, apikey: 'kk_no' },
  ]) {
    const result = await service.call('GET', '/get-account', undefined, { anonymous: true, headers: headers as never });
    assert.equal(result.status, 401, JSON.stringify(Object.keys(headers)));
    assert.equal(result.body.code, 'UNAUTHENTICATED');
    assert.match(result.headers.get('www-authenticate') ?? '', /^Bearer/);
    assert.match(result.headers.get('content-type') ?? '', /^application\/problem\+json/);
  }
});

test('the path of a call below a project is a scope too', async () => {
  const below = '/projects/{project_id}/placements/{name} /projects/{project_id}/page';
  const result = await askForToken({ ...clientFields(), scope: `${below} /compose-page` });
  assert.equal(((await result.json()) as { scope: string }).scope, '/call-placement /compose-page');
  const made = await service.ok('POST', '/create-api-key', { name: 'below', scopes: below.split(' ') });
  assert.deepEqual(made.scopes, ['/call-placement', '/compose-page']);
});

test('a token opens only the operations of its scope', async () => {
  const authorization = `Bearer ${await service.token('/get-account /list-projects')}`;
  const call = (path: string) => service.call('GET', path, undefined, { headers: { authorization } });
  assert.equal((await call('/get-account')).status, 200);
  assert.equal((await call('/list-projects')).status, 200);
  const refused = await call('/list-user-datasets');
  assert.equal(refused.status, 403);
  assert.equal(refused.body.code, 'INSUFFICIENT_SCOPE');
});

test("another account's key next to the token is refused, and its objects do not exist", async () => {
  const mixed = await service.call('GET', '/get-account', undefined, {
    headers: { apikey: stranger.credentials.api_key },
  });
  assert.equal(mixed.status, 403);
  assert.equal(mixed.body.code, 'API_KEY_MISMATCH');

  const { user_dataset_id } = await service.ok('POST', '/create-user-dataset', { name: 'mine' });
  const foreign = await stranger.call('GET', '/get-user-dataset', { user_dataset_id });
  const missing = await stranger.call('GET', '/get-user-dataset', { user_dataset_id: 'uds_none' });
  assert.equal(foreign.status, 404);
  assert.equal(foreign.body.code, missing.body.code);
  assert.deepEqual((await stranger.ok('GET', '/list-user-datasets')).user_datasets, []);
});

test('a second key works, and disabling it ends its tokens', async () => {
  const made = await service.ok('POST', '/create-api-key', { name: 'second' });
  const second = new ApiCaller(service.baseUrl, made);
  assert.equal((await second.call('GET', '/get-account')).status, 200);
  const other = await service.call('GET', '/get-account', undefined, { headers: { apikey: made.api_key } });
  assert.equal(other.status, 200);
  await service.ok('POST', '/disable-api-key', { key_id: made.key_id });
  assert.equal((await second.call('GET', '/get-account')).status, 401);
  assert.equal(
    (await service.call('GET', '/get-account', undefined, { headers: { apikey: made.api_key } })).status,
    401,
  );
  await assert.rejects(new ApiCaller(service.baseUrl, made).token(), /invalid_client/);

  const { api_keys } = await service.ok('GET', '/list-api-keys');
  const current = api_keys.find((key: { current: boolean }) => key.current);
  assert.equal((await service.call('POST', '/disable-api-key', { key_id: current.key_id })).body.code, 'LAST_KEY');
  assert.doesNotMatch(JSON.stringify(api_keys), /client_secret|ks_|hash/);
});

test('a key never grants more than its maker had', async () => {
  const headers = { authorization: `Bearer ${await service.token('/create-api-key /get-account')}` };
  const narrow = (body: object) => service.call('POST', '/create-api-key', body, { headers });

  const { body: made } = await narrow({ name: 'as its maker' });
  assert.deepEqual(made.scopes, ['/create-api-key', '/get-account']);
  const caller = new ApiCaller(service.baseUrl, made);
  assert.equal((await caller.call('GET', '/get-account')).status, 200, '"*" is cut to what the key covers');
  assert.equal((await caller.call('GET', '/list-projects')).body.code, 'INSUFFICIENT_SCOPE');
  await assert.rejects(caller.token('/list-projects'), /invalid_scope/);
  await assert.rejects(caller.token('/get-account /list-projects'), /invalid_scope/);
  assert.equal(typeof (await caller.token('/get-account')), 'string');
  const token = await fetch(`${service.baseUrl}/oauth2/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: made.api_key,
      client_secret: made.client_secret,
    }),
  });
  assert.equal(((await token.json()) as { scope: string }).scope, '/create-api-key /get-account');

  const { body: smaller } = await narrow({ name: 'smaller', scopes: ['/get-account'] });
  assert.deepEqual(smaller.scopes, ['/get-account']);
  for (const scopes of [['/list-projects'], ['/get-account', '*']]) {
    const refused = await narrow({ name: 'larger', scopes });
    assert.equal(refused.status, 403);
    assert.equal(refused.body.code, 'INSUFFICIENT_SCOPE');
  }
  const grandchild = await caller.call('POST', '/create-api-key', { name: 'grandchild', scopes: ['*'] });
  assert.equal(grandchild.body.code, 'INSUFFICIENT_SCOPE');
  const unknown = await service.call('POST', '/create-api-key', {
    name: 'unknown',
    scopes: ['/get-account', '/no-such'],
  });
  assert.equal(unknown.status, 400);
  assert.equal(unknown.body.errors[0].pointer, '/scopes/1');

  const { api_keys } = await service.ok('GET', '/list-api-keys');
  const scopesOf = (name: string) => api_keys.find((key: { name: string }) => key.name === name).scopes;
  assert.deepEqual(scopesOf('smaller'), ['/get-account']);
  assert.deepEqual(scopesOf('first key'), ['*']);
});

test('a key never disables one that covers more or lasts longer', async () => {
  const owner = new ApiCaller(service.baseUrl, await newAccount(service, 'owner'));
  const scopes = ['/disable-api-key', '/get-account'];
  const limited = await owner.ok('POST', '/create-api-key', { name: 'limited', scopes });
  const small = await owner.ok('POST', '/create-api-key', { name: 'small', scopes: ['/get-account'] });
  const ending = await owner.ok('POST', '/create-api-key', { name: 'ending', expires_ts: Date.now() + 3_600_000 });
  const whole = await owner.ok('POST', '/create-api-key', { name: 'whole' });
  for (const key of [limited, ending]) {
    const refused = await new ApiCaller(service.baseUrl, key).call('POST', '/disable-api-key', {
      key_id: whole.key_id,
    });
    assert.deepEqual([refused.status, refused.body.code], [403, 'INSUFFICIENT_SCOPE'], key.name);
  }
  const { disabled } = await new ApiCaller(service.baseUrl, limited).ok('POST', '/disable-api-key', {
    key_id: small.key_id,
  });
  assert.equal(disabled, true);
});

test('a key can be replaced any number of times: disabled ones leave room for others', async () => {
  const rotating = new ApiCaller(service.baseUrl, await newAccount(service, 'rotating'));
  for (let made = 1; made < KEY_LIMITS.usable; made++)
    await rotating.ok('POST', '/create-api-key', { name: `${made}` });
  const refused = await rotating.call('POST', '/create-api-key', { name: 'one too many' });
  assert.equal(refused.body.code, 'PLAN_LIMIT_EXCEEDED');
  assert.match(refused.body.detail, /disable-api-key/);
  const { api_keys } = await rotating.ok('GET', '/list-api-keys');
  await rotating.ok('POST', '/disable-api-key', { key_id: api_keys[0].key_id });
  await rotating.ok('POST', '/create-api-key', { name: 'instead' });
});

test('an account disabled elsewhere is locked out', async () => {
  const doomed = new ApiCaller(service.baseUrl, await newAccount(service, 'doomed'));
  assert.equal((await doomed.call('GET', '/get-account')).status, 200);
  const store = await openStore({ dataDir: service.dataDir });
  const account = await store.accounts.findByName('doomed');
  await store.accounts.update(account!.account_id, { disabled: true });
  await store.close();
  await eventually(async () => (await doomed.call('GET', '/get-account')).status === 401);
});

test('the database holds no key, secret or token in the clear', async () => {
  const { api_key, client_secret } = service.credentials;
  for (const file of ['kindred.sqlite', 'kindred.sqlite-wal']) {
    const bytes = await readFile(join(service.dataDir, file)).catch(() => Buffer.alloc(0));
    assert.ok(!bytes.includes(api_key) && !bytes.includes(client_secret), file);
  }
});

test('the first start leaves private credentials, a link that signs in once, and no secret in the log', async () => {
  const fresh = await startServiceProcess({ KINDRED_LOG_LEVEL: 'trace' });
  try {
    const mode = (await stat(join(fresh.dataDir, 'credentials.json'))).mode & 0o777;
    assert.equal(mode, 0o600);
    const code = /#signin=([\w-]+)/.exec(fresh.greeting())?.[1];
    assert.ok(code);
    const redeem = (body: object) => fresh.call('POST', '/console/session', body, { anonymous: true });
    assert.equal((await redeem({ code: 'wrong' })).status, 401);
    assert.equal(await statusFromForeignName(fresh.baseUrl, code), 401);
    const { api_key, client_secret } = fresh.credentials;
    assert.deepEqual((await redeem({ code })).body, { api_key, client_secret });
    assert.equal((await redeem({ code })).status, 401);
    await fresh.ok('GET', '/get-account');
    await fresh.terminate();
    assert.ok(!fresh.output().includes(client_secret) && !fresh.output().includes(api_key));
    assert.ok(!fresh.output().includes(await fresh.token()));
  } finally {
    await fresh.stop();
  }
});

/** The code would be right, but the page that asks carries another site's name. */
async function statusFromForeignName(baseUrl: string, code: string): Promise<number> {
  const body = JSON.stringify({ code });
  return new Promise((resolve, reject) => {
    const call = request(
      `${baseUrl}/console/session`,
      { method: 'POST', headers: { host: 'evil.example', 'content-type': 'application/json' } },
      (response) => {
        response.resume();
        resolve(response.statusCode!);
      },
    );
    call.on('error', reject).end(body);
  });
}
