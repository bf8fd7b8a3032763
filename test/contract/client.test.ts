// The client against the service it is made for: its generated parts are those the API description gives, and it speaks
// with a real service.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { type ApiDescription, clientOperations } from '../../scripts/client-from-openapi.ts';
import { GENERATED } from '../../scripts/generate.ts';
import { KNOWN_SCOPES } from '../../src/cli/scope-list.ts';
import { type EventRecord, Kindred, OPERATIONS } from '../../src/client/index.ts';
import { PATHS_BELOW_PROJECT } from '../../src/client/serving-address.ts';
import { EXAMPLE_PROJECT_ID } from '../../src/http/schemas/examples.ts';
import { createEmptyProject } from '../support/empty-project.ts';
import { movableClock } from '../support/movable-clock.ts';
import { startTestService, type TestService } from '../support/service.ts';

let service: TestService;
let kindred: Kindred;
const clock = movableClock();
before(async () => {
  service = await startTestService({ KINDRED_ROLES: 'api' }, clock.runtime);
  const { api_key, client_secret } = service.credentials;
  kindred = new Kindred({ baseUrl: service.baseUrl, apiKey: api_key, clientSecret: client_secret, gzip: true });
});
after(() => service.stop());

test('the client, docs/api.md and the parameters in docs/g1.md are those of the API description', async () => {
  const api = (await (await fetch(`${service.baseUrl}/openapi.json`)).json()) as ApiDescription;
  for (const [path, make] of Object.entries(GENERATED)) {
    const now = readFileSync(path, 'utf8');
    assert.ok(now === make(api, now), `${path} is out of date: run "npm run generate"`);
  }
  const operations = clientOperations(api);
  assert.deepEqual(
    Object.fromEntries(operations.map(({ path, method }) => [path, method])),
    Object.fromEntries(Object.entries(OPERATIONS).map(([path, { method }]) => [path, method])),
  );
  for (const { name } of operations) assert.equal(typeof kindred[name as keyof Kindred], 'function', name);
});

test('the client knows every call below serving_uri', async () => {
  const { paths } = await service.ok('GET', '/openapi.json');
  const below = Object.keys(paths).filter((path) => path.startsWith('/projects/{project_id}/'));
  const known = Object.values(PATHS_BELOW_PROJECT).map((path) => `/projects/{project_id}${path}`);
  const unnamed = (path: string) => path.replaceAll(/\{\w+\}/g, '{}');
  assert.deepEqual(known.map(unnamed).sort(), below.map(unnamed).sort());
});

test('all examples of the API description are about one project', async () => {
  const api = await (await fetch(`${service.baseUrl}/openapi.json`)).text();
  assert.deepEqual([...new Set(api.match(/prj_[0-9a-z]{26}/g))], [EXAMPLE_PROJECT_ID]);
});

test('the command line knows every scope of the API description', async () => {
  const api = await service.ok('GET', '/openapi.json');
  const { scopes } = api.components.securitySchemes.token.flows.clientCredentials;
  assert.deepEqual([...KNOWN_SCOPES].sort(), Object.keys(scopes).sort());
});

test('the client brings records in bulk and reads them back', async () => {
  const { event_dataset_id } = await kindred.createEventDataset({ name: 'events' });
  function* events(): Generator<EventRecord> {
    for (let index = 0; index < 2500; index++) {
      // Every 500th has no usable time.
      const ts = index % 500 === 0 ? -1 : 1_700_000_000_000 + index;
      yield { event_id: `e${index}`, user_id: `u${index % 10}`, item_id: `i${index % 100}`, ts, event_type: 'view' };
    }
  }
  const result = await kindred.bulkUpsertEvents(event_dataset_id, events());
  assert.deepEqual([result.submitted, result.succeeded, result.failed], [2500, 2495, 5]);
  assert.deepEqual(
    result.failures.map(({ position }) => position).sort((a, b) => a - b),
    [0, 500, 1000, 1500, 2000],
  );
  assert.equal(result.failures[0].code, 'INVALID_RECORD');
  const dataset: Record<string, unknown> = await kindred.getEventDataset({ event_dataset_id });
  assert.equal(dataset.num_records, 2495);
  const record = await kindred.getDatasetRecord({ event_dataset_id, event_id: 'e7' });
  assert.equal('ts' in record && record.ts, 1_700_000_000_007);
  let listed = 0;
  for await (const _ of kindred.iterateDatasetRecords({ event_dataset_id, user_id: 'u3', page_size: 100 })) listed += 1;
  assert.equal(listed, 250);
  assert.equal((await kindred.deleteDatasetUserEvents({ event_dataset_id, user_id: 'u3' })).deleted_count, 250);
});

test('a token of one path is refused on another, and the client asks for the right one of each call', async () => {
  const { api_key: apiKey, client_secret: clientSecret } = service.credentials;
  const reader = new Kindred({ baseUrl: service.baseUrl, apiKey, clientSecret, scope: ['/list-projects'] });
  assert.deepEqual((await reader.listProjects()).projects, []);
  await assert.rejects(reader.getAccount(), { code: 'INSUFFICIENT_SCOPE', status: 403 });
  const careful = new Kindred({ baseUrl: service.baseUrl, apiKey, clientSecret, scope: 'per-call' });
  assert.equal((await careful.getAccount()).name, 'default');
});

test('refusals come as typed errors', async () => {
  await assert.rejects(kindred.getProject({ project_id: 'prj_none' }), {
    name: 'KindredError',
    code: 'PROJECT_NOT_FOUND',
  });
  await assert.rejects(kindred.createUserDataset({ name: '' }), (error: Error & { errors: { pointer: string }[] }) => {
    assert.equal(error.errors[0].pointer, '/name');
    return true;
  });
  const wrong = new Kindred({ baseUrl: service.baseUrl, apiKey: 'kk_wrong', clientSecret: 'ks_wrong' });
  await assert.rejects(wrong.getAccount(), { code: 'INVALID_CLIENT', status: 401 });
});

test('tracked events whose response was lost are stored once, also if they are sent again a minute later', async () => {
  const { api_key: apiKey, client_secret: clientSecret } = service.credentials;
  const { project_id, event_dataset_id } = await createEmptyProject(service);
  let tracked = 0;
  const unlucky = new Kindred({
    baseUrl: service.baseUrl,
    apiKey,
    clientSecret,
    retry: { baseDelayMs: 1 },
    fetch: async (url, options) => {
      const response = await fetch(url, options);
      if (!String(url).endsWith('/track') || tracked++ > 0) return response;
      clock.moveAhead(60_000);
      throw new TypeError('the response was lost');
    },
  });
  const view = { item_id: 'i1', event_type: 'view' };
  const request = { project_id, user_id: 'u1', events: [view, view, { ...view, ts: Date.now() }] };
  assert.equal((await unlucky.track(request)).stored, 3);
  assert.equal(tracked, 2);
  assert.equal((await kindred.getEventDataset({ event_dataset_id })).num_records, 3);
});
