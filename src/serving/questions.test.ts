import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Project } from '../domain/project.ts';
import type { ListRequest } from '../placements/list-request.ts';
import { CallFilters } from './call-filters.ts';
import { type AskedList, compileList, foldList, NO_FILTERS, NOT_FILTERED, questionOf } from './questions.ts';

const PROJECT = { user_dataset_id: 'users' } as Project;
const NOW_MS = 1_800_000_000_000;
const KINDS: AskedList['kinds'] = [{ kind: 'user', objective: 'auto', isStrict: false }];

/** Filters over one user, and how often that user was read. */
function stage() {
  const seen = { reads: 0 };
  const users = {
    get: async (_: string, id: string) => {
      seen.reads++;
      return id === 'ann' ? { id, attributes: { city: 'Bonn' } } : null;
    },
  };
  const callFilters = new CallFilters({ users }, () => NOW_MS);
  const fold = async (request: Partial<ListRequest>, filters?: readonly string[]) => {
    const asked = { kinds: KINDS, request: request as ListRequest, filters };
    return foldList(callFilters, PROJECT, asked.request, compileList(callFilters, asked));
  };
  return { seen, callFilters, fold };
}

test('a list without filters and boosts compiles nothing', async () => {
  const { callFilters, fold } = stage();
  const compile = (request: Partial<ListRequest>, filters?: string[]) =>
    compileList(callFilters, { kinds: KINDS, request: request as ListRequest, filters });
  assert.equal(compile({}), NO_FILTERS);
  assert.equal(compile({ filter_query: '', boosts: [] }, []), NO_FILTERS);
  assert.equal(compile({ boosts: [{ filter_query: 'a = 1', factor: 2 }] }).boosts.length, 1);
  assert.equal(compile({ filter_query: 'a = 1' }, ['b = 2', '']).filters.length, 2);
  assert.throws(() => compile({ filter_query: 'a = ' }), { code: 'INVALID_FILTER' });
  assert.deepEqual(await fold({}), NOT_FILTERED);
});

test('all filters of a list must hold, and boosts are kept apart from them', async () => {
  const { fold } = stage();
  const one = await fold({ filter_query: 'a = 1', boosts: [{ filter_query: 'b = 2', factor: 3 }] });
  assert.deepEqual(one.filter!.filter, { kind: 'compare', attribute: 'a', operator: '=', value: 1 });
  assert.deepEqual(
    one.boosts.map(({ factor, filter }) => [factor, filter.filter]),
    [[3, { kind: 'compare', attribute: 'b', operator: '=', value: 2 }]],
  );
  const two = await fold({ filter_query: 'a = 1 OR a = 3' }, ['b = 2']);
  const { filter, key } = two.filter!;
  assert.equal(filter.kind, 'and');
  assert.equal(filter.kind === 'and' && filter.operands.length, 2);
  const keyOf = async (text: string) => (await fold({ filter_query: text })).filter!.key;
  assert.equal(key, `(${await keyOf('a = 1 OR a = 3')}) AND (${await keyOf('b = 2')})`);
});

test('a boost that changes nothing is left out, and the others keep their filters', async () => {
  const boosts = [1, 2, 3].map((n) => ({ filter_query: `b = ${n}`, factor: n }));
  const folded = await stage().fold({ boosts });
  assert.deepEqual(
    folded.boosts.map(({ factor, filter }) => [factor, 'value' in filter.filter && filter.filter.value]),
    [
      [2, 2],
      [3, 3],
    ],
  );
});

test('the user is read once, and only if a filter speaks of a user who has an id', async () => {
  const { seen, fold } = stage();
  await fold({ user_id: 'ann', filter_query: 'a = 1' }, ['b = 2']);
  await fold({ filter_query: 'city = user.city' });
  assert.equal(seen.reads, 0);
  const { filter } = await fold({ user_id: 'ann', filter_query: 'city = user.city' }, ['town = user.city']);
  assert.equal(seen.reads, 1);
  assert.match(filter!.key, /Bonn.*Bonn/s);
});

test('a question has what the request gives and the defaults of the rest', () => {
  const plain = questionOf({ kinds: KINDS, request: {} as ListRequest }, NOT_FILTERED, []);
  assert.deepEqual(plain, {
    kinds: KINDS,
    user_id: null,
    session_events: undefined,
    context: undefined,
    limit: 10,
    filter: null,
    boosts: [],
    pins: [],
    diversity: null,
    exclude_item_ids: [],
    exclude_event_types: [],
    exclude_seen: null,
    touch_days: plain.touch_days,
    shown: [],
    explain: false,
  });
  const given = {
    user_id: 'ann',
    session_events: [],
    context: { page: 'home' },
    limit: 3,
    diversity: 0.5,
    touch_days: 9,
    pins: [{ item_id: 'i1', position: 1 }],
    exclude_item_ids: ['i2'],
    exclude_event_types: ['view'],
    exclude_seen: false,
    explain: true,
  };
  const tired = new Set([7]);
  const full = questionOf({ kinds: KINDS, request: given as unknown as ListRequest, tired }, NOT_FILTERED, ['i9']);
  assert.deepEqual(full, { kinds: KINDS, ...given, filter: null, boosts: [], tired, shown: ['i9'] });
});
