// Every call with every kind of bad input: each gets the contract's error, none a 5xx, and nothing is stored.
// The calls and their fields are read from the service's own description, so a new call is walked too.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { openAccount } from '../../src/accounts.ts';
import { openStore } from '../../src/store/open-store.ts';
import { assertProblem } from '../support/assert-problem.ts';
import { ApiCaller, type CallResponse, startTestService, type TestService } from '../support/service.ts';
import { type Operation, readOperations, wrongValues } from '../support/wrong-values.ts';

let service: TestService;
let stranger: ApiCaller;
let operations: Operation[];
/** Real ids of the caller, and the stranger's for the same fields. */
let own: Record<string, string>;
let foreign: Record<string, string>;

before(async () => {
  service = await startTestService({ KINDRED_ROLES: 'api' });
  const store = await openStore({ dataDir: service.dataDir });
  const opened = await openAccount(store.accounts, 'stranger');
  await store.close();
  stranger = new ApiCaller(service.baseUrl, opened!.credentials);
  own = await furnish(service);
  foreign = await furnish(stranger);
  operations = readOperations((await service.call('GET', '/openapi.json')).body, own);
});
after(() => service.stop());

async function furnish({ ok }: ApiCaller): Promise<Record<string, string>> {
  const ids: Record<string, string> = {};
  for (const kind of ['user', 'item', 'event']) {
    const field = `${kind}_dataset_id`;
    ids[field] = (await ok('POST', `/create-${kind}-dataset`, { name: kind }))[field];
  }
  const project = { name: 'p', project_type: 'RECOMMEND_ITEMS_TO_USER', target_event_type: 'view' };
  const { project_id } = await ok('POST', '/create-project', { ...project, ...ids });
  const algorithm = { project_id, name: 'a', algorithm_type: 'G1' };
  const { algorithm_id } = await ok('POST', '/create-algorithm', algorithm);
  const { key_id } = await ok('POST', '/create-api-key', { name: 'k' });
  return { ...ids, project_id, algorithm_id, key_id };
}

/** Messages of other services have fields of theirs: see segment.test.ts. */
const withBody = () => operations.filter(({ method, path }) => method !== 'GET' && !path.startsWith('/ingest/'));
const withQuery = () => operations.filter(({ method }) => method === 'GET');
const label = ({ method, path }: Operation, what: string) => `${method} ${path} with ${what}`;

const REFUSALS = [
  'INVALID_REQUEST',
  'UNKNOWN_FIELD',
  'INVALID_ALGORITHM_PARAMETER',
  'INVALID_FILTER',
  'BATCH_TOO_LARGE',
  'INVALID_PAGE_TOKEN',
];

const KIB_64 = 64 * 1024;

/** Calls whose records fail one by one. */
const failsOneByOne = (path: string): boolean => path === '/track' || isBatch(path);
/** Calls that a browser key may make. */
const isForPages = (path: string): boolean =>
  /^\/(track|record-impressions|projects\/[^/]+\/(placements\/.+|page))$/.test(path);
const isBatch = (path: string): boolean => /^\/(upsert|patch)-/.test(path);

/** The largest body of each call, as the contract says. */
function limitOf({ path }: Operation): number {
  if (isBatch(path)) return 1024 * KIB_64;
  return /^\/(projects\/|recommend-|rank-|list-top-items$|call-placement$|compose-page$|preview-placement$|record-impressions$|delete-dataset-(users|items|events)$)/.test(
    path,
  )
    ? 8 * KIB_64
    : KIB_64;
}

/** Of the calls whose bodies take long to make, one. */
function onePerLimit(): Operation[] {
  const large = withBody().find((operation) => limitOf(operation) > 8 * KIB_64)!;
  return withBody().filter((operation) => operation === large || limitOf(operation) <= 8 * KIB_64);
}

const refused = (response: CallResponse, what: string) =>
  assertProblem(response, { status: 400, codes: REFUSALS }, what);

