// Events on any store: writes, histories, lists, figures and deletions. Part of store-suite.ts.
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import type { Store } from '../../src/store/store.ts';
import { collect, countOf, makeDataset, makeEvent, scanAll } from './store-fixtures.ts';
import type { OpenedStore } from './store-suite-parts.ts';

export function describeEvents(opened: () => OpenedStore): void {
  describe('events', () => {
    let store: Store;
    let account: string;

    before(() => {
      ({ store, account } = opened());
    });

    test('an event reads back as it was written', async () => {
      const dataset = await makeDataset(store, account, 'event');
      const event = makeEvent({
        event_id: 'e1',
        user_id: 'ü\u{1f600}',
        item_id: "it'em",
        ts: 8.64e15,
        event_value: -0.1,
        attributes: { nested: { deep: [1, null, '\u0000'] } },
      });
      assert.deepEqual(await store.events.upsert(dataset, [event]), { outcomes: ['stored'], firstSeen: null });
      assert.deepEqual(await store.events.get(dataset.dataset_id, 'e1'), event);
      assert.equal(await store.events.get(dataset.dataset_id, 'e2'), null);
    });

    test('an upsert replaces the event of that id, also when its user changed', async () => {
      const dataset = await makeDataset(store, account, 'event');
      await store.events.upsert(dataset, [makeEvent({ event_id: 'e', user_id: 'a', item_id: 'x' })]);
      await store.events.upsert(dataset, [makeEvent({ event_id: 'e', user_id: 'b', item_id: 'y' })]);
      assert.deepEqual(await store.events.history(dataset.dataset_id, 'a', 10), []);
      assert.deepEqual(await store.events.history(dataset.dataset_id, 'b', 10), [
        { user_no: 1, item_id: 'y', item_no: 1, event_type: 'view', event_value: 1, ts: 1 },
      ]);
      assert.equal(await countOf(store, dataset), 1);
      assert.equal((await scanAll(store, dataset)).length, 1);
    });

    test('a history is newest first, and among equal times last written first', async () => {
      const dataset = await makeDataset(store, account, 'event');
      await store.events.upsert(dataset, [
        makeEvent({ event_id: '1', item_id: 'old', ts: 5 }),
        makeEvent({ event_id: '2', item_id: 'tie-first', ts: 9 }),
        makeEvent({ event_id: '3', item_id: 'tie-second', ts: 9 }),
        makeEvent({ event_id: '4', item_id: 'newest', ts: 2 ** 40 }),
      ]);
      const items = async (limit: number) =>
        (await store.events.history(dataset.dataset_id, 'u', limit)).map(({ item_id }) => item_id);
      assert.deepEqual(await items(10), ['newest', 'tie-second', 'tie-first', 'old']);
      assert.deepEqual(await items(2), ['newest', 'tie-second']);
      await store.events.upsert(dataset, [makeEvent({ event_id: '2', item_id: 'tie-first', ts: 9 })]);
      assert.deepEqual(await items(3), ['newest', 'tie-first', 'tie-second']);
    });

    test("deleting a user's events or those between two times returns how many", async () => {
      const dataset = await makeDataset(store, account, 'event', 3);
      const events = Array.from({ length: 50 }, (_, i) =>
        makeEvent({ event_id: `e${i}`, user_id: `user-${i % 5}`, ts: i }),
      );
      await store.events.upsert(dataset, events);
      assert.equal(await store.events.deleteOfUser(dataset, 'user-0'), 10);
      assert.equal(await store.events.deleteOfUser(dataset, 'nobody'), 0);
      assert.equal(await store.events.deleteBetween(dataset, 10, 20, { dryRun: true }), 8);
      assert.equal(await countOf(store, dataset), 40);
      assert.equal(await store.events.deleteBetween(dataset, 10, 20), 8);
      assert.equal(await store.events.deleteBetween(dataset, 20, 20), 0);
      assert.equal(await countOf(store, dataset), 32);
      assert.equal((await scanAll(store, dataset)).length, 32);
      assert.equal(await store.events.get(dataset.dataset_id, 'e11'), null);
      assert.notEqual(await store.events.get(dataset.dataset_id, 'e9'), null);
    });

    test('a deletion that finds nothing is no change', async () => {
      const dataset = await makeDataset(store, account, 'event');
      await store.events.upsert(dataset, [makeEvent({ event_id: 'e', ts: 5 })]);
      const version = await store.events.version(dataset.dataset_id);
      assert.equal(await store.events.delete(dataset, ['unknown']), 0);
      assert.equal(await store.events.deleteOfUser(dataset, 'nobody'), 0);
      assert.equal(await store.events.deleteBetween(dataset, 6, 9), 0);
      assert.equal(await store.events.version(dataset.dataset_id), version);
    });

    test('a list pages newest first, of all users or one', async () => {
      const dataset = await makeDataset(store, account, 'event');
      await store.events.upsert(
        dataset,
        [3, 1, 4, 1, 5].map((ts, i) => makeEvent({ event_id: `e${i}`, user_id: i < 2 ? 'a' : 'b', ts })),
      );
      const listed: string[] = [];
      let page_token: string | null = null;
      do {
        const page = await store.events.list(dataset.dataset_id, { page_size: 2, page_token });
        listed.push(...page.entries.map(({ event_id }) => event_id));
        page_token = page.next_page_token;
      } while (page_token !== null);
      assert.deepEqual(listed, ['e4', 'e2', 'e0', 'e3', 'e1']);
      const ofA = await store.events.list(dataset.dataset_id, { page_size: 10, page_token: null }, 'a');
      assert.deepEqual(
        ofA.entries.map(({ event_id }) => event_id),
        ['e0', 'e1'],
      );
    });

    test('statistics count types and buckets of time', async () => {
      const dataset = await makeDataset(store, account, 'event');
      assert.deepEqual(await store.events.statistics(dataset.dataset_id, 4), {
        first_ts: null,
        last_ts: null,
        types: [],
        over_time: [],
      });
      await store.events.upsert(
        dataset,
        [0, 10, 20, 30, 40].map((ts, i) => makeEvent({ event_id: `e${i}`, ts, event_type: i < 3 ? 'view' : 'buy' })),
      );
      assert.deepEqual(await store.events.statistics(dataset.dataset_id, 4), {
        first_ts: 0,
        last_ts: 40,
        types: [
          { event_type: 'view', count: 3 },
          { event_type: 'buy', count: 2 },
        ],
        over_time: [
          { from_ts: 0, count: 1 },
          { from_ts: 10, count: 1 },
          { from_ts: 20, count: 1 },
          { from_ts: 30, count: 2 },
        ],
      });
    });

    test('concurrent upserts of new ids to one dataset keep counts and numbers exact', async () => {
      const dataset = await makeDataset(store, account, 'event');
      await Promise.all(
        Array.from({ length: 20 }, (_, batch) =>
          store.events.upsert(
            dataset,
            Array.from({ length: 50 }, (_, i) =>
              makeEvent({ event_id: `e${(batch * 25 + i) % 500}`, user_id: `user-${(batch * 25 + i) % 90}`, ts: i }),
            ),
          ),
        ),
      );
      assert.equal(await countOf(store, dataset), 500);
      assert.equal((await scanAll(store, dataset)).length, 500);
      const users = await collect(store.events.internedIds(dataset.dataset_id, 'user'));
      assert.equal(new Set(users).size, 90);
      assert.equal(users.length, 90);
    });
  });
}
