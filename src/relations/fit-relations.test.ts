// The simulated shop knows which goods are rivals, which go together and which follow each other: the three relations must be three
// different lists, each the right one.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type SimulatedShop, simulateShop } from '../../test/support/shop-simulator/simulate-shop.ts';
import { IdTable } from '../base/id-table.ts';
import { type EventTable, EventTableBuilder } from '../dataset/event-table.ts';
import { heldEvents } from '../dataset/training-events.ts';
import type { Relation } from '../domain/relation.ts';
import { KernelPool } from '../kernels/kernel-pool.ts';
import { type FittedRelations, fitRelations } from './fit-relations.ts';

const pool = new KernelPool(1);
let shop: SimulatedShop;
let table: EventTable;
let fitted: FittedRelations;

before(async () => {
  shop = simulateShop({ users: 800, days: 150, seed: 3 });
  table = tableOf(shop);
  fitted = await fitRelations(pool, heldEvents(table), 1);
});
after(() => pool.close());

function tableOf({ events }: SimulatedShop): EventTable {
  const itemIds = new IdTable();
  const types = ['view', 'cart', 'purchase'];
  const builder = new EventTableBuilder();
  const byShopper = Map.groupBy(events, ({ shopper }) => shopper);
  for (const own of byShopper.values()) {
    builder.beginUser();
    for (const { good, type, quantity, ts } of own.sort((a, b) => a.ts - b.ts)) {
      builder.add(itemIds.intern(good), types.indexOf(type), quantity, ts);
    }
  }
  return builder.finish({ itemIds, typeNames: types, targetType: 2 });
}

/** The first goods of a relation. */
function related(relation: Relation, good: string, count: number): string[] {
  const { offsets, columns } = fitted.rows[relation]!;
  const item = table.itemIds.indexOf(good);
  return [...columns.subarray(offsets[item], offsets[item + 1])]
    .slice(0, count)
    .map((other) => table.itemIds.at(other)!);
}

const bestsellers = (kind: string, count: number) =>
  shop.goods
    .filter((good) => good.kind === kind && good.releaseDay < 0)
    .sort((a, b) => b.appeal - a.appeal)
    .slice(0, count);

test('similar to a durable good are its rivals', () => {
  const lists = bestsellers('durable', 12).map((good) => ({ good, found: related('similar', good.id, 3) }));
  const rivals = lists.flatMap(({ good, found }) =>
    found.filter((id) => shop.shelves.get(id).category === good.category),
  );
  assert.ok(rivals.length >= 0.8 * 36, JSON.stringify(lists.map(({ good, found }) => [good.id, ...found])));
});

test('together with a durable good goes its accessory', () => {
  const lists = bestsellers('durable', 12).map((good) => ({ good, found: related('together', good.id, 1) }));
  const fitting = lists.filter(({ good, found }) => shop.shelves.accessoriesOf(good).some(({ id }) => id === found[0]));
  assert.ok(fitting.length >= 10, JSON.stringify(lists.map(({ good, found }) => [good.id, ...found])));
});

test('after a volume comes the next one', () => {
  const volumes = shop.goods.filter(({ kind, volume }) => kind === 'volume' && volume! < 4);
  const right = volumes.filter(
    ({ id, series, volume }) => related('next', id, 1)[0] === `${series}-volume-${volume! + 1}`,
  );
  assert.ok(right.length >= 0.8 * volumes.length, `${right.length} of ${volumes.length}`);
});

test('each relation finds more of the held-out visits than popularity, and says so next to cosine', () => {
  for (const relation of ['similar', 'together', 'next'] as const) {
    const { questions, ndcg, popularity, cosine } = fitted.metrics[relation]!;
    assert.ok(questions >= 20, `${relation}: ${questions} questions`);
    assert.ok(ndcg > popularity.ndcg, JSON.stringify({ relation, ...fitted.metrics[relation] }));
    assert.ok(cosine.ndcg > 0 && cosine.recall <= 1);
  }
});

test('values lie between 0 and 1, the strongest first, and an item is never related to itself', () => {
  for (const rows of Object.values(fitted.rows)) {
    for (let item = 0; item < rows.rowCount; item++) {
      const own = rows.values.subarray(rows.offsets[item], rows.offsets[item + 1]);
      assert.ok(own.every((value, n) => value > 0 && value <= 1 && (n === 0 || value <= own[n - 1])));
      assert.ok(!rows.columns.subarray(rows.offsets[item], rows.offsets[item + 1]).includes(item));
    }
  }
});

test('the same on two threads', async () => {
  const two = new KernelPool(2);
  try {
    assert.deepEqual((await fitRelations(two, heldEvents(table), 1)).rows, fitted.rows);
  } finally {
    await two.close();
  }
});

test('without order there is no next, and without visits no together', async () => {
  const builder = (ts: (n: number) => number) => {
    const builder = new EventTableBuilder();
    for (let user = 0; user < 60; user++) {
      builder.beginUser();
      for (let n = 0; n < 6; n++) builder.add((user + n) % 20, 0, 1, ts(n));
    }
    const itemIds = Array.from({ length: 20 }, (_, n) => `i${n}`);
    return heldEvents(builder.finish({ itemIds, typeNames: ['buy'], targetType: 0 }));
  };
  const set = await fitRelations(
    pool,
    builder(() => 0),
    1,
  );
  assert.deepEqual(Object.keys(set.rows), ['similar', 'together']);
  const order = await fitRelations(
    pool,
    builder((n) => n),
    1,
  );
  assert.deepEqual(Object.keys(order.rows), ['similar', 'next']);
});

test('a script that orders every hour does not say what goes together', async () => {
  const builder = new EventTableBuilder();
  const HOUR_MS = 3_600_000;
  const start = 1_700_000_000_000;
  // People take several of the four items of a shelf; the script takes items of four different ones.
  for (let user = 0; user < 300; user++) {
    builder.beginUser();
    for (let n = 0; n < 3; n++)
      builder.add((user % 10) * 4 + ((user + n) % 4), 0, 1, start + user * HOUR_MS + n * 60_000);
  }
  builder.beginUser();
  for (let visit = 0; visit < 1000; visit++) {
    for (let n = 0; n < 4; n++) builder.add((visit % 10) + 10 * n, 0, 1, start + visit * HOUR_MS + n * 1000);
  }
  const itemIds = Array.from({ length: 40 }, (_, n) => `i${n}`);
  const events = heldEvents(builder.finish({ itemIds, typeNames: ['buy', 'view'], targetType: 0 }));
  const { offsets, columns } = (await fitRelations(pool, events, 1)).rows.together!;
  const right = itemIds.filter((_, item) => Math.floor(columns[offsets[item]] / 4) === Math.floor(item / 4));
  assert.ok(right.length >= 38, `${right.length} of 40`);
});