describe('bodies', () => {
  test('each required field is missed when it is not there', async () => {
    for (const operation of withBody()) {
      for (const field of operation.required) {
        const { [field]: _, ...rest } = operation.valid;
        const response = await service.call(operation.method, operation.path, rest);
        const what = label(operation, `no ${field}`);
        refused(response, what);
        assert.equal(response.body.errors[0].pointer, `/${field}`, what);
      }
    }
  });

  test('each field refuses what does not fit it', async () => {
    for (const operation of withBody()) {
      for (const [field, schema] of Object.entries(operation.fields)) {
        for (const [kind, value] of wrongValues(schema)) {
          // Records of a batch fail one by one.
          if (failsOneByOne(operation.path) && kind.endsWith(' in an array')) continue;
          const response = await service.call(operation.method, operation.path, { ...operation.valid, [field]: value });
          const what = label(operation, `${kind} as ${field}`);
          refused(response, what);
          assert.doesNotMatch(response.body.detail, /must NOT/, what);
          assert.ok(
            response.body.errors[0].pointer.startsWith(`/${field}`),
            `${what}: ${JSON.stringify(response.body)}`,
          );
        }
      }
    }
  });

  test('a name of an attribute in a schema is held to what a record may have', async () => {
    for (const name of ['', 'a\u0001', 'a\ud800', 'x'.repeat(257)]) {
      const response = await service.call('POST', '/create-item-dataset', {
        name: 'd',
        attribute_schema: { [name]: 'NUMERICAL' },
      });
      refused(response, JSON.stringify(name));
      assert.match(response.body.detail, /^attribute_schema\/.* is not a usable name: it must/);
    }
    const ok = await service.call('POST', '/create-item-dataset', {
      name: 'd',
      attribute_schema: { ['x'.repeat(256)]: 'NUMERICAL' },
    });
    assert.equal(ok.status, 200);
    await service.ok('DELETE', '/delete-item-dataset', { item_dataset_id: ok.body.item_dataset_id });
  });

  test('an unknown field is named, with the nearest known one', async () => {
    for (const operation of withBody()) {
      const [known] = Object.keys(operation.fields);
      const wrong = `${known}x`;
      const response = await service.call(operation.method, operation.path, { ...operation.valid, [wrong]: 1 });
      assertProblem(response, { status: 400, codes: ['UNKNOWN_FIELD'] }, label(operation, wrong));
      assert.ok(
        response.body.detail.includes(`"${wrong}"`) && response.body.detail.includes(`"${known}"`),
        response.body.detail,
      );
    }
  });

  test('what is not JSON, not an object, wrongly compressed, huge or deep is refused', async () => {
    const deep = `{"a":${'['.repeat(32)}${']'.repeat(32)}}`;
    const bomb = gzipSync(Buffer.alloc(65 * 1024 * 1024, ' '));
    const raw: [string, string | Buffer, Record<string, string>, number, string[]][] = [
      ['broken JSON', '{"name": ', {}, 400, ['INVALID_JSON']],
      ['an empty body', '', {}, 400, ['INVALID_JSON', 'INVALID_REQUEST']],
      ['bytes that are not UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), {}, 400, ['INVALID_JSON']],
      ['null', 'null', {}, 400, REFUSALS],
      ['an array', '[]', {}, 400, REFUSALS],
      ['a text', '"x"', {}, 400, REFUSALS],
      ['deep nesting', deep, {}, 400, REFUSALS],
      ['a __proto__', '{"__proto__": {"name": "x"}}', {}, 400, REFUSALS],
      ['a constructor', '{"constructor": {"prototype": {"name": "x"}}}', {}, 400, REFUSALS],
      ['broken gzip', 'not gzip at all', { 'content-encoding': 'gzip' }, 400, ['INVALID_ENCODING']],
      [
        'gzip cut short',
        gzipSync('{"name":"x"}').subarray(0, 20),
        { 'content-encoding': 'gzip' },
        400,
        ['INVALID_ENCODING'],
      ],
      ['broken br', 'nonsense', { 'content-encoding': 'br' }, 400, ['INVALID_ENCODING']],
      ['broken zstd', 'nonsense', { 'content-encoding': 'zstd' }, 400, ['INVALID_ENCODING']],
      ['an unknown encoding', '{}', { 'content-encoding': 'rot13' }, 415, ['UNSUPPORTED_MEDIA_TYPE']],
      ['another media type', '{}', { 'content-type': 'text/plain' }, 415, ['UNSUPPORTED_MEDIA_TYPE']],
      ['a form', 'name=x', { 'content-type': 'application/x-www-form-urlencoded' }, 415, ['UNSUPPORTED_MEDIA_TYPE']],
      ['a gzip bomb', bomb, { 'content-encoding': 'gzip' }, 413, ['BODY_TOO_LARGE']],
    ];
    for (const operation of withBody()) {
      for (const [kind, body, headers, status, codes] of raw) {
        // Browsers send beacons as plain text.
        if (isForPages(operation.path) && kind === 'another media type') continue;
        const options = { raw: typeof body === 'string' ? body : new Uint8Array(body), headers };
        const response = await service.call(operation.method, operation.path, undefined, options);
        assertProblem(response, { status, codes }, label(operation, kind));
      }
    }
  });

  test("a body over its call's limit is refused, as sent and as inflated, and one of that size is read", async () => {
    for (const operation of onePerLimit()) {
      const limit = limitOf(operation);
      const over = Buffer.alloc(limit + 1, ' ');
      for (const encoding of ['identity', 'zstd']) {
        const raw = new Uint8Array(encoding === 'zstd' ? zstdCompressSync(over) : over);
        const response = await service.call(operation.method, operation.path, undefined, {
          raw,
          headers: { 'content-encoding': encoding },
        });
        assertProblem(response, { status: 413, codes: ['BODY_TOO_LARGE'] }, label(operation, `${limit} bytes and one`));
      }
      const within = new Uint8Array(zstdCompressSync(over.subarray(1)));
      const headers = { 'content-encoding': 'zstd' };
      const response = await service.call(operation.method, operation.path, undefined, { raw: within, headers });
      assertProblem(response, { status: 400, codes: ['INVALID_JSON'] }, label(operation, `${limit} blanks`));
    }
  });

  test('a small body that inflates to millions of values is refused', async () => {
    for (const operation of onePerLimit()) {
      const limit = limitOf(operation);
      for (const [what, unit, status] of [
        ['brackets', '[', 400],
        ['empty objects', '{},', 413],
        ['numbers', '1,', 413],
      ] as const) {
        if (limit <= KIB_64 && status === 413) continue;
        const text = `[${unit.repeat(Math.floor((limit - 2) / unit.length))}`;
        const response = await service.call(operation.method, operation.path, undefined, {
          raw: new Uint8Array(zstdCompressSync(text)),
          headers: { 'content-encoding': 'zstd' },
        });
        const codes = status === 413 ? ['BODY_TOO_LARGE'] : ['INVALID_REQUEST'];
        assertProblem(response, { status, codes }, label(operation, what));
      }
    }
  });
});

describe('queries', () => {
  const send = ({ path }: Operation, search: string) => service.call('GET', `${path}?${search}`);

  test('missing, doubled and unfit parameters are refused', async () => {
    for (const operation of withQuery()) {
      const valid = new URLSearchParams(operation.valid as Record<string, string>);
      for (const field of operation.required) {
        const rest = new URLSearchParams(valid);
        rest.delete(field);
        refused(await send(operation, `${rest}`), label(operation, `no ${field}`));
      }
      for (const [field, schema] of Object.entries(operation.fields)) {
        refused(await send(operation, `${field}=1&${field}=2`), label(operation, `${field} twice`));
        const unfit =
          schema.type === 'integer'
            ? ['x', '1.5', '', '1e2', '-1', '99999999999999999999']
            : schema.maxLength
              ? ['', 'x'.repeat(600), '%00']
              : [];
        for (const value of unfit) {
          const rest = new URLSearchParams(valid);
          rest.delete(field);
          refused(
            await send(operation, `${rest}&${field}=${value}`),
            label(operation, `${field}=${value.slice(0, 10)}`),
          );
        }
      }
      if ('page_token' in operation.fields) {
        const response = await send(operation, `${valid}&page_token=nonsense`);
        assertProblem(
          response,
          { status: 400, codes: ['INVALID_PAGE_TOKEN'] },
          label(operation, 'a foreign page_token'),
        );
      }
    }
  });

  test('an unknown parameter is ignored', async () => {
    for (const operation of withQuery()) {
      const valid = new URLSearchParams(operation.valid as Record<string, string>);
      const plain = await send(operation, `${valid}`);
      const response = await send(operation, `${valid}&no_such_field=1`);
      assert.equal(response.status, plain.status, label(operation, 'an unknown parameter'));
    }
  });
});

test('unknown ids and ids of another account both return 404', async () => {
  for (const operation of operations) {
    for (const field of Object.keys(operation.valid).filter((name) => name in own)) {
      const call = (id: string) => service.call(operation.method, operation.path, { ...operation.valid, [field]: id });
      const unknown = await call(`${own[field].slice(0, -1)}!`);
      const others = await call(foreign[field]);
      // The path's project decides at the project's own address.
      const expected = operation.path.startsWith('/projects/') ? [400, 404] : [404];
      assert.ok(
        expected.includes(unknown.status),
        `${label(operation, `an unknown ${field}`)} ${JSON.stringify(unknown.body)}`,
      );
      assert.equal(others.status, unknown.status, label(operation, `another account's ${field}`));
      assert.equal(others.body.code, unknown.body.code);
      assert.match(unknown.body.code, /_NOT_FOUND$|INVALID_REQUEST/);
    }
  }
});

test('other methods and unknown paths are told apart', async () => {
  for (const { path, method } of operations) {
    const wrong = method === 'GET' ? 'POST' : 'GET';
    const response = await service.call(wrong, path, wrong === 'POST' ? {} : undefined);
    assertProblem(response, { status: 405, codes: ['METHOD_NOT_ALLOWED'] }, `${wrong} ${path}`);
    assert.ok(response.headers.get('allow')?.includes(method));
  }
  for (const path of ['/nowhere', '/console/%2e%2e%2f%2e%2e%2fpackage.json', '/%2e%2e/%2e%2e/etc/passwd']) {
    assertProblem(await service.call('GET', path), { status: 404, codes: ['ROUTE_NOT_FOUND'] }, path);
  }
  assertProblem(await service.call('QUERY', '/get-account'), { status: 405, codes: ['METHOD_NOT_ALLOWED'] }, 'QUERY');
  const unread = await service.call('POST', '/nowhere', undefined, { raw: '{ no JSON' });
  assertProblem(unread, { status: 404, codes: ['ROUTE_NOT_FOUND'] }, 'an unknown path with a broken body');
});

test('after all this the account has what it had, and the service is well', async () => {
  for (const kind of ['user', 'item', 'event']) {
    assert.equal((await service.ok('GET', `/list-${kind}-datasets`))[`${kind}_datasets`].length, 1);
  }
  assert.equal((await service.ok('GET', '/list-projects')).projects.length, 1);
  const { project_id } = own;
  assert.equal((await service.ok('GET', '/list-algorithms', { project_id })).algorithms.length, 1);
  assert.equal((await service.ok('GET', '/list-jobs', { project_id })).jobs.length, 0);
  assert.equal((await service.ok('GET', '/readyz')).status, 'ready');
});
