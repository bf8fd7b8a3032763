// What a request may carry without meaning anything by it: null for optional fields, read-only fields of an update. The
// calls and their fields are read from the service's own description, so a new call is held to this too.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Type } from 'typebox';
import { nullDropper, requestReader } from '../../src/http/read-request.ts';
import type { Route } from '../../src/http/route.ts';
import { closed, mapOf, Name, nullable, ServiceId, shownAs } from '../../src/http/schemas/common.ts';
import { withoutRefs } from '../../src/http/shared-schemas.ts';
import { fc } from '../support/fast-check.ts';
import { startTestService, type TestService } from '../support/service.ts';

type Json = Record<string, unknown>;

interface Schema {
  type?: string | string[];
  anyOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  items?: Schema;
}

let service: TestService;
/** Real ids for the fields of the calls. */
let own: Json;

before(async () => {
  service = await startTestService();
  own = {};
  for (const kind of ['user', 'item', 'event']) {
    const field = `${kind}_dataset_id`;
    own[field] = (await service.ok('POST', `/create-${kind}-dataset`, { name: kind }))[field];
  }
  const project = { name: 'p', project_type: 'RECOMMEND_ITEMS_TO_USER', target_event_type: 'view' };
  own.project_id = (await service.ok('POST', '/create-project', { ...project, ...own })).project_id;
  const algorithm = { project_id: own.project_id, name: 'a', algorithm_type: 'G1' };
  own.algorithm_id = (await service.ok('POST', '/create-algorithm', algorithm)).algorithm_id;
});
after(() => service.stop());

interface Place {
  pointer: string;
  /** undefined: leaves it out */
  set(value: null | undefined): void;
}

