// Random operations on a real store and on the model (store-model.ts): whatever the order, both must hold the same.
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { capacityOf, type Dataset, type DatasetKind } from '../../src/domain/dataset.ts';
import type { EventRecord } from '../../src/domain/record.ts';
import { forgottenId } from '../../src/store/event-store.ts';
import type { Store } from '../../src/store/store.ts';
import { fc } from './fast-check.ts';
import { countOf, makeAccount, makeDataset, scanAll } from './store-fixtures.ts';
import { EventModel, RecordModel } from './store-model.ts';
import { assertCountedBytes } from './stored-bytes.ts';

const ROOM = 12;
const FIRST_PAGE = { page_size: 1000, page_token: null };

const plain = <T>(fields: { [K in keyof T]: fc.Arbitrary<T[K]> }) => fc.record<T>(fields, { noNullPrototype: true });
const oneOf = (prefix: string, count: number) => fc.integer({ min: 1, max: count }).map((n) => `${prefix}${n}`);
const event: fc.Arbitrary<EventRecord> = plain({
  event_id: oneOf('event-', 18),
  user_id: oneOf('user-', 5),
  item_id: oneOf('item-', 4),
  ts: fc.oneof(fc.integer({ min: 0, max: 6 }), fc.constant(8.64e15)),
  event_type: fc.constantFrom('view', 'buy'),
  event_value: fc.oneof(
    fc.constant(1),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((n) => n || 0),
  ),
  attributes: fc.constantFrom<Record<string, unknown>>({}, { a: 1 }, { b: ['ü', { c: null }] }),
});
const eventOperation = fc.oneof(
  {
    weight: 4,
    arbitrary: plain({
      kind: fc.constant('upsert' as const),
      events: fc.uniqueArray(event, { selector: ({ event_id }) => event_id, maxLength: 10, minLength: 1 }),
    }),
  },
  { weight: 1, arbitrary: plain({ kind: fc.constant('delete user' as const), user: oneOf('user-', 6) }) },
  {
    weight: 1,
    arbitrary: plain({
      kind: fc.constant('delete events' as const),
      ids: fc.uniqueArray(oneOf('event-', 20), { maxLength: 5, minLength: 1 }),
    }),
  },
  {
    weight: 1,
    arbitrary: plain({
      kind: fc.constant('delete between' as const),
      from: fc.integer({ min: 0, max: 7 }),
      to: fc.integer({ min: 0, max: 7 }),
    }),
  },
);
const record = plain({ id: oneOf('record-', 18), attributes: fc.constantFrom({}, { a: 1 }, { b: ['x'] }) });
const recordOperation = fc.oneof(
  plain({
    kind: fc.constant('upsert' as const),
    records: fc.uniqueArray(record, { selector: ({ id }) => id, maxLength: 10, minLength: 1 }),
  }),
  plain({
    kind: fc.constant('delete' as const),
    ids: fc.uniqueArray(oneOf('record-', 20), { maxLength: 5, minLength: 1 }),
  }),
);

