import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ClickModel } from './click-model.ts';
import { ACCESSORY_OF, TREND_DAYS } from './goods.ts';
import { SimulatedShop, simulateShop } from './simulate-shop.ts';
import { DAY_MS } from './visits.ts';

const shop = simulateShop({ users: 200, days: 90 });
const purchases = shop.events.filter(({ type }) => type === 'purchase');
const kindOf = (good: string) => shop.shelves.get(good).kind;

test('the same options give the same events, another seed gives others', () => {
  const again = simulateShop({ users: 200, days: 90 });
  assert.deepEqual(again.eventRecords(), shop.eventRecords());
  assert.notDeepEqual(simulateShop({ users: 200, days: 90, seed: 2 }).events.slice(0, 50), shop.events.slice(0, 50));
});

test('nobody buys a second durable good of a category, or an accessory twice', () => {
  const bought = new Set<string>();
  for (const { shopper, good } of purchases) {
    const { kind, category, id } = shop.shelves.get(good);
    if (kind !== 'durable' && kind !== 'accessory') continue;
    const what = `${shopper} ${kind === 'durable' ? category : id}`;
    assert.ok(!bought.has(what), `${what} was bought twice`);
    bought.add(what);
  }
  assert.ok(bought.size > 200);
});

test('consumables are bought again, mostly the favorite, when they run out', () => {
  const gaps: number[] = [];
  let favorites = 0;
  let all = 0;
  for (const { id, pantry } of shop.shoppers) {
    for (const { category, favorite, intervalDays } of pantry) {
      const own = purchases.filter(
        ({ shopper, good }) => shopper === id && shop.shelves.get(good).category === category,
      );
      all += own.length;
      favorites += own.filter(({ good }) => good === favorite).length;
      for (const [n, { ts }] of own.slice(1).entries()) gaps.push((ts - own[n].ts) / DAY_MS / intervalDays);
    }
  }
  assert.ok(favorites / all > 0.7, `${favorites} of ${all} purchases are of the favorite`);
  const inTime = gaps.filter((gap) => gap > 0.8);
  assert.ok(inTime.length / gaps.length > 0.85, `${inTime.length} of ${gaps.length} come when it is due`);
});

test('accessories go into the basket of the durable good that they fit', () => {
  const accessories = purchases.filter(({ good }) => kindOf(good) === 'accessory');
  for (const { shopper, good, ts } of accessories) {
    const { goesWith, brand } = shop.shelves.get(good);
    const durable = purchases.find((other) => {
      const bought = shop.shelves.get(other.good);
      return other.shopper === shopper && bought.category === goesWith && bought.brand === brand;
    });
    assert.ok(durable !== undefined && durable.ts < ts && ts - durable.ts < 30 * 60_000, `${shopper} ${good}`);
  }
  assert.equal(
    new Set(accessories.map(({ good }) => shop.shelves.get(good).category)).size,
    Object.keys(ACCESSORY_OF).length,
  );
});

test('volumes are bought in their order, each once', () => {
  const reached = new Map<string, number>();
  for (const { shopper, good } of purchases) {
    const { series, volume } = shop.shelves.get(good);
    if (series === undefined) continue;
    const key = `${shopper} ${series}`;
    assert.equal(volume, (reached.get(key) ?? 0) + 1);
    reached.set(key, volume!);
  }
  assert.ok([...reached.values()].some((volume) => volume >= 4));
});

test('goods are not touched before they come, and trends rise in their days', () => {
  const start = shop.nowTs - shop.days * DAY_MS;
  const dayOf = (ts: number) => Math.floor((ts - start) / DAY_MS);
  for (const { good, ts } of shop.events) assert.ok(shop.shelves.get(good).releaseDay <= dayOf(ts));
  for (const { id, trend } of shop.goods) {
    if (trend === undefined) continue;
    const own = shop.events.filter(({ good }) => good === id);
    const during = own.filter(({ ts }) => dayOf(ts) >= trend[0]).length / TREND_DAYS;
    const before = own.filter(({ ts }) => dayOf(ts) < trend[0]).length / trend[0];
    assert.ok(during > 3 * before, `${id}: ${during} a day after ${before}`);
  }
});

test('the phone is for reading, the desk for durable goods', () => {
  const share = (kind: string) => {
    const own = purchases.filter(({ good }) => kindOf(good) === kind);
    return own.filter(({ device }) => device === 'phone').length / own.length;
  };
  assert.ok(share('volume') > 0.8 && share('durable') < 0.2);
});

test('clicks follow their chances, and the ledger knows each of them', () => {
  const live = new SimulatedShop({ users: 300, days: 60 }).run(30);
  const model = new ClickModel(live.shelves);
  let clicked = 0;
  let lists = 0;
  for (const { state, day } of live.visits(30)) {
    const goods = live.goods.filter(({ releaseDay }) => releaseDay <= day).slice(lists % 100, (lists % 100) + 10);
    const shown = {
      recommendationId: `r${lists++}`,
      placement: 'home',
      variant: 'a',
      goods: goods.map(({ id }) => id),
    };
    clicked += model.show(state, day, shown).length;
  }
  const line = model.ledger.get('home/a')!;
  assert.equal(line.served, lists);
  assert.equal(line.clicked, clicked);
  assert.ok(Math.abs(line.clicked - line.expectedClicks) < 4 * Math.sqrt(line.expectedClicks), JSON.stringify(line));
});
