// Objectives in a shop where everything is known: lists are what a person would expect who looks over the shopper's shoulder.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { UsedObjective } from '../../src/domain/objective.ts';
import type { Attributes } from '../../src/domain/record.ts';
import { type SessionEvent, withSession } from '../../src/history/session-events.ts';
import type { ItemList } from '../../src/placements/item-list.ts';
import { makeList } from '../../src/placements/make-list.ts';
import { listInputs } from '../support/list-inputs.ts';
import type { Good } from '../support/shop-simulator/goods.ts';
import { SimulatedShop } from '../support/shop-simulator/simulate-shop.ts';
import { type Trained, trainOn } from '../support/train-on.ts';

const DAY = 86_400_000;
const shop = new SimulatedShop({ users: 500, days: 120 });
let trained: Trained;
let nowMs = 0;

before(async () => {
  for (const _ of shop.visits(117));
  nowMs = shop.nowTs;
  trained = await trainOn({
    events: shop.eventRecords(),
    items: shop.goods.map(({ id, kind, category, brand }) => ({ id, attributes: { kind, category, brand } })),
    users: shop.userRecords(),
    target: 'purchase',
  });
});

interface Asked {
  readonly limit?: number;
  readonly session?: readonly SessionEvent[];
  readonly context?: Attributes;
}

function listFor(
  shopper: string,
  objective: UsedObjective,
  { limit = 10, session = [], context }: Asked = {},
): ItemList {
  const { recommender, historyOf } = trained;
  const rules = recommender.objectives;
  const history = withSession(historyOf(shopper), session, {
    rules,
    nowMs,
    itemOf: (id) => recommender.catalog.indexOf(id),
  });
  const attributes = shop.shoppers.find(({ id }) => id === shopper)?.attributes ?? {};
  return makeList(
    listInputs({ generator: recommender, objective, history, nowMs, attributes, limit, ...(context && { context }) }),
  );
}

/** The goods that meet the objective, in their order. */
function goodsOf({ items }: ItemList): Good[] {
  return items.filter(({ filled }) => !filled).map(({ item_id }) => shop.shelves.get(item_id));
}

const share = (hits: number, all: number) => hits / Math.max(1, all);
const searching = () =>
  shop.shoppers.filter(({ id }) => {
    const { search } = shop.stateOf(id);
    return search !== null && search.considered.size > 0;
  });

test('nothing that was bought, or touched lately, is shown as new', () => {
  const histories = Map.groupBy(shop.events, ({ shopper }) => shopper);
  for (const { id } of shop.shoppers) {
    const known = new Set(
      (histories.get(id) ?? [])
        .filter(({ type, ts }) => type === 'purchase' || ts > nowMs - 90 * DAY)
        .map(({ good }) => good),
    );
    for (const { id: good } of goodsOf(listFor(id, 'discover'))) assert.ok(!known.has(good), `${id} knows ${good}`);
  }
});

test('nobody is offered a sofa, a phone or a charger again, whatever the list is for', () => {
  const owners = shop.shoppers.filter(({ id }) => shop.stateOf(id).owned.size > 0);
  assert.ok(owners.length > 100, `${owners.length} own something`);
  assert.equal(trained.recommender.objectives.auto, 'any', 'people come back to coffee');
  for (const { id } of owners) {
    const { owned } = shop.stateOf(id);
    for (const objective of ['discover', 'any'] as const) {
      for (const good of goodsOf(listFor(id, objective))) assert.ok(!owned.has(good.id), `${id} owns ${good.id}`);
    }
  }
});

const durables = () => shop.goods.filter(({ kind, releaseDay }) => kind === 'durable' && releaseDay < 0);
/** Some of those who may want one of the category. */
const wanting = ({ category }: Good) =>
  shop.shoppers
    .filter(({ id }) => !shop.stateOf(id).ownedSince.has(category))
    .slice(0, 5)
    .map(({ id }) => id);

test('the charger goes with the phone', () => {
  const { recommender, catalog } = trained;
  const fits = (good: Good, accessory: Good) => accessory.goesWith === good.category && accessory.brand === good.brand;
  const together = durables().filter((good) => {
    const { items } = recommender.related({ items: [catalog.indexOf(good.id)], relation: 'together', limit: 3 });
    return items.some(({ item_id }) => fits(good, shop.shelves.get(item_id)));
  });
  assert.ok(share(together.length, durables().length) > 0.85, `${together.length} of ${durables().length}`);
  const hasIt = (good: Good, shopper: string, objective: UsedObjective) => {
    const session = ['view', 'purchase'].map((event_type) => ({ item_id: good.id, event_type }));
    return goodsOf(listFor(shopper, objective, { session, limit: 3 })).some((other) => fits(good, other));
  };
  for (const objective of ['any', 'discover'] as const) {
    const found = durables().filter((good) => hasIt(good, 'a visitor', objective));
    assert.ok(share(found.length, durables().length) > 0.75, `${objective}: ${found.length}`);
  }
  const asked = durables().flatMap((good) => wanting(good).map((shopper) => ({ good, shopper })));
  const found = asked.filter(({ good, shopper }) => hasIt(good, shopper, 'any'));
  assert.ok(share(found.length, asked.length) > 0.7, `${found.length} of ${asked.length}`);
});

