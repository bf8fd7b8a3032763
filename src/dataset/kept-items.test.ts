// Tests that if not all items fit, training reads the events of those with the most users, as if the others had never
// existed.
import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fc } from '../../test/support/fast-check.ts';
import { canonicalOrder, inCanonicalOrder } from './canonical-order.ts';
import { EventFiles } from './event-files.ts';
import { type EventTable, EventTableBuilder } from './event-table.ts';
import { gatherDislikes } from './gather-dislikes.ts';
import { filesInOrder } from './ordered-files.ts';
import { gatherUsers, tableOfUsers } from './sample-users.ts';
import { UnorderedEvents } from './unordered-events.ts';

interface Row {
  readonly user: string;
  readonly item: string;
  readonly value: number;
  readonly ts: number;
}

const TYPE_NAMES = ['buy'];
const roomFor = (items: number) => ({ least: items, fit: () => items });

let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kindred-kept-'));
});
after(() => rm(folder, { recursive: true, force: true }));

function tableOf(rows: readonly Row[]): EventTable {
  const itemIds = [...new Set(rows.filter(({ value }) => value > 0).map(({ item }) => item))];
  const builder = new EventTableBuilder();
  for (const own of Map.groupBy(rows, ({ user }) => user).values()) {
    builder.beginUser();
    for (const { item, value, ts } of own.toSorted((a, b) => a.ts - b.ts)) {
      // The store knows no item that has dislikes alone.
      if (itemIds.includes(item)) builder.add(itemIds.indexOf(item), 0, value, ts);
    }
  }
  return builder.finish({ itemIds, typeNames: TYPE_NAMES, targetType: 0 });
}

/** The table without the fields that only say where the users were before. */
function content({ itemIds, ...columns }: EventTable) {
  const { firstUser: _, ...own } = columns as EventTable & { firstEvent?: number };
  delete own.firstEvent;
  return { ...own, ids: Array.from({ length: itemIds.length }, (__, item) => itemIds.at(item)) };
}

/** The number of users of each item. */
function usersOf(rows: readonly Row[]): Map<string, number> {
  const liked = rows.filter(({ value }) => value > 0);
  const byItem = Map.groupBy(liked, ({ item }) => item);
  return new Map([...byItem].map(([item, own]) => [item, new Set(own.map(({ user }) => user)).size]));
}

const row = fc.record({
  user: fc.integer({ min: 0, max: 9 }).map((n) => `u${n}`),
  item: fc.integer({ min: 0, max: 9 }).map((n) => `i${n}`),
  value: fc.constantFrom(1, 1, 2.5, -1),
  ts: fc.integer({ min: 1, max: 60 }),
});
/** No user has two events at the same time: otherwise their order of writing would decide which was first. */
const rows = fc
  .uniqueArray(row, { minLength: 1, maxLength: 60, selector: ({ user, ts }) => `${user} ${ts}` })
  .filter((some) => some.some(({ value }) => value > 0));

test('the items with the most users stay, and the table is that of their events alone', async () => {
  await fc.assert(
    fc.asyncProperty(rows, fc.integer({ min: 1, max: 10 }), async (events, most) => {
      const users = usersOf(events);
      const { table, itemsLeftOut, formerItems, formerRows } = await inCanonicalOrder(tableOf(events), roomFor(most));
      const ids = content(table).ids as string[];
      assert.equal(ids.length, Math.min(most, users.size));
      assert.equal(itemsLeftOut, users.size - ids.length);
      const fewest = Math.min(...ids.map((id) => users.get(id)!));
      for (const [id, count] of users) assert.ok(ids.includes(id) || count <= fewest, `${id} has ${count} users`);
      const alone = await inCanonicalOrder(tableOf(events.filter(({ item }) => ids.includes(item))));
      assert.deepEqual(content(table), content(alone.table));
      const given = tableOf(events);
      assert.deepEqual(
        Array.from(formerItems, (item) => given.itemIds.at(item)),
        ids,
      );
      assert.equal(formerRows.length, table.userCount);
    }),
    { numRuns: 80 },
  );
});

test('which of equals stay depends on neither the order of rows nor ids', async () => {
  await fc.assert(
    fc.asyncProperty(rows, fc.integer({ min: 1, max: 9 }), async (events, most) => {
      const keptOf = async (some: readonly Row[]) => (await inCanonicalOrder(tableOf(some), roomFor(most))).table;
      const first = content(await keptOf(events));
      assert.deepEqual(content(await keptOf(events.toReversed())), first);
      // Ids decide between items that are otherwise equal. The new ids have the same order.
      const renamed = events.map((event) => ({ ...event, user: `z${event.user}`, item: `x${event.item}` }));
      const second = content(await keptOf(renamed.toReversed()));
      assert.deepEqual({ ...second, ids: second.ids.map((id) => id!.slice(1)) }, first);
    }),
    { numRuns: 40 },
  );
});

test('events in files are the same, however many parts they are in', async () => {
  await fc.assert(
    fc.asyncProperty(
      rows,
      fc.integer({ min: 1, max: 9 }),
      fc.integer({ min: 1, max: 5 }),
      async (events, most, part) => {
        const table = tableOf(events);
        await using files = new EventFiles(folder);

        for (let from = 0; from < table.userCount; from += part) {
          const own = Uint32Array.from({ length: Math.min(part, table.userCount - from) }, (_, n) => from + n);
          const { user, item, ts } = table.dislikes!;
          const at = Uint32Array.from(user.keys()).filter((n) => own.includes(user[n]));
          const dislikes = {
            user: at.map((n) => user[n] - from),
            item: at.map((n) => item[n]),
            ts: Float64Array.from(at, (n) => ts[n]),
          };
          await files.add({ ...tableOfUsers(table, own), dislikes });
        }
        const unordered = new UnorderedEvents(files, table);
        const order = await canonicalOrder(unordered, roomFor(most));
        await using ordered = await filesInOrder(unordered, order, { partEvents: 3 * part, folder });
        const held = await inCanonicalOrder(table, roomFor(most));
        const dislikes = await gatherDislikes(ordered.events, new Set(held.formerRows.keys()));
        assert.deepEqual(content({ ...(await gatherUsers(ordered.events)), dislikes }), content(held.table));
        assert.deepEqual(order.formerRows, held.formerRows);
        assert.deepEqual(order.formerItems, held.formerItems);
      },
    ),
    { numRuns: 40 },
  );
  assert.deepEqual(await readdir(folder), []);
});

test('users are counted once for an item, and nobody counts where all items fit whatever their events are', async () => {
  const twice = ['a', 'a', 'a'].map((user, ts) => ({ user, item: 'often', value: 1, ts }));
  const events = [...twice, ...['b', 'c'].map((user, ts) => ({ user, item: 'by two', value: 1, ts }))];
  const demands: unknown[] = [];
  const room = (least: number) => ({
    least,
    fit: (demand: object) => {
      demands.push(demand);
      return 1;
    },
  });
  const { table } = await inCanonicalOrder(tableOf(events), room(1));
  assert.deepEqual(content(table).ids, ['by two']);
  assert.deepEqual(demands, [{ events: 5, dislikes: 0, userCount: 3, usersOfItems: Uint32Array.of(2, 1) }]);
  assert.equal((await inCanonicalOrder(tableOf(events), room(2))).table.itemCount, 2);
  assert.equal(demands.length, 1);
});
