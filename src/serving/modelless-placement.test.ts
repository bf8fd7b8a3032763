import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PlacementDefinition, PlacementRule } from '../domain/placement.ts';
import type { Project } from '../domain/project.ts';
import { MAX_RESPONSE_BYTES } from '../domain/response-limit.ts';
import { AppError } from '../errors.ts';
import type { PlacementRequest } from '../placements/placement-list.ts';
import { CallRooms } from './call-room.ts';
import { modellessList, topKindsOf } from './modelless-placement.ts';
import { PlacementCall, type PlacementCallParts } from './placement-call.ts';
import type { TopCall } from './top-call.ts';

const DEFINITION = {
  kind: 'user',
  fallback: ['popular'],
  defaults: { limit: 4, filter_query: `color = 'red'`, window_hours: 48 },
  rules: [],
} as unknown as PlacementDefinition;

test('the top lists of a placement are its kind and what fills it, in their order', () => {
  const of = (kind: string, ...fallback: string[]) =>
    topKindsOf({ ...DEFINITION, kind, fallback } as PlacementDefinition);
  assert.deepEqual(of('trending', 'popular'), ['trending', 'popular']);
  assert.deepEqual(of('user', 'newest', 'related', 'popular'), ['newest', 'popular']);
  assert.deepEqual(of('user', 'related'), []);
  assert.deepEqual(of('user'), []);
});

test('without a model a placement shows its top list and says what is missing', async () => {
  let asked: Record<string, unknown> = {};
  let origin: unknown = null;
  const top = {
    list: async (_: unknown, request: Record<string, unknown>, from: unknown) => {
      [asked, origin] = [request, from];
      const head = { limit: 4, attributes: ['color'], recommendation_id: 'rec_1', next_page_token: null };
      const items = [{ item_id: 'i1' }, { item_id: 'i2', pinned: true }, { item_id: 'i3', filled: true }];
      return { head, items, texts: items.map(({ item_id }) => JSON.stringify({ item_id })) };
    },
  } as unknown as TopCall;
  const room = { take: () => {}, whenMade: () => {} };
  const experiment = { experimentId: 'exp_1', variant: 'short' };
  const chosen = { name: 'home', version: 3, definition: DEFINITION, experiment, isPreview: true };
  const rules = [{ name: 'sale', when: 'true' }] as unknown as PlacementRule[];
  const call = { user_id: 'ann', filter_query: 'price < 5' } as PlacementRequest;
  const parts = await modellessList({ top }, {} as Project, chosen, {
    call,
    rules,
    tops: ['popular', 'newest'],
    room,
  });
  assert.deepEqual([asked.by, asked.limit, asked.window_hours, asked.user_id], ['popular', 4, 48, 'ann']);
  assert.equal(asked.filter_query, 'price < 5');
  const filters = [`color = 'red'`];
  assert.deepEqual(origin, { placement: 'home', call, experiment, isPreview: true, filters, fallback: ['newest'] });
  const { warnings, ...rest } = parts.head;
  assert.deepEqual(rest, {
    placement: 'home',
    version: 3,
    variant: 'short',
    kind: 'user',
    rules: ['sale'],
    user_id: 'ann',
    limit: 4,
    attributes: ['color'],
    filter_query: 'price < 5',
    model_id: null,
    next_page_token: null,
    recommendation_id: 'rec_1',
  });
  assert.deepEqual(parts.itemIds, ['i1', 'i2', 'i3']);
  assert.deepEqual(parts.texts, [
    '{"item_id":"i1"},"filled":true',
    '{"item_id":"i2"},"pinned":true',
    '{"item_id":"i3"},"filled":true',
  ]);
  assert.deepEqual(
    warnings.map(({ code }) => code),
    ['NO_MODEL'],
  );
  assert.match(warnings[0].message, /this is what is popular/);

  const nulls = { window_hours: null, limit: null } as unknown as PlacementRequest;
  await modellessList({ top }, {} as Project, chosen, { call: nulls, rules, tops: ['popular'], room });
  assert.deepEqual([asked.limit, asked.window_hours], [4, 48], 'null leaves the defaults');

  const popular = { ...chosen, definition: { ...DEFINITION, kind: 'popular' as const } };
  const own = await modellessList({ top }, {} as Project, popular, { call, rules, tops: ['popular'], room });
  assert.deepEqual(
    own.texts,
    ['{"item_id":"i1"}', '{"item_id":"i2"},"pinned":true', '{"item_id":"i3"},"filled":true'],
    'only its fallbacks fill it',
  );
});

test('without a model a placement takes and refuses the same hours as with one', async () => {
  const list = (kind: string) =>
    callOf({ kind, fallback: ['trending', 'newest'] }, { head: {}, items: [], texts: [] }).respond(
      'acc_1',
      { project_id: 'prj_1', placement: 'home', window_hours: 500 },
      null,
    );
  assert.deepEqual(JSON.parse(String(await list('for_you'))).results, []);
  await assert.rejects(list('trending'), /window_hours must be at most 168/);
});

test('large lists are put together as bytes, and a page of them is refused beyond 32 MiB', async () => {
  const title = 'x'.repeat(MAX_RESPONSE_BYTES / 2);
  const head = { limit: 1, attributes: ['title'], next_page_token: null };
  const list = { head, items: [{ item_id: 'i1' }], texts: [JSON.stringify({ item_id: 'i1', title })] };
  const call = callOf({ kind: 'popular', fallback: [] }, list);
  const page = (...names: string[]) =>
    call.page('acc_1', { project_id: 'prj_1', placements: names.map((name) => ({ name })) }, null);
  const alone = await call.respond('acc_1', { project_id: 'prj_1', placement: 'home' }, null);
  assert.ok(Buffer.isBuffer(alone) && Buffer.isBuffer(await page('home')));
  assert.equal(JSON.parse(String(await page('home'))).placements[0].results[0].item.title.length, title.length);
  await assert.rejects(page('home', 'cart'), { code: 'ANSWER_TOO_LARGE' });
});

/** Calls of a placement in a project without a model, whose top list is this one. */
function callOf(definition: object, list: object): PlacementCall {
  const current = { version: 1, definition: { ...DEFINITION, defaults: {}, ...definition } };
  return new PlacementCall({
    rooms: new CallRooms(),
    deployed: { deploymentFor: () => Promise.reject(new AppError('NO_MODEL_DEPLOYED', 'No model is deployed.')) },
    projects: { get: async () => ({}) },
    placements: { get: async () => ({ name: 'home', current, experiment: null }) },
    top: { list: async () => list },
  } as unknown as PlacementCallParts);
}