export function describeProperties(getStore: () => Store): void {
  describe('random operations', () => {
    let store: Store;
    let account: string;

    before(async () => {
      store = getStore();
      account = await makeAccount(store);
    });

    /** A dataset of the smallest capacity with all but ROOM of it taken, by count only. */
    async function nearlyFull(kind: DatasetKind): Promise<{ dataset: Dataset; taken: number }> {
      const dataset = await makeDataset(store, account, kind, 1);
      const taken = capacityOf(dataset) - ROOM;
      await store.database.atomic([
        {
          sql: 'INSERT INTO dataset_count (dataset_id, num_shards, num_records) VALUES (?, ?, ?)',
          params: [dataset.dataset_id, dataset.num_shards, taken],
        },
      ]);
      return { dataset, taken };
    }

    test('events stay what the model says', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(eventOperation, { minLength: 1, maxLength: 12 }), async (operations) => {
          const { dataset, taken } = await nearlyFull('event');
          const { dataset_id } = dataset;
          const model = new EventModel(ROOM);
          // by user and version: the events of that moment
          /** A cache that knows only what changesSince tells it. */
          const known = {
            version: await store.events.version(dataset_id),
            events: new Map<string, unknown>(),
            /** by number, also of users who were forgotten since */
            userIds: new Map<number, string>(),
          };
          for (const operation of operations) {
            if (operation.kind === 'upsert') {
              const { outcomes } = await store.events.upsert(dataset, operation.events);
              assert.deepEqual(outcomes, model.upsert(operation.events));
            } else if (operation.kind === 'delete user') {
              const deleted = await store.events.deleteOfUser(dataset, operation.user);
              assert.equal(
                deleted,
                model.deleteWhere(({ user_id }) => user_id === operation.user),
              );
            } else if (operation.kind === 'delete events') {
              const deleted = await store.events.delete(dataset, operation.ids);
              assert.equal(
                deleted,
                model.deleteWhere(({ event_id }) => operation.ids.includes(event_id)),
              );
            } else {
              const { from, to } = operation;
              const dryRun = await store.events.deleteBetween(dataset, from, to, { dryRun: true });
              const deleted = await store.events.deleteBetween(dataset, from, to);
              assert.equal(
                deleted,
                model.deleteWhere(({ ts }) => from <= ts && ts < to),
              );
              assert.equal(dryRun, deleted);
            }
            assert.equal((await countOf(store, dataset)) - taken, model.count);
            const news = (await store.events.changesSince(dataset_id, known.version))!;
            const userIds = (await Array.fromAsync(store.events.internedIds(dataset_id, 'user'))).flat();
            assert.deepEqual(
              userIds.filter((id, no) => id !== forgottenId(no)).sort(),
              [...model.users].sort(),
              'ids of users with events are kept, and no others',
            );
            for (const [no, id] of userIds.entries()) if (id !== forgottenId(no)) known.userIds.set(no, id);
            const changed = new Set([...news.users].map((user) => known.userIds.get(user)));
            known.version = news.version;
            for (let i = 1; i <= 6; i++) {
              const events = model.newest(`user-${i}`);
              const before = known.events.get(`user-${i}`) ?? [];
              if (!changed.has(`user-${i}`)) assert.deepEqual(events, before, `user-${i} changed and was not named`);
              known.events.set(`user-${i}`, events);
            }
          }
          for (let i = 1; i <= 18; i++) {
            assert.deepEqual(await store.events.get(dataset_id, `event-${i}`), model.get(`event-${i}`));
          }
          const listed = await store.events.list(dataset_id, FIRST_PAGE);
          assert.deepEqual(listed.entries, model.newest());
          const itemIds = (await Array.fromAsync(store.events.internedIds(dataset_id, 'item'))).flat();
          const userIds = (await Array.fromAsync(store.events.internedIds(dataset_id, 'user'))).flat();
          for (let i = 1; i <= 6; i++) {
            const user = `user-${i}`;
            const expected = model.newest(user);
            const history = await store.events.history(dataset_id, user, 3);
            assert.deepEqual(
              history.map(({ item_no, user_no, ...event }) => {
                assert.equal(itemIds[item_no], event.item_id);
                assert.equal(userIds[user_no], user);
                return event;
              }),
              expected
                .slice(0, 3)
                .map(({ item_id, event_type, event_value, ts }) => ({ item_id, event_type, event_value, ts })),
            );
            assert.deepEqual((await store.events.list(dataset_id, FIRST_PAGE, user)).entries, expected);
          }
          const scanned = Map.groupBy(await scanAll(store, dataset, undefined, 5), ({ user_id }) => user_id);
          const expected = model.scan();
          assert.deepEqual([...scanned.keys()].sort(), [...expected.keys()].sort());
          for (const [user, events] of expected) assert.deepEqual(scanned.get(user), events);
          await assertCountedBytes(store, account);
          assert.equal(await store.events.internedCount(dataset_id, 'user'), model.userNumbers);
          assert.equal(await store.events.internedCount(dataset_id, 'item'), model.items.size);
        }),
        { numRuns: 40 },
      );
    });

    test('records stay what the model says, and changes can be followed', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(recordOperation, { minLength: 1, maxLength: 12 }), async (operations) => {
          const { dataset, taken } = await nearlyFull('item');
          const { dataset_id } = dataset;
          const model = new RecordModel(ROOM);
          /** A cache that knows only what changesSince tells it. */
          const follower = new Map<string, unknown>();
          let version = await store.items.version(dataset_id);
          for (const operation of operations) {
            if (operation.kind === 'upsert') {
              const outcomes = await store.items.upsert(dataset, operation.records);
              assert.deepEqual(outcomes, model.upsert(operation.records));
            } else {
              assert.equal(await store.items.delete(dataset, operation.ids), model.delete(operation.ids));
            }
            assert.equal((await countOf(store, dataset)) - taken, model.count);
            const changes = (await store.items.changesSince(dataset_id, version))!;
            version = changes.version;
            const changed = await store.items.getMany(dataset_id, changes.ids);
            changed.forEach((found, i) => {
              if (found) follower.set(found.id, found);
              else follower.delete(changes.ids[i]);
            });
          }
          const { entries } = await store.items.list(dataset_id, FIRST_PAGE);
          assert.deepEqual(entries, model.newest());
          assert.deepEqual(new Set(follower.values()), new Set(entries));
          await assertCountedBytes(store, account);
        }),
        { numRuns: 40 },
      );
    });
  });
}
