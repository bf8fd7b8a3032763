// Tables of the same events are equal, however they were written and whatever users and items are called.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '../../test/support/fast-check.ts';
import { seededRandom } from '../base/seeded-random.ts';
import { inCanonicalOrder } from './canonical-order.ts';
import { type EventTable, EventTableBuilder } from './event-table.ts';

interface Row {
  readonly user: string;
  readonly item: string;
  readonly type: string;
  readonly value: number;
  readonly ts: number;
}

/** Users, items and types are numbered as they come. */
function tableOf(rows: readonly Row[], target = 'buy'): { table: EventTable; users: string[] } {
  const itemIds = [...new Set(rows.map(({ item }) => item))];
  const typeNames = [...new Set([...rows.map(({ type }) => type), target])];
  const builder = new EventTableBuilder();
  const byUser = Map.groupBy(rows, ({ user }) => user);
  for (const own of byUser.values()) {
    builder.beginUser();
    for (const { item, type, value, ts } of own.toSorted((a, b) => a.ts - b.ts))
      builder.add(itemIds.indexOf(item), typeNames.indexOf(type), value, ts);
  }
  const ids = Object.assign(itemIds, { indexOf: (id: string) => Array.prototype.indexOf.call(itemIds, id) });
  const table = builder.finish({ itemIds: ids, typeNames, targetType: typeNames.indexOf(target) });
  return { table, users: [...byUser.keys()] };
}

async function canonical(rows: readonly Row[]) {
  const { table: given, users } = tableOf(rows);
  const { table, formerRows } = await inCanonicalOrder(given);
  const { itemIds, ...columns } = table;
  return {
    columns,
    items: Array.from({ length: itemIds.length }, (_, item) => itemIds.at(item)!),
    users: Array.from(formerRows, (row) => users[row]),
  };
}

function shuffled<T>(list: readonly T[], seed: number): T[] {
  const { next } = seededRandom(seed);
  return list
    .map((one) => ({ one, at: next() }))
    .sort((a, b) => a.at - b.at)
    .map(({ one }) => one);
}

const row = fc.record({
  user: fc.integer({ min: 0, max: 9 }).map((n) => `u${n}`),
  item: fc.integer({ min: 0, max: 6 }).map((n) => `i${n}`),
  type: fc.constantFrom('buy', 'view', 'cart'),
  value: fc.constantFrom(1, 1, 2.5, -1),
  ts: fc.integer({ min: 1, max: 40 }),
});
/** No user has two events at the same time: otherwise their order of writing would decide which was first. */
const rows = fc.uniqueArray(row, { minLength: 1, maxLength: 60, selector: ({ user, ts }) => `${user} ${ts}` });

test('rows in another order give the same table, with the same ids', async () => {
  await fc.assert(
    fc.asyncProperty(rows, fc.integer(), async (events, seed) => {
      const { users, ...first } = await canonical(events);
      const { users: others, ...second } = await canonical(shuffled(events, seed));
      assert.deepEqual(second, first);
      assert.equal(others.length, users.length);
    }),
    { numRuns: 200 },
  );
});

test('events of equal time keep the order in which they were written, and it does not change the numbers of users and items', async () => {
  const events = Array.from({ length: 40 }, (_, n) => ({
    user: `u${n % 7}`,
    item: `i${(n * n) % 11}`,
    type: 'buy',
    value: 1,
    ts: 5,
  }));
  const first = await canonical(events);
  const second = await canonical(events.toReversed());
  assert.deepEqual(second.items, first.items);
  assert.deepEqual(second.users, first.users);
  const ofUser = ({ columns, items }: typeof first, user: number) =>
    Array.from(columns.item.subarray(columns.userOffsets[user], columns.userOffsets[user + 1]), (item) => items[item]);
  for (const user of first.users.keys()) assert.deepEqual(ofUser(second, user), ofUser(first, user).toReversed());
});

for (const hasTimes of [true, false]) {
  test(`other ids give the same table ${hasTimes ? 'with' : 'without'} times`, async () => {
    const { next, below } = seededRandom(5);
    const events = Array.from({ length: 900 }, (_, n) => ({
      user: `u${Math.floor(next() ** 2 * 80)}`,
      item: `i${Math.floor(next() ** 2 * 40)}`,
      type: ['buy', 'view'][below(2)],
      value: 1,
      ts: hasTimes ? n : 0,
    }));
    const distinct = [...new Map(events.map((event) => [`${event.user} ${event.item} ${event.type}`, event])).values()];
    const userId = (user: string) => `customer ${(Number(user.slice(1)) * 7919) % 1009}`;
    const itemId = (item: string) => `sku ${(Number(item.slice(1)) * 7919) % 1013}`;
    const renamed = distinct.map((event) => ({ ...event, user: userId(event.user), item: itemId(event.item) }));
    const first = await canonical(distinct);
    const second = await canonical(hasTimes ? shuffled(renamed, 3) : renamed);
    assert.deepEqual(second.columns, first.columns);
    assert.deepEqual(second.items, first.items.map(itemId));
    assert.deepEqual(second.users, first.users.map(userId));
  });
}

test('dislikes go with their users and items', async () => {
  const events = [
    { user: 'a', item: 'x', type: 'buy', value: 1, ts: 1 },
    { user: 'a', item: 'y', type: 'buy', value: -1, ts: 2 },
    { user: 'b', item: 'y', type: 'buy', value: 1, ts: 3 },
    { user: 'b', item: 'x', type: 'buy', value: -1, ts: 4 },
    { user: 'c', item: 'y', type: 'buy', value: 1, ts: 5 },
    { user: 'c', item: 'x', type: 'buy', value: -1, ts: 6 },
  ];
  for (const seed of [1, 2, 3]) {
    const { columns, items, users } = await canonical(shuffled(events, seed));
    const { user, item, ts } = columns.dislikes!;
    const named = Array.from(user, (row, n) => `${users[row]} ${items[item[n]]} ${ts[n]}`);
    assert.deepEqual(named.toSorted(), ['a y 2', 'b x 4', 'c x 6']);
    assert.deepEqual([...user], [...user].toSorted(), 'user by user');
  }
});
