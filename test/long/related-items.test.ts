// From items to items, as a person would: rivals instead of a good, accessories with it, the next volume after it. In the simulated
// shop these are three different lists, for known goods, new ones and several at once.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { Relation } from '../../src/domain/relation.ts';
import { createScorer } from '../../src/scoring/create-scorer.ts';
import { G1Recommender } from '../../src/scoring/g1-recommender.ts';
import type { Good } from '../support/shop-simulator/goods.ts';
import { type SimulatedShop, simulateShop } from '../support/shop-simulator/simulate-shop.ts';
import { type Trained, trainOn } from '../support/train-on.ts';

/** Nobody has touched it: only its attributes are known. */
const NEW_PHONE = { id: 'phone-new', attributes: { kind: 'durable', category: 'phone', brand: 'Alba', price: 420 } };

let shop: SimulatedShop;
let trained: Trained;

before(async () => {
  shop = simulateShop({ users: 500, days: 120, seed: 5 });
  trained = await trainOn({
    events: shop.eventRecords(),
    items: [...shop.itemRecords(), NEW_PHONE],
    users: shop.userRecords(),
    target: 'purchase',
  });
});

function related(relation: Relation, ids: string[], more: { limit?: number; user?: string; filter?: string } = {}) {
  const { recommender, catalog, historyOf } = trained;
  const user = more.user === undefined ? null : { history: historyOf(more.user), attributes: {} };
  const allow = more.filter === undefined ? null : catalog.itemsWith('category', more.filter);
  const items = ids.map((id) => catalog.indexOf(id));
  return recommender.related({ items, relation, limit: more.limit ?? 5, allow, user });
}

const idsOf = (list: ReturnType<typeof related>) => list.items.map(({ item_id }) => item_id);
const goodOf = (id: string): Good => (id === NEW_PHONE.id ? shop.shelves.get('phone-0') : shop.shelves.get(id));
const phones = () =>
  shop.goods.filter(({ category, releaseDay }) => category === 'phone' && releaseDay < 0).slice(0, 3);

test('instead of a phone come other phones', () => {
  for (const { id } of phones()) {
    const list = idsOf(related('similar', [id]));
    assert.ok(list.filter((other) => goodOf(other).category === 'phone').length >= 4, `${id}: ${list}`);
    assert.ok(!list.includes(id));
  }
});

test('with a phone comes the charger that fits it', () => {
  for (const phone of phones()) {
    const list = idsOf(related('together', [phone.id]));
    const charger = shop.shelves.accessoriesOf(phone)[0].id;
    assert.ok(list.slice(0, 2).includes(charger), `${phone.id}: ${list}`);
  }
});

test('after a volume comes the next one, and not the one before', () => {
  const list = idsOf(related('next', ['saga-0-volume-2']));
  assert.equal(list[0], 'saga-0-volume-3', String(list));
  assert.ok(!list.slice(0, 2).includes('saga-0-volume-1'), String(list));
});

test('a new phone that nobody has touched has rivals and a charger, and is itself a rival', () => {
  const rivals = idsOf(related('similar', [NEW_PHONE.id]));
  assert.ok(rivals.filter((other) => goodOf(other).category === 'phone').length >= 4, String(rivals));
  const withIt = idsOf(related('together', [NEW_PHONE.id]));
  assert.ok(
    withIt.slice(0, 3).some((id) => goodOf(id).category === 'charger'),
    String(withIt),
  );
  const lists = phones().map(({ id }) => idsOf(related('similar', [id], { limit: 10 })));
  assert.ok(
    lists.some((list) => list.includes(NEW_PHONE.id)),
    JSON.stringify(lists),
  );
});

test('several items lead to what goes with any of them', () => {
  const [phone] = phones();
  const laptop = shop.shelves.get('laptop-0');
  const list = idsOf(related('together', [phone.id, laptop.id], { limit: 4 }));
  for (const durable of [phone, laptop]) {
    assert.ok(list.includes(shop.shelves.accessoriesOf(durable)[0].id), `${durable.id}: ${list}`);
  }
});

test('a filter works inside the search, and the list is filled while allowed items exist', () => {
  const list = idsOf(related('similar', ['sofa-0'], { filter: 'coffee', limit: 8 }));
  assert.equal(list.length, shop.goods.filter(({ category }) => category === 'coffee').length);
  assert.ok(list.every((id) => goodOf(id).category === 'coffee'));
  const all = idsOf(related('next', ['sofa-0'], { limit: 500 }));
  assert.equal(new Set(all).size, all.length);
  assert.equal(all.length, trained.catalog.itemCount - 1);
});

test('with a user the list stays the relation’s, in the user’s order', () => {
  const owner = shop.shoppers.find(({ id }) => shop.stateOf(id).search?.category === 'phone') ?? shop.shoppers[0];
  const list = related('similar', ['phone-0'], { user: owner.id });
  assert.equal(list.relation, 'similar');
  assert.ok(idsOf(list).filter((id) => goodOf(id).category === 'phone').length >= 3, String(idsOf(list)));
});

test('explanations name the items that led there and add up to the score', () => {
  const { recommender, catalog, historyOf } = trained;
  const items = ['phone-0', 'laptop-0'].map((id) => catalog.indexOf(id));
  const user = { history: historyOf(shop.shoppers[0].id), attributes: {} };
  for (const relation of ['similar', 'together', 'next'] as const) {
    for (const { score, reasons } of recommender.related({ items, relation, limit: 5, user, explain: true }).items) {
      const sum = reasons!.reduce((total, { contribution }) => total + contribution, 0);
      assert.ok(Math.abs(sum - score) < 1e-4, JSON.stringify({ score, reasons }));
    }
  }
  const [charger] = recommender.related({ items, relation: 'together', limit: 1, explain: true }).items;
  assert.equal(charger.reasons![0].kind, 'related');
});

test('a model without relations recommends by taste', async () => {
  const { relations: _, ...model } = trained.model;
  const old = new G1Recommender(model, trained.catalog, createScorer);
  await old.settle();
  const item = trained.catalog.indexOf('phone-0');
  const { relation, items } = old.related({ items: [item], relation: 'together', limit: 5 });
  assert.equal(relation, 'similar');
  assert.equal(items.length, 5);
  assert.ok(items.every((found) => found.item !== item));
});

test('training says how good each relation is next to cosine and popularity', () => {
  const { relations } = trained.metrics!;
  for (const relation of ['similar', 'together', 'next'] as const) {
    const { ndcg, cosine, popularity, questions } = relations![relation]!;
    assert.ok(questions >= 20 && ndcg > popularity.ndcg && cosine.ndcg >= 0, `${relation} ${ndcg} ${popularity.ndcg}`);
  }
});
