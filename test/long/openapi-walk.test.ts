// Walks the whole OpenAPI description with valid, edge and broken values, in random order, as two accounts at once.
// Holds: no 5xx (the service checks every response against its schema and fails the call when it differs, so a wrong response is
// a 5xx too), every refusal is a problem document with a code of the table, and no account ever sees another's ids.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { ERROR_CODES } from '../../src/errors.ts';
import { type Description, fillPath, operationsOf, queryOf } from '../fuzz/api-operations.ts';
import { createEmptyProject } from '../support/empty-project.ts';
import { fc } from '../support/fast-check.ts';
import { valuesFor } from '../support/schema-arbitrary.ts';
import { ApiCaller, newAccount, startTestService, type TestService } from '../support/service.ts';

const CALLS = Number(process.env.KINDRED_FUZZ_CALLS ?? 1500);
const SEED = Number(process.env.KINDRED_FUZZ_SEED ?? process.env.KINDRED_TEST_SEED ?? 1);

/** Keys are left alone: a walk that disables its own key meets nothing but 401. */
const LEFT_OUT = /oauth2|api-key|console|metrics|healthz|readyz|openapi|docs|results/;

let service: TestService;
let stranger: ApiCaller;

before(async () => {
  service = await startTestService();
  stranger = new ApiCaller(service.baseUrl, await newAccount(service, 'stranger'));
});

after(() => service.stop());

test(`a random walk over every call meets no 5xx and no other account's data (KINDRED_FUZZ_SEED=${SEED})`, async () => {
  const description = (await (await fetch(`${service.baseUrl}/openapi.json`)).json()) as Description;
  const operations = operationsOf(description).filter(({ path }) => !LEFT_OUT.test(path));
  assert.ok(operations.length > 30, `the description has only ${operations.length} calls`);
  const owners = [
    { caller: service as ApiCaller, ids: new Map<string, Set<unknown>>() },
    { caller: stranger, ids: new Map<string, Set<unknown>>() },
  ];
  // Most calls need ids. Made by chance alone, they come so late in some walks that few calls are ever accepted.
  for (const { caller, ids } of owners) learnIds({ ...(await createEmptyProject(caller)) }, ids);
  const responded = new Map<string, number>();
  const samples = fc.sample(fc.infiniteStream(fc.nat()), { numRuns: 1, seed: SEED })[0];
  const next = (bound: number): number => samples.next().value % bound;

  for (let call = 0; call < CALLS; call++) {
    const owner = owners[next(2)];
    const other = owners.find((candidate) => candidate !== owner)!;
    const operation = operations[next(operations.length)];
    const borrowed = next(8) === 0;
    const context = {
      known: (property: string) => [...((borrowed ? other : owner).ids.get(property) ?? [])],
      brokenOneIn: next(3) === 0 ? 6 : 0,
    };
    const made = operation.schema
      ? fc.sample(valuesFor(operation.schema, context), { numRuns: 1, seed: SEED + call })[0]
      : undefined;
    const value = operation.method === 'GET' ? queryOf(made) : made;
    const what = `${operation.method} ${operation.path} ${JSON.stringify(value)}`;
    const response = await owner.caller.call(operation.method, fillPath(operation.path, owner.ids), value);
    assert.ok(response.status < 500, `${what} returned ${response.status} ${JSON.stringify(response.body)}`);
    if (response.status >= 400) {
      assert.match(response.headers.get('content-type') ?? '', /problem\+json/, what);
      assert.ok(response.body.code in ERROR_CODES, `${what} returned the code ${response.body.code}`);
      assert.equal(response.body.status, response.status, what);
    } else if (response.body && typeof response.body === 'object') {
      const text = JSON.stringify(response.body);
      for (const ids of other.ids.values()) {
        for (const id of ids) {
          const sentByCaller = JSON.stringify(value ?? null).includes(String(id));
          assert.ok(sentByCaller || !text.includes(String(id)), `${what} returned another account's ${id}`);
        }
      }
      learnIds(response.body, owner.ids);
    }
    responded.set(operation.path, (responded.get(operation.path) ?? 0) + (response.status < 400 ? 1 : 0));
  }
  const ever = [...responded.values()].filter((count) => count > 0).length;
  assert.ok(ever > operations.length / 3, `only ${ever} of ${operations.length} calls were ever accepted`);
});

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
