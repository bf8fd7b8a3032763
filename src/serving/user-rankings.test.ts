import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bought, TOY_ITEMS, TOY_NOW, toyEvents, toyRecommender } from '../../test/support/toy-catalog.ts';
import { toyModel } from '../../test/support/toy-model.ts';
import { systemRuntime } from '../base/runtime.ts';
import { AttributeProfiler } from '../cold-start/attribute-binning.ts';
import { LiftFitter } from '../cold-start/fit-lifts.ts';
import { TouchReader } from '../placements/touch-reader.ts';
import type { G1Recommender } from '../scoring/g1-recommender.ts';
import type { Store } from '../store/store.ts';
import { FilterSets } from './filter-sets.ts';
import type { ListQuestion } from './list-question.ts';
import { RankingCache } from './ranking-cache.ts';
import type { RankingModels } from './ranking-models.ts';
import type { UserChanges } from './user-changes.ts';
import { UserRankings } from './user-rankings.ts';

const SIDES = ['even', 'odd'];
const USER = { kind: 'user', objective: 'discover' };
const TOP = { kind: 'top', by: 'popular', windowHours: 24, eventType: 'buy' };

/** A model to which the sides of users and items matter: both are even or odd. */
function sidedRecommender() {
  const events = toyEvents();
  const profiler = new AttributeProfiler();
  for (const side of SIDES) profiler.observe({ side });
  const fitter = new LiftFitter(profiler.binnings(), TOY_ITEMS);
  const { itemIds } = toyModel(events);
  const users = Array.from({ length: 400 }, (_, n) => ({ side: SIDES[n % 2], item: `i${(n * 7) % TOY_ITEMS}` }));
  for (const { side } of users) fitter.countFeatures({ side });
  fitter.begin();
  users.forEach(({ side, item }, n) => {
    fitter.add(fitter.featuresOf({ side }), [itemIds.indexOf(item)], n % 4 < 2 ? 0 : 1);
  });
  return toyRecommender({ coldUsers: { ...fitter.finish()!, historyWeights: { counts: [1], weights: [1] } } });
}

/** A user with events, and a count of how often they are read. */
function stage(ranker: G1Recommender | null = null) {
  const recommender = toyRecommender();
  const { catalog } = recommender;
  const touches = new TouchReader(catalog, recommender.objectives);
  const generator = { recommender, catalog, touches, loadNo: 1, follower: { follow: () => true } };
  const project = { account_id: 'a', project_id: 'p', event_dataset_id: 'e', user_dataset_id: 'u' };
  const state = { reads: 0, isUnchanged: true, attributes: {} };
  const history = async () => {
    state.reads++;
    return bought(0, 3).map((event) => ({ ...event, user_no: 7 }));
  };
  const rankings = new UserRankings({
    store: { events: { history }, users: { get: async () => ({ attributes: state.attributes }) } } as unknown as Store,
    cache: new RankingCache(1_000_000),
    changes: { follow: () => ({ version: 1, isUnchanged: () => state.isUnchanged }) } as unknown as UserChanges,
    filters: new FilterSets(),
    topLists: { of: () => new Map() },
    runtime: { ...systemRuntime, nowMs: () => TOY_NOW },
  });
  const models = {
    project,
    deployment: 1,
    generator,
    ranker: ranker && { ...generator, recommender: ranker },
  } as unknown as RankingModels;
  const ask = async (change: object = {}) => {
    const question = {
      kinds: [USER],
      user_id: 'ann',
      limit: 3,
      filter: null,
      boosts: [],
      pins: [],
      diversity: null,
      shown: [],
      exclude_item_ids: [],
      exclude_event_types: [],
      exclude_seen: null,
      touch_days: 9,
      explain: false,
      ...change,
    } as unknown as ListQuestion;
    const before = state.reads;
    const { items } = await rankings.best(models, question);
    return { items: [...items], isKept: state.reads === before };
  };
  return { ask, state };
}

test('a list is kept until the events of its user change, and a shorter one is its beginning', async () => {
  const { ask, state } = stage();
  const first = await ask();
  assert.deepEqual([first.items.length, first.isKept], [3, false]);
  assert.deepEqual(await ask(), { items: first.items, isKept: true });
  assert.deepEqual(await ask({ limit: 2 }), { items: first.items.slice(0, 2), isKept: true });
  assert.equal((await ask({ user_id: 'bob' })).isKept, false);
  state.isUnchanged = false;
  assert.equal((await ask()).isKept, false);
});

test('a list that is chosen from more candidates the longer it is, is kept for its own length only', async () => {
  const { ask } = stage();
  const RELATED = { kind: 'related', itemIds: ['i0'], relation: 'similar' };
  for (const change of [{ kinds: [RELATED] }, { kinds: [USER, RELATED] }, { diversity: 0.5 }]) {
    assert.equal((await ask({ ...change, limit: 5 })).isKept, false);
    assert.equal((await ask({ ...change, limit: 5 })).isKept, true);
    assert.equal((await ask({ ...change, limit: 3 })).isKept, false, JSON.stringify(change));
  }
});

test('a list whose ranker reads attributes of users follows them', async () => {
  const { ask, state } = stage(sidedRecommender());
  for (const side of SIDES) {
    state.attributes = { side };
    const { items, isKept } = await ask({ limit: 1 });
    assert.deepEqual([items.map((item) => SIDES[item % 2]), isKept], [[side], false]);
  }
});

test('a visitor without an id shares no list with a user whose id is null', async () => {
  const { ask } = stage();
  await ask({ user_id: null });
  assert.equal((await ask({ user_id: 'null' })).isKept, false);
});

test('a list that rests on counts, or on what only the call knows, is made again for each call', async () => {
  const { ask } = stage();
  const changes: object[] = [
    { kinds: [USER, TOP] },
    { kinds: [TOP, USER] },
    { context: { device: 'phone' } },
    { session_events: [{ item_id: 'i1', event_type: 'buy' }] },
    { shown: ['i1'] },
    { tired: new Set([1]) },
    { explain: true },
  ];
  for (const change of changes) {
    for (let round = 0; round < 2; round++) assert.equal((await ask(change)).isKept, false, JSON.stringify(change));
  }
});
