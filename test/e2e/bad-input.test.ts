// Every call with every kind of bad input: each gets the contract's error, none a 5xx, and nothing is stored.
// The calls and their fields are read from the service's own description, so a new call is walked too.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { brotliCompressSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { openAccount } from '../../src/accounts.ts';
import { openStore } from '../../src/store/open-store.ts';
import { ApiCaller, type CallAnswer, startTestService, type TestService } from '../support/service.ts';

type Json = Record<string, unknown>;

interface Operation {
  method: string;
  path: string;
  /** The body's or query's schema and a request that would be well-formed. */
  fields: Record<string, Json>;
  required: string[];
  valid: Json;
}

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
  operations = readOperations((await service.call('GET', '/openapi.json')).body);
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

// biome-ignore lint/suspicious/noExplicitAny: a JSON document looked into freely.
function readOperations(document: any): Operation[] {
  return Object.entries<Json>(document.paths).flatMap(([path, methods]) =>
    // biome-ignore lint/suspicious/noExplicitAny: as above.
    Object.entries<any>(methods)
      .filter(([, operation]) => operation.security.length > 0)
      .map(([method, operation]) => {
        const body = operation.requestBody?.content['application/json'];
        const query = (operation.parameters ?? []).filter((one: Json) => one.in === 'query');
        const fields = body?.schema.properties ?? Object.fromEntries(query.map((one: Json) => [one.name, one.schema]));
        const example =
          body?.example ??
          Object.fromEntries(query.filter((one: Json) => 'example' in one).map((one: Json) => [one.name, one.example]));
        return {
          method: method.toUpperCase(),
          path: path.replace('{project_id}', own.project_id),
          fields,
          required: body?.schema.required ?? query.filter((one: Json) => one.required).map((one: Json) => one.name),
          valid: Object.fromEntries(Object.entries(example).map(([name, value]) => [name, own[name] ?? value])),
        };
      }),
  );
}

const withBody = () => operations.filter(({ method }) => method !== 'GET');
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

function assertProblem(
  { status, headers, body }: CallAnswer,
  expected: { status: number; codes: string[] },
  what: string,
): void {
  assert.equal(status, expected.status, `${what} answered ${status} ${JSON.stringify(body)}`);
  assert.ok(expected.codes.includes(body.code), `${what} answered ${body.code}`);
  assert.match(headers.get('content-type') ?? '', /^application\/problem\+json/, what);
  for (const field of ['type', 'title', 'detail', 'instance', 'request_id'])
    assert.equal(typeof body[field], 'string', what);
  assert.equal(body.status, status);
}

const KIB_64 = 64 * 1024;

/** The largest body of each call, as the contract says. */
function limitOf({ path }: Operation): number {
  if (path.startsWith('/upsert-')) return 1024 * KIB_64;
  return /^\/(projects\/|recommend-|delete-dataset-(users|items|events)$)/.test(path) ? 8 * KIB_64 : KIB_64;
}

/** Of the calls whose bodies take long to make, one. */
function onePerLimit(): Operation[] {
  const large = withBody().find((operation) => limitOf(operation) > 8 * KIB_64)!;
  return withBody().filter((operation) => operation === large || limitOf(operation) <= 8 * KIB_64);
}

const refused = (answer: CallAnswer, what: string) => assertProblem(answer, { status: 400, codes: REFUSALS }, what);

/** Values no field of that schema takes. */
function* wrongValues(schema: Json): Generator<[string, unknown]> {
  const kinds = branchesOf(schema)
    .flatMap(({ type, const: value }) => [type ?? typeof value])
    .flat();
  if (!kinds.includes('null')) yield ['null', null];
  if (!kinds.includes('string')) yield ['a text', 'x'];
  if (!kinds.includes('number') && !kinds.includes('integer')) yield ['a number', 5];
  if (kinds.includes('integer') && !kinds.includes('number')) yield ['a fraction', 1.5];
  if (kinds.includes('integer')) yield ['a number as text', '5'];
  if (!kinds.includes('boolean')) yield ['a boolean', true];
  if (!kinds.includes('array')) yield ['an array', [[]]];
  if (!kinds.includes('object')) yield ['an object', { a: 1 }];
  if (schema.enum) yield ['an unknown choice', 'NONE_OF_THEM'];
  if (typeof schema.maximum === 'number') yield ['too large a number', schema.maximum + 1];
  if (typeof schema.minimum === 'number') yield ['too small a number', schema.minimum - 1];
  if (typeof schema.minLength === 'number' && schema.minLength > 0) yield ['an empty text', ''];
  if (typeof schema.maxLength === 'number') yield ['too long a text', 'x'.repeat(schema.maxLength + 1)];
  if (typeof schema.pattern === 'string') {
    yield ['a NUL character', 'a\0b'];
    yield ['a lone surrogate', 'a\ud800b'];
  }
  for (const branch of branchesOf(schema)) yield* wrongInside(branch);
}

