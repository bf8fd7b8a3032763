// The API's description is complete and true: it is next to the routes, its examples fit its schemas, and it is readable.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { ERROR_CODES } from '../../src/errors.ts';
import { withoutRefs } from '../../src/http/shared-schemas.ts';
import { startTestService, type TestService } from '../support/service.ts';

let service: TestService;
// biome-ignore lint/suspicious/noExplicitAny: a JSON document looked into freely.
let described: any;
/** The same without references. */
let document: typeof described;
before(async () => {
  service = await startTestService();
  described = (await service.call('GET', '/openapi.json', undefined, { anonymous: true })).body;
  document = withoutRefs(described);
});
after(() => service.stop());

// biome-ignore lint/suspicious/noExplicitAny: as above.
function operations(): { method: string; path: string; operation: any }[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods as object).map(([method, operation]) => ({ method, path, operation })),
  );
}

test('it is OpenAPI 3.1 and every operation has an id of its own', () => {
  assert.match(document.openapi, /^3\.1\./);
  const ids = operations().map(({ operation }) => operation.operationId);
  assert.equal(new Set(ids).size, ids.length);
});

test('every call of the specification is described', () => {
  const calls =
    'POST /create-user-dataset, POST /upsert-dataset-users, POST /create-item-dataset, POST /upsert-dataset-items, POST /create-event-dataset, PUT /update-event-dataset, GET /get-event-dataset, GET /list-event-datasets, DELETE /delete-event-dataset, POST /upsert-dataset-events, DELETE /delete-dataset-user-events, DELETE /delete-dataset-events-before-ts, POST /create-project, POST /create-algorithm, POST /submit-training-job, POST /submit-deployment-job, POST /submit-querying-job, POST /submit-clustering-job, GET /get-job, PUT /update-model, GET /get-model, GET /list-models, DELETE /delete-model, DELETE /shutdown-deployment, POST /recommend-items-to-user';
  for (const call of calls.split(', ')) {
    const [method, path] = call.split(' ');
    assert.ok(document.paths[path]?.[method.toLowerCase()], call);
  }
});

test('every call has an example of its request and response that fits the schema', () => {
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  const check = (schema: object, example: unknown, what: string) => {
    const validate = ajv.compile(schema);
    assert.ok(validate(example), `${what}: ${JSON.stringify(validate.errors)}`);
  };
  for (const { method, path, operation } of operations()) {
    const body = operation.requestBody?.content['application/json'];
    if (body) check(body.schema, body.example, `${method} ${path} request`);
    for (const { name, required, schema, example } of operation.parameters ?? []) {
      assert.ok(!required || example !== undefined, `${path} has no example of ${name}`);
      if (example !== undefined) check(schema, example, `${path} ${name}`);
    }
    for (const [type, { schema, example }] of Object.entries<{ schema: object; example: unknown }>(
      operation.responses['200'].content,
    )) {
      if (type === 'application/json') check(schema, example, `${method} ${path} response`);
    }
  }
});

test('an update takes what was read, and a token takes Basic and fields that nobody knows', () => {
  const bodyOf = (path: string, method: string) =>
    document.paths[path][method].requestBody.content['application/json'].schema;
  const project = bodyOf('/update-project', 'put');
  assert.deepEqual([project.properties.created_ts.readOnly, project.additionalProperties], [true, false]);
  for (const { path, method } of operations().filter(({ method }) => method === 'put')) {
    const read = document.paths[path][method].responses['200'].content['application/json'].schema.properties;
    const missing = Object.keys(read).filter((name) => !(name in bodyOf(path, method).properties));
    assert.deepEqual(missing, [], path);
  }
  assert.equal(bodyOf('/oauth2/token', 'post').additionalProperties, undefined);
  assert.deepEqual(document.paths['/oauth2/token'].post.security, [{}, { basic: [] }]);
  assert.ok(document.paths['/results/{result_id}'].get.responses['503']);
});

test('a placement has the fields it was written with, and so has a variant', () => {
  const { PlacementDefaults, PlacementRule, VariantOverrides, ...others } = described.components.schemas;
  for (const [read, written] of [
    [PlacementDefaults, others.PlacementDefaultsInput],
    [PlacementRule, others.PlacementRuleInput],
    [VariantOverrides, others.VariantOverridesInput],
  ]) {
    assert.deepEqual(Object.keys(read.properties), Object.keys(written.properties));
    assert.deepEqual([read.additionalProperties, written.additionalProperties], [undefined, false]);
  }
});