test('who looks at a sofa sees its rivals', () => {
  const { recommender, catalog } = trained;
  for (const good of durables()) {
    const { items } = recommender.related({ items: [catalog.indexOf(good.id)], relation: 'similar', limit: 3 });
    for (const { item_id } of items) assert.equal(shop.shelves.get(item_id).category, good.category, good.id);
  }
  for (const objective of ['any', 'discover'] as const) {
    const found = durables().filter((good) => {
      const list = goodsOf(listFor('a visitor', objective, { session: [{ item_id: good.id }], limit: 3 }));
      return list.some((other) => other.category === good.category && other.id !== good.id);
    });
    assert.ok(share(found.length, durables().length) > 0.8, `${objective}: ${found.length}`);
  }
});

test('what a shopper compares is there to continue with', () => {
  const shoppers = searching();
  const continued = shoppers.filter(({ id }) => {
    const { considered } = shop.stateOf(id).search!;
    return goodsOf(listFor(id, 'continue', { limit: 5 })).some((good) => considered.has(good.id));
  });
  assert.ok(shoppers.length >= 20, `${shoppers.length} shoppers compare`);
  assert.ok(share(continued.length, shoppers.length) > 0.8, `${continued.length} of ${shoppers.length}`);
});

test('what a visitor without a name looks at is there to continue with, and not shown as new', () => {
  const session = ['sofa-0', 'sofa-1'].map((item_id) => ({ item_id }));
  const ids = (objective: UsedObjective) => goodsOf(listFor('a visitor', objective, { session })).map(({ id }) => id);
  assert.deepEqual(new Set(ids('continue')), new Set(['sofa-0', 'sofa-1']));
  assert.ok(!ids('discover').some((id) => ['sofa-0', 'sofa-1'].includes(id)));
});

test('coffee comes before the sofa among things to buy again, and what runs out next is there', () => {
  const purchases = Map.groupBy(
    shop.events.filter(({ type }) => type === 'purchase'),
    ({ shopper }) => shopper,
  );
  for (const { id } of shop.shoppers) {
    const goods = goodsOf(listFor(id, 'again', { limit: 50 }));
    const times = (item: Good) => (purchases.get(id) ?? []).filter(({ good }) => good === item.id).length;
    const coffee = goods.findIndex((good) => good.category === 'coffee' && times(good) >= 4);
    const sofa = goods.findIndex(({ category }) => category === 'sofa');
    if (coffee >= 0 && sofa >= 0) assert.ok(coffee < sofa, `${id}: ${goods.map((good) => good.id).join()}`);
  }
  const lists = new Map(shop.shoppers.map(({ id }) => [id, goodsOf(listFor(id, 'again', { limit: 5 }))]));
  const favorites = new Map(
    shop.shoppers.map(({ id, pantry }) => [id, new Set(pantry.map(({ favorite }) => favorite))]),
  );
  let found = 0;
  let all = 0;
  for (const visit of shop.visits(10)) {
    for (const { shopper, good, type } of visit.events) {
      if (type !== 'purchase' || !favorites.get(shopper)!.has(good)) continue;
      all++;
      if (lists.get(shopper)!.some(({ id }) => id === good)) found++;
    }
  }
  assert.ok(all >= 100, `${all} purchases`);
  assert.ok(share(found, all) > 0.8, `${found} of ${all}`);
});

test('a new good comes where its rivals come', () => {
  const { recommender, catalog } = trained;
  const bought = new Set(shop.events.filter(({ ts }) => ts < nowMs).map(({ good }) => good));
  const fresh = shop.goods.filter(({ id, kind }) => kind === 'durable' && !bought.has(id));
  assert.ok(fresh.length > 0);
  for (const { id, category } of fresh) {
    const rivals = shop.goods.filter((good) => good.category === category && bought.has(good.id));
    const items = rivals.map((good) => catalog.indexOf(good.id));
    const list = recommender.related({ items, relation: 'similar', limit: 5 }).items.map(({ item_id }) => item_id);
    assert.ok(list.includes(id), `${id} is not among ${list.join()}`);
  }
});

test('at the desk lists lean to durable goods, on the phone to novels', () => {
  const countOf = (device: string, kind: Good['kind']) => {
    const lists = shop.shoppers.map(({ id }) => goodsOf(listFor(id, 'discover', { context: { device } })));
    return lists.flat().filter((good) => good.kind === kind).length;
  };
  assert.ok(countOf('desktop', 'durable') > 1.2 * countOf('phone', 'durable'));
  assert.ok(countOf('phone', 'volume') > 1.2 * countOf('desktop', 'volume'));
});

test('attributes tell what a user with one event wants, and count less the more events there are', () => {
  const { recommender } = trained;
  const view = (item_id: string, n: number) => ({
    item_id,
    event_type: 'view',
    event_value: 1,
    ts: nowMs - n * 60_000,
  });
  const catFood = (household: string, items: readonly string[]) => {
    const user = { history: items.map(view), attributes: { household }, nowMs };
    const { items: found } = recommender.top(user, { limit: shop.goods.length });
    const scores = found.filter(({ item_id }) => item_id.startsWith('cat food')).map(({ score }) => score);
    return scores.reduce((sum, score) => sum + score, 0) / scores.length;
  };
  const gain = (items: readonly string[]) => catFood('cat', items) - catFood('baby', items);
  const one = gain(['tea-0']);
  assert.ok(one > 0, `${one}`);
  const many = gain(shop.goods.slice(0, 20).map(({ id }) => id));
  assert.ok(many <= one, `${many} next to twenty, ${one} next to one`);
});
