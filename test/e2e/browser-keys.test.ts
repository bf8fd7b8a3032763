// What a web page may do with a browser key, and that it may do nothing else: over every operation of the API description.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { BROWSER_RATES } from '../../src/http/auth/browser-pace.ts';
import { createEmptyProject, type EmptyProject } from '../support/empty-project.ts';
import { movableClock } from '../support/movable-clock.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { DIALECTS_OF_LONG_SUITES, newTestPlace, type TestPlace } from '../support/test-database.ts';

const ORIGIN = 'https://shop.example';
const VIEW = { item_id: 'i1', event_type: 'view' };
/** Of the API description; a path that is not there yet is allowed once it is. */
const FOR_BROWSERS = [
  '/track',
  '/record-impressions',
  '/ingest/segment',
  '/projects/{project_id}/placements/{name}',
  '/projects/{project_id}/page',
];

for (const dialect of DIALECTS_OF_LONG_SUITES) {
  describe(`browser keys on ${dialect}`, () => {
    let place: TestPlace;
    const clock = movableClock();
    let service: TestService;
    let project: EmptyProject;
    let key: string;

    before(async () => {
      place = await newTestPlace(dialect);
      const env = {
        KINDRED_DATA_DIR: place.dataDir,
        KINDRED_DATABASE_URL: place.databaseUrl ?? '',
        KINDRED_TRUSTED_PROXIES: '127.0.0.1',
      };
      service = await startTestService(env, clock.runtime);
      project = await createEmptyProject(service);
      key = (await newKey()).api_key;
    });
    after(async () => {
      await service.stop();
      await place.remove();
    });

    const newKey = (change: object = {}) =>
      service.ok('POST', '/create-api-key', {
        name: 'pages',
        kind: 'browser',
        origins: [ORIGIN, 'http://localhost:3000'],
        project_id: project.project_id,
        ...change,
      });

    let visitors = 0;
    /** As a page's simple request; every call from another visitor's address, unless said otherwise. */
    const send = (body: object, options: { headers?: Record<string, string>; key?: string; path?: string } = {}) =>
      service.call('POST', `${options.path ?? '/track'}?key=${options.key ?? key}`, undefined, {
        anonymous: true,
        raw: JSON.stringify(body),
        headers: {
          origin: ORIGIN,
          'content-type': 'text/plain;charset=UTF-8',
          'x-forwarded-for': `10.0.${++visitors >> 8}.${visitors & 255}`,
          ...options.headers,
        },
      });
    const stored = async (event_id: string) =>
      (await service.call('GET', '/get-dataset-record', { event_dataset_id: project.event_dataset_id, event_id })).body;
    const countEvents = async (): Promise<number> =>
      (await service.ok('GET', '/get-event-dataset', { event_dataset_id: project.event_dataset_id })).num_records;

    test('a beacon of text stores events, and a page of the origin may read the response', async () => {
      const event = { ...VIEW, ts: Date.now() - 1000, attributes: { device: 'phone' }, event_value: 2 };
      const response = await send({ visitor_id: 'v1', events: [event, VIEW] });
      assert.equal(response.status, 200, JSON.stringify(response.body));
      assert.equal(response.headers.get('access-control-allow-origin'), ORIGIN);
      assert.equal(response.headers.get('access-control-allow-credentials'), null);
      assert.match(response.headers.get('vary') ?? '', /origin/i);
      assert.equal(response.headers.get('set-cookie'), null);
      assert.equal(response.body.stored, 2);
      const record = await stored(response.body.event_ids[0]);
      assert.deepEqual([record.user_id, record.ts, record.event_value], ['v1', event.ts, 2]);
    });

    test('a beacon that is sent again stores its events once', async () => {
      const before = await countEvents();
      const body = {
        visitor_id: 'v2',
        events: [
          { ...VIEW, ts: Date.now() },
          { ...VIEW, event_id: 'e1' },
        ],
      };
      for (let times = 0; times < 3; times++) assert.equal((await send(body)).body.stored, 2);
      assert.equal(await countEvents(), before + 2);
    });

    test("no page replaces another visitor's event, nor one of the server", async () => {
      const { event_dataset_id } = project;
      const bought = { ...VIEW, event_id: 'order-1', user_id: 'u1', ts: 1_700_000_000_000, event_type: 'purchase' };
      await service.ok('POST', '/upsert-dataset-events', { event_dataset_id, events: [bought] });
      const own = (await send({ user_id: 'u1', events: [{ ...VIEW, event_id: 'x' }] })).body.event_ids[0];
      for (const event_id of ['order-1', 'x', own]) {
        assert.equal((await send({ user_id: 'u2', events: [{ ...VIEW, event_id }] })).body.stored, 1);
      }
      assert.equal((await stored('order-1')).user_id, 'u1');
      assert.equal((await stored(own)).user_id, 'u1');
      const other = await send({ user_id: 'u2', events: [{ ...VIEW, user_id: 'u1' }] });
      assert.deepEqual([other.body.stored, other.body.failures[0].code], [0, 'INVALID_RECORD']);
    });

    test('one visitor a request, a few events, few bytes, JSON', async () => {
      const wrong: [object, number][] = [
        [{ events: [VIEW] }, 400],
        [{ user_id: 'a', visitor_id: 'b', events: [VIEW] }, 400],
        [{ user_id: 'a', events: [] }, 400],
        [{ user_id: 'a', events: Array(21).fill(VIEW) }, 400],
        [{ user_id: 'a', events: [VIEW], dataset: 'x' }, 400],
        [{ user_id: 'a', events: Array(20).fill({ ...VIEW, attributes: { text: 'x'.repeat(4000) } }) }, 413],
      ];
      for (const [body, status] of wrong) assert.equal((await send(body)).status, status, JSON.stringify(body));
      const large = await send({ user_id: 'a', events: [VIEW, { ...VIEW, attributes: { text: 'x'.repeat(5000) } }] });
      assert.deepEqual([large.body.stored, large.body.failures[0].index], [1, 1]);
      const form = await send({ user_id: 'a' }, { headers: { 'content-type': 'application/x-www-form-urlencoded' } });
      assert.equal(form.status, 415);
    });

    test('text is JSON for the calls of browsers alone', async () => {
      const response = await service.call(
        'POST',
        '/create-user-dataset',
        { name: 'x' },
        { headers: { 'content-type': 'text/plain' } },
      );
      assert.equal(response.status, 415);
    });

    test('every other operation refuses a browser key, whatever way it is sent', async () => {
      const { body: description } = await service.call('GET', '/openapi.json', undefined, { anonymous: true });
      const basic = `Basic ${Buffer.from(`${key}:`).toString('base64')}`;
      const ways: { query: string; headers: Record<string, string> }[] = [
        { query: `?key=${key}`, headers: {} },
        { query: '', headers: { apikey: key } },
        { query: `?key=${key}`, headers: { apikey: key, authorization: `Bearer ${key}` } },
        { query: `?key=${key}`, headers: { apikey: key, authorization: basic } },
        { query: `?key=${key}`, headers: { authorization: `Bearer ${await service.token()}` } },
      ];
      const open: string[] = [];
      let tried = 0;
      // biome-ignore lint/suspicious/noExplicitAny: a JSON document looked into freely.
      for (const [path, methods] of Object.entries<Record<string, any>>(description.paths)) {
        for (const [method, operation] of Object.entries(methods)) {
          if (!operation.security.some((way: object) => 'token' in way)) continue;
          const isForBrowsers = method === 'post' && FOR_BROWSERS.includes(path);
          assert.equal(
            operation.security.some((way: object) => 'browser' in way),
            isForBrowsers,
            path,
          );
          const url = path.replaceAll(/\{(\w+)\}/g, (_, name) => (name === 'project_id' ? project.project_id : 'home'));
          const body = operation.requestBody?.content['application/json'].example;
          for (const { query, headers } of ways) {
            const response = await service.call(method.toUpperCase(), url + query, undefined, {
              anonymous: true,
              ...(body !== undefined && { raw: JSON.stringify(body) }),
              headers: { origin: ORIGIN, ...headers },
            });
            const isWriteKey = path === '/ingest/segment' && headers.authorization === basic;
            const isOwnWay = isWriteKey || (query !== '' && headers.authorization === undefined);
            if (isForBrowsers && isOwnWay) {
              assert.notEqual(response.status, 401, path);
              open.push(path);
              continue;
            }
            tried += 1;
            assert.equal(response.status, 401, `${method} ${path} ${JSON.stringify(Object.keys(headers))}`);
            assert.equal(response.headers.get('access-control-allow-origin'), null, path);
            if (headers.authorization === undefined) assert.match(response.body.detail, /\?key=/, path);
          }
          const preflight = await service.call('OPTIONS', `${url}?key=${key}`, undefined, {
            anonymous: true,
            headers: { origin: ORIGIN, 'access-control-request-method': method.toUpperCase() },
          });
          assert.equal(preflight.status < 300, isForBrowsers, `preflight of ${path}`);
        }
      }
      assert.ok(tried > 200, `${tried} calls`);
      assert.ok(open.includes('/track'));
    });

    test('pages of other origins, and calls without one, are refused and may not read why', async () => {
      const body = { visitor_id: 'v3', events: [VIEW] };
      for (const origin of [
        'https://evil.example',
        'http://shop.example',
        `${ORIGIN}:8443`,
        `${ORIGIN}.evil.example`,
        'null',
        '',
      ]) {
        const response = await send(body, { headers: { origin } });
        assert.equal(response.status, 403, origin);
        assert.equal(response.body.code, 'ORIGIN_NOT_ALLOWED');
        assert.equal(response.headers.get('access-control-allow-origin'), null);
      }
      const alone = await service.call('POST', `/track?key=${key}`, body, { anonymous: true });
      assert.deepEqual([alone.status, alone.body.code], [403, 'ORIGIN_NOT_ALLOWED']);
      assert.match(alone.body.detail, /the call has no origin/);
      const preflight = (origin: string, query = `?key=${key}`) =>
        service.call('OPTIONS', `/track${query}`, undefined, { anonymous: true, headers: { origin } });
      const allowed = await preflight(ORIGIN);
      assert.equal(allowed.status, 204);
      assert.deepEqual(
        ['origin', 'methods', 'headers', 'credentials'].map((name) =>
          allowed.headers.get(`access-control-allow-${name}`),
        ),
        [ORIGIN, 'POST', 'content-type', null],
      );
      for (const refused of [
        await preflight('https://evil.example'),
        await preflight(ORIGIN, ''),
        await preflight(ORIGIN, '?key=x'),
      ]) {
        assert.ok(refused.status >= 400);
        assert.equal(refused.headers.get('access-control-allow-origin'), null);
      }
    });

    test('the key is for its project alone', async () => {
      const other = await createEmptyProject(service, 'other');
      const response = await send({ project_id: other.project_id, visitor_id: 'v4', events: [VIEW] });
      assert.equal(response.body.code, 'PROJECT_NOT_FOUND');
      assert.equal((await send({ project_id: project.project_id, visitor_id: 'v4', events: [VIEW] })).status, 200);
    });

    test('a disabled and an expired key stop at once, and unknown ones never worked', async () => {
      const body = { visitor_id: 'v5', events: [VIEW] };
      const disabled = await newKey();
      assert.equal((await send(body, { key: disabled.api_key })).status, 200);
      await service.ok('POST', '/disable-api-key', { key_id: disabled.key_id });
      const expires_ts = clock.runtime.nowMs() + 600_000;
      const expiring = await newKey({ expires_ts });
      assert.equal((await send(body, { key: expiring.api_key })).status, 200);
      clock.moveAhead(600_000);
      const { api_keys } = await service.ok('GET', '/list-api-keys');
      const secretKey = api_keys.find((listed: { kind: string }) => listed.kind === 'secret').key_id;
      for (const refused of [
        disabled.api_key,
        expiring.api_key,
        secretKey,
        'key_none',
        service.credentials.api_key,
        '',
      ]) {
        assert.equal((await send(body, { key: refused })).status, 401, refused);
      }
    });

    test('an address that calls too often waits, and others do not', async () => {
      const body = { visitor_id: 'v6', events: [{ ...VIEW, event_id: 'e' }] };
      // Refused for its body, which costs nothing: also a slow machine gets through more of them than an address may send.
      const flood = () => send({}, { headers: { 'x-forwarded-for': '203.0.113.7' } });
      const responses = await Promise.all(Array.from({ length: BROWSER_RATES.perAddress * 10 }, flood));
      const refused = responses.filter(({ status }) => status === 429);
      assert.ok(refused.length > 0, 'some of the flood waits');
      assert.ok(Number(refused[0].headers.get('retry-after')) >= 1);
      assert.equal(refused[0].headers.get('access-control-allow-origin'), ORIGIN);
      assert.equal((await send(body)).status, 200);
    });

    test('keys that nobody has are not looked up faster than an address may call', async () => {
      const guess = (_: unknown, n: number) => {
        const key = `key_${String(n).padStart(26, '0')}`;
        return send({}, { key, headers: { 'x-forwarded-for': '203.0.113.8' } });
      };
      const responses = await Promise.all(Array.from({ length: BROWSER_RATES.perAddress * 10 }, guess));
      const statuses = new Set(responses.map(({ status }) => status));
      assert.deepEqual(statuses, new Set([401, 429]));
    });

    test('a server tracks with its own credentials into the project it names', async () => {
      const { project_id } = project;
      const response = await service.ok('POST', '/track', { project_id, user_id: 'u9', events: [VIEW] });
      assert.equal(response.stored, 1);
    });
  });
}