/** Every place of the value where the schema has an optional field. */
function* optionalPlaces(schema: Schema, value: unknown, at = ''): Generator<Place> {
  for (const branch of schema.anyOf ?? []) yield* optionalPlaces(branch, value, at);
  if (Array.isArray(value) && schema.items) {
    for (const [index, item] of value.entries()) yield* optionalPlaces(schema.items, item, `${at}/${index}`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return;
  const fields = value as Json;
  const { properties = {}, additionalProperties: other } = schema;
  if (typeof other === 'object') {
    for (const name of Object.keys(fields)) yield* optionalPlaces(other, fields[name], `${at}/${name}`);
  }
  for (const [name, field] of Object.entries(properties)) {
    if (Object.hasOwn(fields, name)) yield* optionalPlaces(field, fields[name], `${at}/${name}`);
    if (schema.required?.includes(name)) continue;
    yield {
      pointer: `${at}/${name}`,
      set: (given) => {
        fields[name] = given;
      },
    };
  }
}

test('null for any optional field of any call works as if the field were missing, at every depth', async () => {
  const { paths } = withoutRefs(await service.ok('GET', '/openapi.json'));
  let places = 0;
  let made = 0;
  for (const [path, methods] of Object.entries<Json>(paths)) {
    // biome-ignore lint/suspicious/noExplicitAny: a JSON document looked into freely.
    for (const [method, operation] of Object.entries<any>(methods)) {
      const content = operation.requestBody?.content['application/json'];
      // Deleting objects would take away what the next call needs, and has no optional fields.
      if (!content || path === '/oauth2/token') continue;
      const valid = () => ({
        ...structuredClone(content.example),
        ...pick(own, Object.keys(content.schema.properties)),
        // A project has a placement of a name once.
        ...(path === '/create-placement' && { name: `list-${made++}` }),
      });
      for (const { pointer } of optionalPlaces(content.schema, valid())) {
        const [withNull, without] = [null, undefined].map((value) => {
          const request = valid();
          [...optionalPlaces(content.schema, request)].find((one) => one.pointer === pointer)!.set(value);
          return request;
        });
        const expected = await call(method, path, without);
        const response = await call(method, path, withNull);
        const what = `${method} ${path} with null as ${pointer}: ${JSON.stringify(response.body)}`;
        assert.equal(response.status, expected.status, what);
        assert.equal(response.body.code, expected.body.code, what);
        assert.deepEqual(response.body.failures ?? [], expected.body.failures ?? [], what);
        places++;
      }
    }
  }
  assert.ok(places > 30, `only ${places} optional fields were found`);
});

test('null for algorithm parameters means auto, unless null is one of their values', async () => {
  const { project_id } = own;
  const { algorithm_parameters } = await service.ok('POST', '/create-algorithm', {
    project_id,
    name: 'nulls',
    algorithm_type: 'G1',
    algorithm_parameters: {
      seed: null,
      event_type_weights: null,
      half_life_days: null,
      walk: { gamma: null },
      experts: null,
    },
  });
  assert.deepEqual(algorithm_parameters, { half_life_days: null, walk: {} });
});

test('a token can be requested with null for what is left out', async () => {
  const { api_key, client_secret } = service.credentials;
  const request = { grant_type: 'client_credentials', client_id: api_key, client_secret, scope: null };
  const response = await service.call('POST', '/oauth2/token', request, { anonymous: true });
  assert.equal(response.status, 200);
  assert.equal(response.body.scope, '*');
});

test('what was read can be changed and written back whole', async () => {
  for (const kind of ['user', 'item', 'event']) {
    const id = { [`${kind}_dataset_id`]: own[`${kind}_dataset_id`] };
    const read = await service.ok('GET', `/get-${kind}-dataset`, id);
    const updated = await service.ok('PUT', `/update-${kind}-dataset`, { ...read, name: `${kind} renamed` });
    assert.deepEqual(updated, { ...read, name: `${kind} renamed` });
    const response = await service.call('PUT', `/update-${kind}-dataset`, { ...id, nam: 'x' });
    assert.equal(response.body.code, 'UNKNOWN_FIELD', 'a field that no response has is still refused');
  }
});

test('in any schema, null for an optional field deletes the field and nothing else changes', () => {
  const schema = closed({
    id: ServiceId,
    name: Type.Optional(Name),
    note: Type.Optional(nullable(Type.String())),
    inner: Type.Optional(closed({ size: Type.Optional(Type.Integer()), kind: Type.String() })),
    map: Type.Optional(
      mapOf(Name, nullable(closed({ size: Type.Optional(Type.Integer()) })), { maxProperties: 9, description: '' }),
    ),
    list: Type.Optional(
      Type.Array(shownAs(Type.Union([closed({ bins: Type.Optional(Type.Integer()) }), Type.Null()]))),
    ),
  });
  const dropNulls = nullDropper(schema)!;
  const leaf = fc.constantFrom(null, 1, 'x');
  const request = fc.record(
    {
      id: leaf,
      name: leaf,
      note: leaf,
      inner: fc.oneof(leaf, fc.record({ size: leaf, kind: leaf }, { requiredKeys: [] })),
      map: fc.oneof(leaf, fc.dictionary(fc.constantFrom('a', 'size'), fc.oneof(leaf, fc.record({ size: leaf })))),
      list: fc.oneof(leaf, fc.array(fc.oneof(leaf, fc.record({ bins: leaf, other: leaf }, { requiredKeys: [] })))),
    },
    { requiredKeys: [] },
  );
  const expected = (value: Json): Json => {
    const copy = structuredClone(value) as Record<string, Json | null>;
    for (const name of ['name', 'inner', 'map', 'list']) if (copy[name] === null) delete copy[name];
    if (copy.inner?.size === null) delete copy.inner.size;
    for (const one of Object.values((copy.map ?? {}) as Record<string, Json | null>))
      if (one?.size === null) delete one.size;
    if (Array.isArray(copy.list)) for (const one of copy.list) if (one?.bins === null) delete one.bins;
    return copy;
  };
  fc.assert(
    fc.property(request, (value) => {
      const changed = structuredClone(value);
      dropNulls(changed);
      assert.deepEqual({ ...changed }, { ...expected(value) });
    }),
  );
});

test('a call without query parameters ignores any', () => {
  const query = { a: '1' };
  requestReader({ method: 'GET', response: {} } as Route)({ query });
  assert.deepEqual(query, {});
});

function pick(from: Json, names: string[]): Json {
  return Object.fromEntries(names.filter((name) => Object.hasOwn(from, name)).map((name) => [name, from[name]]));
}

function call(method: string, path: string, body: Json) {
  return service.call(method.toUpperCase(), path.replace('{project_id}', String(own.project_id)), body);
}
