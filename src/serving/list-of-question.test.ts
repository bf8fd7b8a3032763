import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TOY_NOW, toyRecommender } from '../../test/support/toy-catalog.ts';
import { itemHash } from '../base/id-hash.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { Project } from '../domain/project.ts';
import type { ListKind } from '../placements/list-request.ts';
import { TouchReader } from '../placements/touch-reader.ts';
import type { CatalogFollower } from './catalog-follower.ts';
import { makeListOf } from './list-of-question.ts';
import type { ListQuestion } from './list-question.ts';
import type { RankingModels } from './ranking-models.ts';
import { TopLists } from './top-lists.ts';

const TOP: ListKind = { kind: 'top', by: 'popular', windowHours: null, eventType: 'buy' };

interface Boosted {
  readonly item_id: string;
  readonly factor: number;
}

/** The items of a list over twelve items, of which the highest numbers are on top, and `more`, which come first. */
async function listed(
  change: Partial<ListQuestion>,
  { allowed = null, boosted = [], more = 0 }: { allowed?: number[] | null; boosted?: Boosted[]; more?: number } = {},
) {
  const recommender = toyRecommender();
  const { catalog } = recommender;
  const generator = { recommender, catalog, touches: new TouchReader(catalog, recommender.objectives) };
  for (let n = 0; n < more; n++) catalog.put(`more${n}`, { category: 'more' });
  const asked: unknown[] = [];
  const itemIds = [
    ...Array.from({ length: more }, (_, n) => `more${n}`),
    ...Array.from({ length: 12 }, (_, n) => `i${11 - n}`),
  ];
  const counted = {
    list: async (_: Project, request: object) => {
      asked.push(request);
      return { itemIds, scores: itemIds.map((_, n) => itemIds.length - n) };
    },
  };
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
  const { list, objective } = makeListOf(question, {
    models: { project: { account_id: 'a', project_id: 'p' }, generator, ranker: null } as unknown as RankingModels,
    stored: [],
    attributes: {},
    boosts: boosted.map(({ item_id, factor }) => ({ items: setOf(catalog, item_id), factor })),
    top: await new TopLists(counted).of({} as Project, question.kinds, { catalog } as CatalogFollower),
    nowMs: TOY_NOW,
    allow: words && { words, count: allowed!.length, revision: 0 },
  });
  return { items: list.items.map(({ item }) => catalog.itemId(item)), objective, asked };
}

function setOf(catalog: Catalog, itemId: string) {
  return catalog.select({ kind: 'compare', attribute: 'item_id', operator: '=', value: itemId });
}

test('a top list is filled with what the call allows, however far down it is', async () => {
  const { items, objective, asked } = await listed(
    { exclude_item_ids: ['i4', 'nobody'], shown: ['i3'] },
    { allowed: [0, 1, 2, 3, 4, 5] },
  );
  assert.deepEqual(items, ['i5', 'i2', 'i1']);
  assert.equal(objective, null);
  assert.deepEqual(asked, [{ by: 'popular', windowHours: 168, eventType: 'buy' }]);
});

test('a top list without conditions is the beginning of the list', async () => {
  assert.deepEqual((await listed({})).items, ['i11', 'i10', 'i9']);
});

test('caps, boosts and objectives choose among the whole list', async () => {
  const capped = await listed({ diversity: { max_per: { category: 1 } }, limit: 6 }, { more: 1500 });
  assert.deepEqual(capped.items, ['more0', 'i11', 'i9', 'i7', 'i5']);
  // Scores fall by 1 from item to item: i7 scores 8, and i5 6.
  const boosted = [
    { item_id: 'i7', factor: 100 },
    { item_id: 'i5', factor: 100 },
    { item_id: 'more0', factor: 0.01 },
  ];
  assert.deepEqual((await listed({}, { boosted, more: 700 })).items, ['i7', 'more1', 'more2']);
  assert.deepEqual((await listed({}, { boosted })).items, ['i7', 'i5', 'i11']);
  const session_events = [{ item_id: 'i2', event_type: 'buy' }];
  const again = await listed({ kinds: [{ ...TOP, objective: 'again' }], session_events }, { more: 1500 });
  assert.deepEqual(again.items, ['i2', 'more0', 'more1']);
});

test('items that the user has seen too often come last, and only if nothing else is left', async () => {
  const tired = new Set(['i10', 'i9'].map(itemHash));
  assert.deepEqual((await listed({ tired })).items, ['i11', 'i8', 'i7']);
  assert.deepEqual((await listed({ tired }, { allowed: [8, 10] })).items, ['i8', 'i10']);
});