function branchesOf(schema: Json): Json[] {
  return [schema, ...((schema.anyOf ?? []) as Json[]).flatMap(branchesOf)];
}

/** Maps with a wrong name or value, and arrays with a wrong element. */
function* wrongInside({ propertyNames, additionalProperties, items }: Json): Generator<[string, unknown]> {
  if (items) for (const [kind, value] of wrongValues(items as Json)) yield [`${kind} in an array`, [value]];
  if (!propertyNames) return;
  for (const [kind, name] of wrongValues(propertyNames as Json))
    if (typeof name === 'string') yield [`${kind} as a name`, { [name]: aValueOf(additionalProperties as Json) }];
  for (const [kind, value] of wrongValues(additionalProperties as Json)) yield [`${kind} in a map`, { a: value }];
}

const aValueOf = ({ enum: choices }: Json): unknown => (choices as unknown[] | undefined)?.[0] ?? 'x';

describe('bodies', () => {
  test('each required field is missed when it is not there', async () => {
    for (const operation of withBody()) {
      for (const field of operation.required) {
        const { [field]: _, ...rest } = operation.valid;
        const answer = await service.call(operation.method, operation.path, rest);
        const what = label(operation, `no ${field}`);
        refused(answer, what);
        assert.equal(answer.body.errors[0].pointer, `/${field}`, what);
      }
    }
  });

  test('each field refuses what does not fit it', async () => {
    for (const operation of withBody()) {
      for (const [field, schema] of Object.entries(operation.fields)) {
        for (const [kind, value] of wrongValues(schema)) {
          // Records of a batch fail one by one.
          if (operation.path.startsWith('/upsert-') && kind.endsWith(' in an array')) continue;
          const answer = await service.call(operation.method, operation.path, { ...operation.valid, [field]: value });
          const what = label(operation, `${kind} as ${field}`);
          refused(answer, what);
          assert.ok(answer.body.errors[0].pointer.startsWith(`/${field}`), `${what}: ${JSON.stringify(answer.body)}`);
        }
      }
    }
  });

  test('a name of an attribute in a schema is held to what a record may have', async () => {
    for (const name of ['', 'a\u0001', 'a\ud800', 'x'.repeat(257)]) {
      const answer = await service.call('POST', '/create-item-dataset', {
        name: 'd',
        attribute_schema: { [name]: 'NUMERICAL' },
      });
      refused(answer, JSON.stringify(name));
      assert.match(answer.body.detail, /^attribute_schema\/.* is not a usable name: it must/);
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
      const answer = await service.call(operation.method, operation.path, { ...operation.valid, [wrong]: 1 });
      assertProblem(answer, { status: 400, codes: ['UNKNOWN_FIELD'] }, label(operation, wrong));
      assert.ok(
        answer.body.detail.includes(`"${wrong}"`) && answer.body.detail.includes(`"${known}"`),
        answer.body.detail,
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
        const options = { raw: typeof body === 'string' ? body : new Uint8Array(body), headers };
        const answer = await service.call(operation.method, operation.path, undefined, options);
        assertProblem(answer, { status, codes }, label(operation, kind));
      }
    }
  });

  test("a body over its call's limit is refused, as sent and as inflated, and one of that size is read", async () => {
    for (const operation of onePerLimit()) {
      const limit = limitOf(operation);
      const over = Buffer.alloc(limit + 1, ' ');
      for (const encoding of ['identity', 'zstd']) {
        const raw = new Uint8Array(encoding === 'zstd' ? zstdCompressSync(over) : over);
        const answer = await service.call(operation.method, operation.path, undefined, {
          raw,
          headers: { 'content-encoding': encoding },
        });
        assertProblem(answer, { status: 413, codes: ['BODY_TOO_LARGE'] }, label(operation, `${limit} bytes and one`));
      }
      const within = new Uint8Array(zstdCompressSync(over.subarray(1)));
      const headers = { 'content-encoding': 'zstd' };
      const answer = await service.call(operation.method, operation.path, undefined, { raw: within, headers });
      assertProblem(answer, { status: 400, codes: ['INVALID_JSON'] }, label(operation, `${limit} blanks`));
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
        const answer = await service.call(operation.method, operation.path, undefined, {
          raw: new Uint8Array(zstdCompressSync(text)),
          headers: { 'content-encoding': 'zstd' },
        });
        const codes = status === 413 ? ['BODY_TOO_LARGE'] : ['INVALID_REQUEST'];
        assertProblem(answer, { status, codes }, label(operation, what));
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
        const answer = await send(operation, `${valid}&page_token=nonsense`);
        assertProblem(answer, { status: 400, codes: ['INVALID_PAGE_TOKEN'] }, label(operation, 'a foreign page_token'));
      }
    }
  });

  test('an unknown parameter is ignored', async () => {
    for (const operation of withQuery()) {
      const valid = new URLSearchParams(operation.valid as Record<string, string>);
      const plain = await send(operation, `${valid}`);
      const answer = await send(operation, `${valid}&no_such_field=1`);
      assert.equal(answer.status, plain.status, label(operation, 'an unknown parameter'));
    }
  });
});

