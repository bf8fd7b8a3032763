// Definitions of placements over HTTP: invalid ones, and changes made at the same time.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startTestService, type TestService } from '../support/service.ts';
import { createTasteProject } from '../support/taste-project.ts';

type Body = Record<string, unknown>;

let service: TestService;
before(async () => {
  service = await startTestService({ KINDRED_ROLES: 'api' });
});
after(() => service.stop());

const refused = async (at: string, body: Body, method: 'POST' | 'PUT' | 'GET' | 'DELETE' = 'POST') => {
  const { status, body: problem } = await service.call(method, at, body);
  return `${status} ${problem.code}${problem.errors ? ` ${problem.errors[0].pointer}` : ''}`;
};

test('invalid definitions are rejected with a pointer to the field, and nothing is stored', async () => {
  const { project_id } = await createTasteProject(service);
  await service.ok('POST', '/create-placement', { project_id, name: 'home', kind: 'for_you' });
  const { detail } = (
    await service.call('POST', '/create-placement', { project_id, name: 'Home page', kind: 'for_you' })
  ).body;
  assert.match(detail, /name must be 1 to 64 lowercase letters, digits/);
  const wrong = (definition: Body, name = 'wrong') => refused('/create-placement', { project_id, name, ...definition });
  const rule = (fields: Body) => wrong({ kind: 'for_you', rules: [{ name: 'r', ...fields }] });
  assert.equal(await wrong({ kind: 'nice' }), '400 INVALID_REQUEST /kind');
  assert.equal(await wrong({ kind: 'for_you' }, 'Home Page'), '400 INVALID_REQUEST /name');
  assert.equal(await wrong({ kind: 'for_you' }, 'home'), '409 PLACEMENT_EXISTS');
  assert.equal(
    await wrong({ kind: 'for_you', defaults: { page_token: 'x' } }),
    '400 UNKNOWN_FIELD /defaults/page_token',
  );
  assert.equal(
    await wrong({ kind: 'for_you', defaults: { filter_query: 'price >' } }),
    '400 INVALID_FILTER /defaults/filter_query',
  );
  const gone = { defaults: { model_id: 'mdl_gone' } };
  assert.equal(await wrong({ kind: 'for_you', ...gone }), '404 MODEL_NOT_FOUND /defaults/model_id');
  assert.equal(
    await refused('/update-placement', { project_id, name: 'home', ...gone }, 'PUT'),
    '404 MODEL_NOT_FOUND /defaults/model_id',
  );
  assert.equal(await wrong({ kind: 'for_you', fallback: ['for_you'] }), '400 INVALID_REQUEST /fallback/0');
  assert.equal(await wrong({ kind: 'for_you', fallback: ['ranking'] }), '400 INVALID_REQUEST /fallback/0');
  assert.equal(await rule({ only_if: 'price > 3' }), '400 INVALID_REQUEST /rules/0/only_if');
  assert.equal(await rule({ from_ts: 5, to_ts: 5 }), '400 INVALID_REQUEST /rules/0/to_ts');
  assert.equal(
    await rule({ boosts: [{ filter_query: 'a = = b', factor: 2 }] }),
    '400 INVALID_FILTER /rules/0/boosts/0/filter_query',
  );
  assert.equal(
    await rule({ boosts: [{ filter_query: 'a = 1', factor: 0 }] }),
    '400 INVALID_REQUEST /rules/0/boosts/0/factor',
  );
  const pins = [
    { position: 1, item_id: 'a' },
    { position: 1, item_id: 'b' },
  ];
  assert.equal(await rule({ pins }), '400 INVALID_REQUEST /rules/0/pins/1');
  const rules = Array.from({ length: 51 }, (_, n) => ({ name: `r${n}` }));
  assert.equal(await wrong({ kind: 'for_you', rules }), '400 INVALID_REQUEST /rules');
  const twice = [{ name: 'r' }, { name: 'r' }];
  assert.equal(await wrong({ kind: 'for_you', rules: twice }), '400 INVALID_REQUEST /rules/1/name');
  assert.equal(await refused('/get-placement', { project_id, name: 'wrong' }, 'GET'), '404 PLACEMENT_NOT_FOUND /name');
});

test('changes made at the same time are all kept', async () => {
  const { project_id } = await createTasteProject(service);
  const busy = { project_id, name: 'busy' };
  await service.ok('POST', '/create-placement', { ...busy, kind: 'for_you' });
  const changes: Body[] = [
    { defaults: { limit: 3 } },
    { rules: [{ name: 'sale', filter_query: 'price < 5' }] },
    { fallback: ['popular'] },
    { fatigue: { after: 3, days: 7 } },
  ];
  const changed = await Promise.all(
    changes.map((change) => service.ok('PUT', '/update-placement', { ...busy, ...change })),
  );
  assert.deepEqual(changed.map(({ version }) => version).sort(), [2, 3, 4, 5]);
  const { defaults, rules, fallback, fatigue } = await service.ok('GET', '/get-placement', busy);
  assert.deepEqual([{ defaults }, { rules }, { fallback }, { fatigue }], changes);
});
