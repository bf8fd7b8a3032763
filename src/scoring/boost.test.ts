import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseFilter } from '../../test/support/parse-filter.ts';
import { bought, TOY_ITEMS, TOY_NOW, toyEvents, toyRecommender } from '../../test/support/toy-catalog.ts';
import { toyModel } from '../../test/support/toy-model.ts';
import { Catalog } from '../catalog/catalog.ts';
import { ItemSet } from '../catalog/item-set.ts';
import type { UserSignal } from '../history/user-signal.ts';
import { type Boost, logBoost, WarmBoosts } from './boost.ts';
import { createScorer } from './create-scorer.ts';
import { G1Recommender } from './g1-recommender.ts';
import type { Recommender } from './recommender.ts';
import { WarmItems } from './warm-items.ts';

const TAU = 3;
const recommender = toyRecommender({ calibration: { tau: TAU } });
const user: UserSignal = { history: bought(1), attributes: {}, nowMs: TOY_NOW };
const boostOf = (filter: string, factor: number): Boost => ({
  items: recommender.catalog.select(parseFilter(filter)),
  factor,
});

/** Chances of all items: the softmax of τ · score. */
function chances(model: Recommender, signal: UserSignal, tau: number, boosts: readonly Boost[]): Map<string, number> {
  const { items } = model.top(signal, { limit: TOY_ITEMS + 1, exclude: new Set(), boosts });
  const weights = items.map(({ item_id, score }): [string, number] => [item_id, Math.exp(tau * score)]);
  const sum = weights.reduce((total, [, weight]) => total + weight, 0);
  return new Map(weights.map(([id, weight]) => [id, weight / sum]));
}

test('a factor of 2 doubles the odds of each matching item compared with every other', () => {
  for (const [signal, tau] of [
    [user, TAU],
    [{ history: [], attributes: {} }, 1],
  ] as const) {
    for (const factor of [2, 0.5, 100, 0.01]) {
      const plain = chances(recommender, signal, tau, []);
      const boosted = chances(recommender, signal, tau, [boostOf("category = 'b'", factor)]);
      for (const matching of ['i6', 'i7']) {
        for (const other of ['i0', 'i5', 'i11']) {
          const odds = (chance: Map<string, number>) => chance.get(matching)! / chance.get(other)!;
          assert.ok(Math.abs(odds(boosted) / odds(plain) / factor - 1) < 1e-3, `${matching} beside ${other}`);
        }
      }
    }
  }
});

test('a visitor who takes items as the model says takes a boosted share accordingly', () => {
  const plain = chances(recommender, user, TAU, []);
  const boosted = chances(recommender, user, TAU, [boostOf("category = 'b'", 3)]);
  const share = (chance: Map<string, number>) => chance.get('i6')! + chance.get('i7')!;
  const expected = (3 * share(plain)) / (1 + 2 * share(plain));
  assert.ok(Math.abs(share(boosted) - expected) < 1e-4, `${share(boosted)} and not ${expected}`);
});

test('factors of several boosts multiply, and an item outside the plain list comes in', () => {
  const one = chances(recommender, user, TAU, [boostOf('n = 11', 6)]);
  const two = chances(recommender, user, TAU, [boostOf('n = 11', 2), boostOf("category = 'd' AND n > 10", 3)]);
  assert.ok(Math.abs(one.get('i11')! / two.get('i11')! - 1) < 1e-4);
  const top = (boosts: Boost[]) => recommender.top(user, { limit: 3, boosts }).items.map(({ item_id }) => item_id);
  assert.ok(!top([]).includes('i11'));
  assert.equal(top([boostOf('n = 11', 100), boostOf('n = 11', 100)])[0], 'i11');
});

test('reasons add up to the boosted score', () => {
  const boosts = [boostOf("category = 'b'", 4), boostOf('n = 6', 0.3)];
  for (const { score, reasons, item_id } of recommender.top(user, { limit: TOY_ITEMS, boosts, explain: true }).items) {
    const sum = reasons!.reduce((total, { contribution }) => total + contribution, 0);
    assert.ok(Math.abs(sum - score) < 1e-4, item_id);
    assert.equal(
      reasons!.some(({ kind }) => kind === 'boost'),
      item_id === 'i6' || item_id === 'i7',
    );
  }
});

test('items without events are boosted too, and lead to no boost of others', async () => {
  const catalog = new Catalog('items');
  for (let n = 0; n < TOY_ITEMS; n++) catalog.put(`i${n}`, { genre: n % 2 ? 'x' : 'y' });
  const model = new G1Recommender(toyModel(toyEvents(), { calibration: { tau: TAU } }), catalog, createScorer);
  catalog.put('new', { genre: 'x' });
  await model.settle();
  const chance = (boosts: readonly Boost[]) => chances(model, user, TAU, boosts);
  const isNew = { items: catalog.select(parseFilter("item_id = 'new'")), factor: 5 };
  const odds = (found: Map<string, number>) => found.get('new')! / found.get('i0')!;
  assert.ok(Math.abs(odds(chance([isNew])) / odds(chance([])) / 5 - 1) < 1e-3);
  const isOld = { items: catalog.select(parseFilter("genre = 'x' AND item_id != 'new'")), factor: 5 };
  assert.ok(Math.abs(odds(chance([isOld])) / odds(chance([])) - 1) < 1e-3);
});

test('candidates of a second model are boosted on its own scale', () => {
  const boosts = [boostOf('n = 4', 7)];
  const plain = recommender.scoreCandidates(user, [3, 4]);
  const boosted = recommender.scoreCandidates(user, [3, 4], { boosts });
  assert.equal(boosted[0], plain[0]);
  assert.ok(Math.abs(Math.exp(TAU * (boosted[1] - plain[1])) - 7) < 1e-3);
});

test('boosts of few and of very many items add up, and items that came after the model have no place among its scores', () => {
  const count = 200_000;
  const numbers = Uint32Array.from({ length: count / 2 }, (_, warm) => (warm * 7919) % count);
  const items = new WarmItems(numbers, count);
  const setOf = (isMember: (item: number) => boolean) => {
    const set = new ItemSet(count + 1000);
    for (let item = 0; item < count + 1000; item++) if (isMember(item)) set.set(item, true);
    return set;
  };
  const boosts = [
    { items: setOf((item) => item % 2 === 0), factor: 3 },
    { items: setOf((item) => item % 3 > 0), factor: 0.5 },
    { items: setOf((item) => item % 100 === 0), factor: 7 },
  ];
  const scores = new Float32Array(numbers.length).fill(1);
  new WarmBoosts(items).addTo(scores, boosts, 2);
  numbers.forEach((item, warm) => {
    const expected = 1 + 2 * logBoost(boosts, item);
    assert.ok(Math.abs(scores[warm] - expected) < 1e-5, `${scores[warm]} and not ${expected}`);
  });
});

test('the items of a boost are gone through once, however many of them the model does not know', () => {
  const count = 200_000;
  const numbers = Uint32Array.from({ length: 1000 }, (_, warm) => warm * 200);
  const all = ItemSet.upTo(count);
  let reads = 0;
  const items = {
    ...all,
    get words() {
      reads++;
      return all.words;
    },
  };
  const boosts = new WarmBoosts(new WarmItems(numbers, count));
  const scores = new Float32Array(numbers.length);
  boosts.addTo(scores, [{ items, factor: Math.E }], 1);
  const readsOfFirst = reads;
  boosts.addTo(scores, [{ items, factor: Math.E }], 1);
  assert.equal(reads, readsOfFirst);
  assert.deepEqual(scores, new Float32Array(numbers.length).fill(2));
});
