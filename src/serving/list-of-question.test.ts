import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TOY_NOW, toyRecommender } from '../../test/support/toy-catalog.ts';
import { itemHash } from '../base/id-hash.ts';
import type { ListKind } from '../placements/list-request.ts';
import type { TopLists } from '../placements/top-list.ts';
import { TouchReader } from '../placements/touch-reader.ts';
import { makeListOf } from './list-of-question.ts';
import type { ListQuestion } from './list-question.ts';
import type { RankingModels } from './ranking-models.ts';

const TOP = { kind: 'top', by: 'popular', windowHours: 24, eventType: 'buy' } as unknown as ListKind;

/** The items of a list over twelve items, of which the highest numbers are on top. */
async function listed(change: Partial<ListQuestion>, allowed: readonly number[] | null) {
  const recommender = toyRecommender();
  const { catalog } = recommender;
  const generator = { recommender, catalog, touches: new TouchReader(catalog, recommender.objectives) };
  const asked: { by: string; windowHours: number | null; limit: number }[] = [];
  const topLists = {
    list: async ({ by, windowHours, filter, limit }: Parameters<TopLists['list']>[0]) => {
      asked.push({ by, windowHours: windowHours ?? null, limit });
      const all = Array.from({ length: 12 }, (_, n) => ({ item_id: `i${11 - n}`, score: 12 - n }));
      return all.filter(({ item_id }) => filter?.(item_id) ?? true).slice(0, limit);
    },
  } as TopLists;
  const question = {
    kinds: [TOP],
    user_id: null,
    limit: 3,
    filter: null,
    boosts: [],
    pins: [],
    diversity: null,
    exclude_item_ids: [],
    exclude_event_types: [],
    exclude_seen: null,
    touch_days: 9,
    shown: [],
    explain: false,
    ...change,
  } as unknown as ListQuestion;
  const words = allowed === null ? null : Uint32Array.of(allowed.reduce((bits, item) => bits | (1 << item), 0));
  const { list, objective } = await makeListOf(question, {
    models: { project: { account_id: 'a', project_id: 'p' }, generator, ranker: null } as unknown as RankingModels,
    stored: [],
    attributes: {},
    boosts: [],
    topLists,
    nowMs: TOY_NOW,
    allow: words && { words, count: allowed!.length, revision: 0 },
  });
  return { items: list.items.map(({ item }) => catalog.itemId(item)), objective, asked };
}

test('a top list is filled with what the call allows, however far down it is', async () => {
  const { items, objective, asked } = await listed(
    { exclude_item_ids: ['i4', 'nobody'], shown: ['i3'] },
    [0, 1, 2, 3, 4, 5],
  );
  assert.deepEqual(items, ['i5', 'i2', 'i1']);
  assert.equal(objective, null);
  assert.deepEqual(
    asked.map(({ by, windowHours }) => [by, windowHours]),
    [['popular', 24]],
  );
});

test('a top list without conditions is the beginning of the list', async () => {
  assert.deepEqual((await listed({}, null)).items, ['i11', 'i10', 'i9']);
});

test('a top list that is spread or boosted chooses among more', async () => {
  const [plain] = (await listed({}, null)).asked;
  const [spread] = (await listed({ diversity: 0.5 }, null)).asked;
  assert.ok(plain.limit < 1000);
  assert.equal(spread.limit, 1000);
});

test('items that the user has seen too often come last, and only if nothing else is left', async () => {
  const tired = new Set(['i10', 'i9'].map(itemHash));
  assert.deepEqual((await listed({ tired }, null)).items, ['i11', 'i8', 'i7']);
  assert.deepEqual((await listed({ tired }, [8, 10])).items, ['i8', 'i10']);
});
