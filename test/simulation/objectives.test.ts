// Objectives in a shop where everything is known: lists are what a person would expect who looks over the shopper's shoulder.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { UsedObjective } from '../../src/domain/objective.ts';
import type { Attributes } from '../../src/domain/record.ts';
import { type SessionEvent, withSession } from '../../src/history/session-events.ts';
import type { ItemList } from '../../src/placements/item-list.ts';
import { makeList } from '../../src/placements/make-list.ts';
import { listCall } from '../support/list-call.ts';
import type { Good } from '../support/shop-simulator/goods.ts';
import { SimulatedShop } from '../support/shop-simulator/simulate-shop.ts';
import { type Trained, trainOn } from '../support/train-on.ts';

const DAY = 86_400_000;
const shop = new SimulatedShop({ users: 250, days: 120 });
let trained: Trained;
let nowMs = 0;

before(async () => {
  for (const _ of shop.visits(110));
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
  const history = withSession(historyOf(shopper), session, { rules, nowMs });
  const attributes = shop.shoppers.find(({ id }) => id === shopper)?.attributes ?? {};
  return makeList(
    listCall({ generator: recommender, objective, history, nowMs, attributes, limit, ...(context && { context }) }),
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
  for (const { id } of shop.shoppers) {
    const bought = new Set(
      shop.events.filter((e) => e.shopper === id && e.type === 'purchase').map(({ good }) => good),
    );
    const touched = shop.events.filter(({ shopper, ts }) => shopper === id && ts > nowMs - 90 * DAY);
    const known = new Set([...bought, ...touched.map(({ good }) => good)]);
    for (const { id: good } of goodsOf(listFor(id, 'discover'))) assert.ok(!known.has(good), `${id} knows ${good}`);
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
  for (const { id } of shop.shoppers) {
    const goods = goodsOf(listFor(id, 'again', { limit: 50 }));
    const times = (good: Good) =>
      shop.events.filter((e) => e.shopper === id && e.type === 'purchase' && e.good === good.id).length;
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
  assert.ok(many <= one, `${many} beside twenty, ${one} beside one`);
});