test('every whole number of a request has a largest value that databases can hold', () => {
  const unbounded: string[] = [];
  const look = (what: string, schema: object) =>
    JSON.stringify(schema, (key, value) => {
      if (value?.type === 'integer' && !(Math.abs(value.maximum) <= Number.MAX_SAFE_INTEGER)) {
        unbounded.push(`${what} ${key}`);
      }
      return value;
    });
  for (const { path, operation } of operations()) {
    look(path, operation.requestBody?.content['application/json']?.schema ?? {});
    for (const { name, schema } of operation.parameters ?? []) look(`${path} ${name}`, schema);
  }
  assert.deepEqual(unbounded, []);
});

test('an example of a time to come is in the future', () => {
  for (const { path, operation } of operations()) {
    const { expires_ts } = operation.requestBody?.content['application/json']?.example ?? {};
    if (expires_ts !== undefined) assert.ok(expires_ts > Date.now(), path);
  }
});

test('a call lists the errors that its kind of input can have', () => {
  const codesOf = (responses: Record<string, { content: Record<string, { examples?: object }> }>) =>
    Object.values(responses).flatMap(({ content }) =>
      Object.values(content).flatMap(({ examples = {} }) => Object.keys(examples)),
    );
  for (const { path, operation } of operations().filter(({ method }) => method === 'get')) {
    assert.ok(!codesOf(operation.responses).includes('UNKNOWN_FIELD'), `${path} ignores unknown parameters`);
  }
  const { '/preview-placement': preview, '/call-placement': call } = document.paths;
  const ofCall = codesOf(call.post.responses);
  assert.ok(ofCall.includes('UNKNOWN_FIELD') && ofCall.includes('PLACEMENT_NOT_FOUND'));
  assert.ok(!codesOf(preview.post.responses).includes('PLACEMENT_NOT_FOUND'));
});

test('every error has an example, and every reference leads somewhere', () => {
  assert.deepEqual(Object.keys(document.components.examples), Object.keys(ERROR_CODES));
  const validate = new Ajv2020({ strict: false, validateFormats: false }).compile(document.components.schemas.Problem);
  for (const { value } of Object.values<{ value: unknown }>(document.components.examples)) assert.ok(validate(value));
  const used = new Set<string>();
  JSON.stringify(described, (key, value) => {
    if (key !== '$ref') return value;
    const found = value
      .slice(2)
      .split('/')
      .reduce((node: Record<string, never>, name: string) => node?.[name], described);
    assert.ok(found, value);
    used.add(value);
    return value;
  });
  for (const name of Object.keys(described.components.schemas)) {
    assert.match(name, /^([A-Z][a-z]*)+$/);
    assert.ok(used.has(`#/components/schemas/${name}`), `${name} is not used`);
  }
});

test('an object that is in many places has a name', () => {
  const places = new Map<string, string[]>();
  const look = (where: string, part: object) =>
    JSON.stringify(part, (key, value) => {
      if (key === 'example' || key === 'examples') return undefined;
      const fields = Object.keys(value?.properties ?? {});
      if (fields.length < 4) return value;
      const { description: _, ...shape } = value;
      const text = JSON.stringify(shape);
      places.set(text, [...(places.get(text) ?? []), `${where} ${key}: ${fields}`]);
      return value;
    });
  for (const { method, path } of operations()) look(path, described.paths[path][method]);
  look('components', described.components.schemas);
  const repeated = [...places.values()].filter((found) => found.length > 3);
  assert.deepEqual(repeated, [], 'give it a name, see src/http/schemas/named.ts');
});

test('the page for people names every call and runs no script', async () => {
  const { status, headers, body } = await service.call('GET', '/docs', undefined, { anonymous: true });
  assert.equal(status, 200);
  assert.match(headers.get('content-security-policy') ?? '', /default-src 'none'/);
  assert.doesNotMatch(body, /<script|(src|href)="(?![#/])/);
  for (const { path } of operations()) assert.ok(body.includes(path), path);
  const errors = await service.call('GET', '/docs/errors', undefined, { anonymous: true });
  for (const code of Object.keys(ERROR_CODES)) assert.ok(errors.body.includes(`id="${code}"`), code);
});