test('ids that do not exist and ids of another account are answered alike, with 404', async () => {
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
    const answer = await service.call(wrong, path, wrong === 'POST' ? {} : undefined);
    assertProblem(answer, { status: 405, codes: ['METHOD_NOT_ALLOWED'] }, `${wrong} ${path}`);
    assert.ok(answer.headers.get('allow')?.includes(method));
  }
  for (const path of ['/nowhere', '/console/%2e%2e%2f%2e%2e%2fpackage.json', '/%2e%2e/%2e%2e/etc/passwd']) {
    assertProblem(await service.call('GET', path), { status: 404, codes: ['ROUTE_NOT_FOUND'] }, path);
  }
  assertProblem(await service.call('QUERY', '/get-account'), { status: 405, codes: ['METHOD_NOT_ALLOWED'] }, 'QUERY');
  const unread = await service.call('POST', '/nowhere', undefined, { raw: '{ no JSON' });
  assertProblem(unread, { status: 404, codes: ['ROUTE_NOT_FOUND'] }, 'an unknown path with a broken body');
});

describe('records', () => {
  const id = 'x'.repeat(256);
  const event = { event_id: 'e', user_id: 'u', item_id: 'i', ts: 1, event_type: 'view' };
  const sized = (bytes: number) => {
    const record = { ...event, event_id: `size-${bytes}`, attributes: { note: '' } };
    record.attributes.note = 'é'.repeat(10) + 'n'.repeat(bytes - Buffer.byteLength(JSON.stringify(record)) - 20);
    assert.equal(Buffer.byteLength(JSON.stringify(record)), bytes);
    return record;
  };
  let deep: unknown = 1;
  for (let level = 0; level < 20; level++) deep = [deep];

  const badEvents: [string, unknown, string][] = [
    ['null', null, 'INVALID_RECORD'],
    ['a number', 5, 'INVALID_RECORD'],
    ['an array', [], 'INVALID_RECORD'],
    ['no id', { ...event, event_id: undefined }, 'INVALID_RECORD'],
    ['an empty id', { ...event, event_id: '' }, 'INVALID_RECORD'],
    ['a number as id', { ...event, event_id: 7 }, 'INVALID_RECORD'],
    ['too long an id', { ...event, event_id: `${id}y` }, 'INVALID_RECORD'],
    ['NUL in an id', { ...event, event_id: 'n\0' }, 'INVALID_RECORD'],
    ['a lone surrogate in an id', { ...event, event_id: 'l\udc00' }, 'INVALID_RECORD'],
    ['no user', { ...event, event_id: 'b1', user_id: undefined }, 'INVALID_RECORD'],
    ['a control character in the item', { ...event, event_id: 'b2', item_id: 'a\nb' }, 'INVALID_RECORD'],
    ['a fraction of a millisecond', { ...event, event_id: 'b3', ts: 1.5 }, 'INVALID_RECORD'],
    ['a negative time', { ...event, event_id: 'b4', ts: -1 }, 'INVALID_RECORD'],
    ['a time after all time', { ...event, event_id: 'b5', ts: 8.64e15 + 2 }, 'INVALID_RECORD'],
    ['time as text', { ...event, event_id: 'b6', ts: '1' }, 'INVALID_RECORD'],
    ['no type', { ...event, event_id: 'b7', event_type: undefined }, 'INVALID_RECORD'],
    ['a value as text', { ...event, event_id: 'b8', event_value: '1' }, 'INVALID_RECORD'],
    ['attributes as an array', { ...event, event_id: 'b10', attributes: [] }, 'INVALID_RECORD'],
    ['deep attributes', { ...event, event_id: 'b11', attributes: { deep } }, 'INVALID_RECORD'],
    ['an unknown field', { ...event, event_id: 'b12', timestamp: 1 }, 'INVALID_RECORD'],
    ['one byte too much', sized(20_481), 'RECORD_TOO_LARGE'],
  ];

  test('each bad event fails alone, with its reason, and the good ones are stored', async () => {
    const { event_dataset_id } = own;
    const good = [
      { ...event, event_id: 'good-1', event_value: null, attributes: null },
      { ...event, event_id: id, ts: 8.64e15, event_value: -2.5 },
      { ...event, event_id: '😀'.repeat(256) },
      sized(20_480),
    ];
    const events = [good[0], ...badEvents.map(([, record]) => record), ...good.slice(1)];
    const answer = await service.ok('POST', '/upsert-dataset-events', { event_dataset_id, events });
    assert.deepEqual(
      answer.succeed_ids,
      good.map((record) => record.event_id),
    );
    assert.deepEqual(
      answer.failures.map(({ index, code }: { index: number; code: string }) => [badEvents[index - 1][0], code]),
      badEvents.map(([kind, , code]) => [kind, code]),
    );
    assert.deepEqual(answer.failed_ids.length + answer.succeed_ids.length, events.length, 'every record is reported');
    assert.equal((await service.ok('GET', '/get-event-dataset', { event_dataset_id })).num_records, good.length);
  });

  test('numbers too large for JSON numbers and __proto__ fail alone', async () => {
    const { item_dataset_id } = own;
    const raw = `{"item_dataset_id":"${item_dataset_id}","items":[
      {"item_id":"ok","attributes":{"price":1e3}},
      {"item_id":"infinite","attributes":{"price":1e999}},
      {"item_id":"proto","attributes":{"__proto__":{"polluted":true}}},
      {"__proto__":{"item_id":"inherited"}}]}`;
    const { body } = await service.call('POST', '/upsert-dataset-items', undefined, { raw });
    assert.deepEqual(body.succeed_ids, ['ok']);
    assert.deepEqual(body.failed_ids, ['infinite', 'proto', '#3']);
    assert.deepEqual(
      body.failures.map((failure: { index: number }) => failure.index),
      [1, 2, 3],
    );
    assert.equal(({} as Json).polluted, undefined);
  });

  test('a batch of 1001 is refused whole; a batch of none changes nothing', async () => {
    const { user_dataset_id } = own;
    const users = Array.from({ length: 1001 }, (_, n) => ({ user_id: `u${n}` }));
    const answer = await service.call('POST', '/upsert-dataset-users', { user_dataset_id, users });
    assertProblem(answer, { status: 400, codes: ['BATCH_TOO_LARGE'] }, '1001 users');
    const user_ids = users.map(({ user_id }) => user_id);
    const deletion = await service.call('DELETE', '/delete-dataset-users', { user_dataset_id, user_ids });
    assertProblem(deletion, { status: 400, codes: ['BATCH_TOO_LARGE'] }, '1001 ids');
    const none = await service.ok('POST', '/upsert-dataset-users', { user_dataset_id, users: [] });
    assert.deepEqual(none, { user_dataset_id, succeed_ids: [], failed_ids: [], failures: [], warnings: [] });
    assert.equal((await service.ok('GET', '/get-user-dataset', { user_dataset_id })).num_records, 0);
  });

  test('compressed bodies are read, whichever the compression', async () => {
    const { user_dataset_id } = own;
    for (const [encoding, compress] of [
      ['gzip', gzipSync],
      ['x-gzip', gzipSync],
      ['br', brotliCompressSync],
      ['zstd', zstdCompressSync],
    ] as const) {
      const raw = new Uint8Array(compress(JSON.stringify({ user_dataset_id, users: [{ user_id: encoding }] })));
      const headers = { 'content-encoding': encoding };
      const { body } = await service.call('POST', '/upsert-dataset-users', undefined, { raw, headers });
      assert.deepEqual(body.succeed_ids, [encoding]);
    }
  });
});

test('a byte-order mark before the JSON is passed over', async () => {
  const { user_dataset_id } = own;
  const raw = `\ufeff${JSON.stringify({ user_dataset_id, users: [{ user_id: 'marked' }] })}`;
  for (const headers of [{}, { 'content-encoding': 'gzip' }] as Record<string, string>[]) {
    const bytes = new Uint8Array('content-encoding' in headers ? gzipSync(raw) : Buffer.from(raw));
    const { body } = await service.call('POST', '/upsert-dataset-users', undefined, { raw: bytes, headers });
    assert.deepEqual(body.succeed_ids, ['marked']);
  }
  const { status } = await service.call('GET', '/get-user-dataset', { user_dataset_id });
  assert.equal(status, 200);
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
