// Walks the whole OpenAPI description with valid, edge and broken values, in random order, as two accounts at once.
// Holds: no 5xx (the service checks every answer against its schema and fails the call when it differs, so a wrong answer is
// a 5xx too), every refusal is a problem document with a code of the table, and no account ever sees another's ids.
import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { ERROR_CODES } from '../../src/errors.ts';
import { type JsonSchema, valuesFor } from '../support/schema-arbitrary.ts';
import { ApiCaller, newAccount, startTestService, type TestService } from '../support/service.ts';

const CALLS = Number(process.env.KINDRED_FUZZ_CALLS ?? 1500);
const SEED = Number(process.env.KINDRED_FUZZ_SEED ?? randomInt(2 ** 31));

interface Operation {
  method: string;
  path: string;
  schema: JsonSchema | null;
}

interface Description {
  paths: Record<string, Record<string, OperationDescription>>;
  components?: { schemas?: Record<string, JsonSchema> };
}

interface OperationDescription {
  parameters?: { in: string; name: string; required?: boolean; schema: JsonSchema }[];
  requestBody?: { content: Record<string, { schema: JsonSchema }> };
}

let service: TestService;
let stranger: ApiCaller;

before(async () => {
  service = await startTestService();
  stranger = new ApiCaller(service.baseUrl, await newAccount(service, 'stranger'));
});

after(() => service.stop());

test(`a random walk over every call meets no 5xx and no other account's data (KINDRED_FUZZ_SEED=${SEED})`, async () => {
  const description = (await (await fetch(`${service.baseUrl}/openapi.json`)).json()) as Description;
  const operations = operationsOf(description);
  assert.ok(operations.length > 30, `the description has only ${operations.length} calls`);
  const owners = [
    { caller: service as ApiCaller, ids: new Map<string, Set<unknown>>() },
    { caller: stranger, ids: new Map<string, Set<unknown>>() },
  ];
  const answered = new Map<string, number>();
  const samples = fc.sample(fc.infiniteStream(fc.nat()), { numRuns: 1, seed: SEED })[0];
  const next = (bound: number): number => samples.next().value % bound;

  for (let call = 0; call < CALLS; call++) {
    const owner = owners[next(2)];
    const other = owners.find((candidate) => candidate !== owner)!;
    const operation = operations[next(operations.length)];
    const borrowed = next(8) === 0;
    const context = {
      resolve: (ref: string) => description.components?.schemas?.[ref.split('/').at(-1)!] ?? {},
      known: (property: string) => [...((borrowed ? other : owner).ids.get(property) ?? [])],
      brokenOneIn: next(3) === 0 ? 6 : 0,
    };
    const made = operation.schema
      ? fc.sample(valuesFor(operation.schema, context), { numRuns: 1, seed: SEED + call })[0]
      : undefined;
    const value = operation.method === 'GET' ? queryOf(made) : made;
    const what = `${operation.method} ${operation.path} ${JSON.stringify(value)}`;
    const answer = await owner.caller.call(operation.method, fillPath(operation.path, owner.ids), value);
    assert.ok(answer.status < 500, `${what} answered ${answer.status} ${JSON.stringify(answer.body)}`);
    if (answer.status >= 400) {
      assert.match(answer.headers.get('content-type') ?? '', /problem\+json/, what);
      assert.ok(answer.body.code in ERROR_CODES, `${what} answered the code ${answer.body.code}`);
      assert.equal(answer.body.status, answer.status, what);
    } else if (answer.body && typeof answer.body === 'object') {
      const text = JSON.stringify(answer.body);
      for (const ids of other.ids.values()) {
        for (const id of ids) {
          const sentByCaller = JSON.stringify(value ?? null).includes(String(id));
          assert.ok(sentByCaller || !text.includes(String(id)), `${what} answered another account's ${id}`);
        }
      }
      learnIds(answer.body, owner.ids);
    }
    answered.set(operation.path, (answered.get(operation.path) ?? 0) + (answer.status < 400 ? 1 : 0));
  }
  const ever = [...answered.values()].filter((count) => count > 0).length;
  assert.ok(ever > operations.length / 3, `only ${ever} of ${operations.length} calls were ever accepted`);
});

function operationsOf({ paths }: Description): Operation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([method]) => ['get', 'post', 'put', 'delete'].includes(method))
      // Keys are left alone: a walk that disables its own key meets nothing but 401.
      .filter(() => !/oauth2|api-key|console|metrics|healthz|readyz|openapi|docs|results/.test(path))
      .map(([method, { parameters, requestBody }]) => ({
        method: method.toUpperCase(),
        path,
        schema: requestBody?.content['application/json']?.schema ?? querySchema(parameters),
      })),
  );
}

function querySchema(parameters: OperationDescription['parameters'] = []): JsonSchema | null {
  const inQuery = parameters.filter((parameter) => parameter.in === 'query');
  if (inQuery.length === 0) return null;
  return {
    type: 'object',
    properties: Object.fromEntries(inQuery.map(({ name, schema }) => [name, schema])),
    required: inQuery.filter(({ required }) => required).map(({ name }) => name),
  };
}

/** A query string has names and texts only. */
function queryOf(value: unknown): Record<string, string> {
  return Object.fromEntries(
    Object.entries(value ?? {}).map(([name, field]) => [
      name,
      typeof field === 'string' ? field : JSON.stringify(field),
    ]),
  );
}

/** Ids made by the service are what later calls are steered with. */
function learnIds(body: Record<string, unknown>, ids: Map<string, Set<unknown>>): void {
  for (const [key, value] of Object.entries(body)) {
    if (typeof value === 'string' && /^(uds|ids|eds|prj|alg|mdl|job)_/.test(value)) {
      const kind = value.startsWith('ids_') ? 'item_dataset_id' : value.startsWith('eds_') ? 'event_dataset_id' : key;
      if (!ids.has(kind)) ids.set(kind, new Set());
      ids.get(kind)!.add(value);
    }
  }
}

function fillPath(path: string, ids: Map<string, Set<unknown>>): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name) => String([...(ids.get(name) ?? ['prj_none'])][0]));
}
