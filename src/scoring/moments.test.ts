// A model with a scoring for each moment: which one a call gets, whatever else is in the catalog.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ToyEvent, toyModel } from '../../test/support/toy-model.ts';
import type { MomentScoring } from '../artifact/g1-model.ts';
import { DAY_MS } from '../base/durations.ts';
import { seededRandom } from '../base/seeded-random.ts';
import { Catalog } from '../catalog/catalog.ts';
import type { UserSignal } from '../history/user-signal.ts';
import type { Source } from '../placements/item-list.ts';
import { givenSource } from '../placements/item-sources.ts';
import { userSources } from '../placements/user-sources.ts';
import { createScorer } from './create-scorer.ts';
import { G1Recommender } from './g1-recommender.ts';
import type { TopRequest } from './recommender.ts';

const ITEMS = 30;
const NOW = 1_800_000_000_000;
const MINUTE = 60_000;

/** Users take items that are five apart, those with small numbers more often. */
function toyEvents(): ToyEvent[] {
  const { next: chance } = seededRandom(2);
  return Array.from({ length: 600 }, (_, n) => ({
    user: `u${n % 60}`,
    item: `i${(n % 5) + 5 * Math.floor(chance() ** 2 * (ITEMS / 5))}`,
  }));
}

const scoringOf = (walk: number, popularity: number): MomentScoring => ({
  blend: { weights: [walk, popularity], transform: { kind: 'linear' } },
  ranker: null,
});

/** Weights for both experts (three logarithms each), the newest item of the first expert, and facts of items. */
const RANKER = {
  candidates: 20,
  deep: [0],
  weights: Array.from({ length: 3 * 2 + 24 }, (_, n) => ((n * 7) % 5) / 5),
  bias: new Float32Array(ITEMS),
};

async function recommenderWith(newItem: boolean, ranker: MomentScoring['ranker'] = null): Promise<G1Recommender> {
  const model = toyModel(toyEvents(), {
    moments: {
      arriving: { ...scoringOf(1, 0.1), ranker },
      browsing: scoringOf(0, 1),
      discovering: scoringOf(-1, 0.001),
      discovering_browsing: scoringOf(-0.1, 1),
    },
    blend: scoringOf(1, 0.1).blend,
    objectives: { auto: 'any', touchStrengths: {}, visitGapMs: 30 * MINUTE, againHalfLifeDays: 90 },
    repeats: { rate: 0.5, recommendSeen: true },
  });
  const catalog = new Catalog('items');
  for (let n = 0; n < ITEMS; n++) catalog.put(`i${n}`, { n });
  if (newItem) catalog.put('new', { color: 'green', n: 3 });
  const recommender = new G1Recommender(model, catalog, createScorer);
  await recommender.settle();
  return recommender;
}

const userAgo = (agoMs: number): UserSignal => ({
  history: ['i2', 'i7'].map((item_id) => ({ item_id, event_type: 'buy', event_value: 1, ts: NOW - agoMs })),
  attributes: {},
  nowMs: NOW,
});

test('a new item in the catalog changes neither the scoring of a call nor the order of the other items', async () => {
  const plain = await recommenderWith(false);
  const grown = await recommenderWith(true);
  const ids = (recommender: G1Recommender, user: UserSignal, request: Partial<TopRequest> = {}) =>
    recommender
      .top(user, { limit: ITEMS + 1, exclude: new Set(), ...request })
      .items.map(({ item_id }) => item_id)
      .filter((id) => id !== 'new');
  const lists = new Set<string>();
  for (const [user, request] of [
    [userAgo(60 * MINUTE), {}],
    [userAgo(MINUTE), {}],
    [userAgo(60 * MINUTE), { discovers: true }],
    [userAgo(MINUTE), { discovers: true }],
  ] as const) {
    const list = ids(plain, user, request);
    assert.equal(list.length, ITEMS);
    assert.deepEqual(ids(grown, user, request), list);
    lists.add(list.join());
  }
  assert.equal(lists.size, 4, 'arriving and browsing, for all or for what is new, are four questions');
});

test('given items have the scores of the list, whatever the moment and whether only what is new is wanted', async () => {
  const recommender = await recommenderWith(true);
  for (const agoMs of [60 * MINUTE, MINUTE]) {
    for (const discovers of [true, false]) {
      const user = userAgo(agoMs);
      const { items } = recommender.top(user, { limit: ITEMS + 1, exclude: new Set(), discovers });
      const numbers = items.map(({ item }) => item);
      assert.deepEqual(
        [...recommender.scoreCandidates(user, numbers, { discovers })],
        items.map(({ score }) => score),
      );
    }
  }
});

test('a model as its own ranker changes no list, and its ranking of a list is the list', async () => {
  const generator = await recommenderWith(true);
  for (const [agoMs, objective] of [
    [60 * MINUTE, 'discover'],
    [MINUTE, 'discover'],
    [60 * MINUTE, 'any'],
  ] as const) {
    const user = { ...userAgo(agoMs), nowMs: NOW };
    const search = { room: 20, allow: null, exclude: new Set<number>(), boosts: [], explain: false };
    const about = { generator, user, touches: new Map(), nowMs: NOW, touchMs: DAY_MS, excludeSeen: false };
    const scoresOf = (source: Source) => source(search).items.map(({ score }) => score);
    const [plain] = userSources(objective, { ...about, ranker: null });
    const [ranked] = userSources(objective, { ...about, ranker: generator });
    assert.deepEqual(scoresOf(ranked), scoresOf(plain));
    const items = plain(search).items.map(({ item }) => item);
    const given = givenSource({
      generator,
      ranker: null,
      user,
      discovers: objective === 'discover',
      items: items.toReversed(),
    });
    assert.deepEqual(scoresOf(given), scoresOf(plain));
  }
});

test('a dislike moves a new item among ranked ones as far as it moves the items most like it', async () => {
  const recommender = await recommenderWith(true, RANKER);
  const { coldItems, itemOfWarm } = recommender.itemLayout;
  const alike = coldItems.groups.neighborsOf(coldItems.groupOf(recommender.catalog.indexOf('new')));
  const scoresOf = (disliked: readonly string[]) => {
    const user = userAgo(60 * MINUTE);
    const events = disliked.map((item_id) => ({ item_id, event_type: 'buy', event_value: -1, ts: NOW - 90 * MINUTE }));
    const signal = { ...user, history: [...user.history, ...events] };
    const { items } = recommender.top(signal, { limit: ITEMS + 1, exclude: new Set() });
    return new Map(items.map(({ item_id, score }) => [item_id, score]));
  };
  const before = scoresOf([]);
  const after = scoresOf(['i13']);
  const movedBy = (id: string) => after.get(id)! - before.get(id)!;
  const ofAlike = Array.from(alike, (warm) => movedBy(recommender.catalog.itemId(itemOfWarm[warm])));
  const mean = ofAlike.reduce((sum, by) => sum + by, 0) / ofAlike.length;
  assert.ok(mean < 0 && Math.abs(movedBy('new') - mean) < 1e-5, `${movedBy('new')}, others ${ofAlike}`);
});
