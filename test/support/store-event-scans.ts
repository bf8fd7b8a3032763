// Reading many events on any store: in blocks, in scans, and the ids behind their numbers. Part of store-suite.ts.
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import type { EventRecord } from '../../src/domain/record.ts';
import { forgottenId } from '../../src/store/event-store.ts';
import type { Store } from '../../src/store/store.ts';
import { collect, makeDataset, makeEvent, scanAll } from './store-fixtures.ts';
import type { OpenedStore } from './store-suite-parts.ts';

const FIRST_PAGE = { page_size: 1000, page_token: null };

export function describeEventScans(opened: () => OpenedStore): void {
  describe('events of a dataset', () => {
    let store: Store;
    let account: string;
    let reopen: () => Promise<Store>;

    before(() => {
      ({ store, account, reopen } = opened());
    });

    test('attributes of events of a type are read in blocks, without events that have none', async () => {
      const dataset = await makeDataset(store, account, 'event', 7);
      const other = await makeDataset(store, account, 'event');
      const events = Array.from({ length: 2500 }, (_, i) =>
        makeEvent({
          event_id: `e${i}`,
          user_id: `user-${i % 31}`,
          item_id: `item-${i % 13}`,
          event_type: i % 2 ? 'view' : 'buy',
          event_value: (i % 7) - 3.5,
          ts: i,
          attributes: i % 5 === 0 ? {} : { device: i % 2 ? 'phone' : 'tv', note: `line\nbreak "${i}"` },
        }),
      );
      for (let from = 0; from < events.length; from += 1000) {
        await store.events.upsert(dataset, events.slice(from, from + 1000));
      }
      await store.events.upsert(other, [makeEvent({ event_id: 'other', attributes: { device: 'radio' } })]);
      const names = async (kind: 'user' | 'item' | 'type') =>
        collect(store.events.internedIds(dataset.dataset_id, kind));
      const [users, items, types] = [await names('user'), await names('item'), await names('type')];
      for (const [type, name] of types.entries()) {
        const found: unknown[] = [];
        for await (const block of store.events.attributeBlocks(dataset.dataset_id, { type, newest: 2200 })) {
          assert.ok(block.length <= 1000);
          for (let row = 0; row < block.length; row++) {
            const ids = [users[block.user[row]], items[block.item[row]]];
            found.push([...ids, block.value[row], JSON.parse(block.attributes[row])]);
          }
        }
        const expected = events
          .slice(-2200)
          .filter(({ event_type, attributes }) => event_type === name && Object.keys(attributes).length > 0)
          .map(({ user_id, item_id, event_value, attributes }) => [user_id, item_id, event_value, attributes]);
        assert.deepEqual(found, expected.reverse());
      }
    });

    test('whole events are read by shards in the order of a scan', async () => {
      const dataset = await makeDataset(store, account, 'event', 7);
      const other = await makeDataset(store, account, 'event', 7);
      const events = Array.from({ length: 2500 }, (_, i) =>
        makeEvent({
          event_id: `e${i}`,
          user_id: `user-${(i * 7) % 31}`,
          ts: (i * 7919) % 101,
          attributes: i % 3 === 0 ? {} : { note: `${i}` },
          ...(i % 4 === 0 && { recommendation_id: `list-${i}` }),
        }),
      );
      for (let from = 0; from < events.length; from += 1000) {
        await store.events.upsert(dataset, events.slice(from, from + 1000));
      }
      await store.events.upsert(other, [makeEvent({ event_id: 'other' })]);
      const ids = await collect(store.events.internedIds(dataset.dataset_id, 'user'));
      const found: EventRecord[] = [];
      for (const shards of [
        { from: 0, to: 3 },
        { from: 3, to: 3 },
        { from: 3, to: 9 },
      ]) {
        const scanned: string[] = [];
        for await (const { length, user, ts } of store.events.scan(dataset.dataset_id, shards)) {
          for (let row = 0; row < length; row++) scanned.push(`${ids[user[row]]} ${ts[row]}`);
        }
        const read: EventRecord[] = [];
        for await (const block of store.events.records(dataset.dataset_id, shards)) {
          assert.ok(block.length <= 1000);
          read.push(...block);
        }
        assert.deepEqual(
          read.map(({ user_id, ts }) => `${user_id} ${ts}`),
          scanned,
        );
        found.push(...read);
      }
      const byId = (a: EventRecord, b: EventRecord) => a.event_id.localeCompare(b.event_id);
      assert.deepEqual(found.sort(byId), events.sort(byId));
      assert.deepEqual(await Array.fromAsync(store.events.records('eds_none', { from: 0, to: 9 })), []);
    });

    test('a scan groups by user, orders by time, and splits by shard without splitting a user', async () => {
      const dataset = await makeDataset(store, account, 'event', 7);
      const events = Array.from({ length: 300 }, (_, i) =>
        makeEvent({
          event_id: `e${i}`,
          user_id: `user-${(i * 7) % 31}`,
          item_id: `item-${i % 13}`,
          ts: (i * 7919) % 101,
          event_type: i % 2 ? 'view' : 'buy',
          event_value: i / 3,
        }),
      );
      await store.events.upsert(dataset, events);
      const scanned = await scanAll(store, dataset, undefined, 17);
      assert.equal(scanned.length, events.length);
      const runs = scanned.filter((event, i) => event.user_id !== scanned[i - 1]?.user_id).map((e) => e.user_id);
      assert.equal(new Set(runs).size, runs.length, 'a user is in one run');
      for (const user of runs) {
        const expected = events
          .filter(({ user_id }) => user_id === user)
          .sort((a, b) => a.ts - b.ts)
          .map(({ item_id, ts, event_value, event_type }) => [item_id, ts, event_value, event_type]);
        const got = scanned
          .filter(({ user_id }) => user_id === user)
          .map(({ item_id, ts, event_value, event_type }) => [item_id, ts, event_value, event_type]);
        assert.deepEqual(got, expected);
      }
      const byShard: string[][] = [];
      for (let shard = 0; shard < 7; shard++) {
        const part = await scanAll(store, dataset, { from: shard, to: shard + 1 });
        byShard.push([...new Set(part.map(({ user_id }) => user_id))]);
      }
      assert.equal(byShard.flat().length, 31, 'each user is in one shard');
      assert.ok(byShard.filter((users) => users.length > 0).length > 3, 'users are spread over shards');
    });

    test('numbers are given in order of first sight and stay, and a user without events is forgotten', async () => {
      const dataset = await makeDataset(store, account, 'event');
      await store.events.upsert(dataset, [
        makeEvent({ event_id: '1', user_id: 'b', item_id: 'x' }),
        makeEvent({ event_id: '2', user_id: 'a', item_id: 'y' }),
      ]);
      await store.events.deleteOfUser(dataset, 'b');
      await store.events.upsert(dataset, [makeEvent({ event_id: '3', user_id: 'c', item_id: 'y' })]);
      assert.deepEqual(await collect(store.events.internedIds(dataset.dataset_id, 'user')), [forgottenId(0), 'a', 'c']);
      assert.deepEqual(await collect(store.events.internedIds(dataset.dataset_id, 'user', { from: 1, to: 2 })), ['a']);
      const knownBefore = async (before: number) =>
        (await store.events.knownAmong(dataset.dataset_id, 'user', ['a', 'b', 'c'], before)).sort();
      assert.deepEqual([await knownBefore(2), await knownBefore(Number.MAX_SAFE_INTEGER)], [['a'], ['a', 'c']]);
      assert.equal(await store.events.internedCount(dataset.dataset_id, 'user'), 3);
      assert.equal(await store.events.internedCount(dataset.dataset_id, 'item'), 2);
      assert.equal(await store.events.internedCount(dataset.dataset_id, 'type'), 1);
      // Written again, replaced by another user's event, deleted by time.
      await store.events.upsert(dataset, [makeEvent({ event_id: '4', user_id: 'b', ts: 9 })]);
      assert.equal((await store.events.history(dataset.dataset_id, 'b', 10))[0].user_no, 3);
      await store.events.upsert(dataset, [makeEvent({ event_id: '3', user_id: 'b', ts: 9 })]);
      await store.events.deleteBetween(dataset, 0, 5);
      assert.deepEqual(await collect(store.events.internedIds(dataset.dataset_id, 'user')), [
        forgottenId(0),
        forgottenId(1),
        forgottenId(2),
        'b',
      ]);
      assert.deepEqual(
        (await store.events.list(dataset.dataset_id, FIRST_PAGE)).entries.map(({ user_id }) => user_id),
        ['b', 'b'],
      );
    });

    test('ids behind numbers come in the order of the numbers, however many, also of users who were forgotten', async () => {
      const dataset = await makeDataset(store, account, 'event');
      const numbers = Array.from({ length: 1200 }, (_, n) => (n * 7) % 1200);
      const idOf = (kind: 'user' | 'item', n: number) => `${kind} ${n}, "ü"`;
      const events = Array.from({ length: 1200 }, (_, n) =>
        makeEvent({ event_id: `${n}`, user_id: idOf('user', n), item_id: idOf('item', n) }),
      );
      for (const from of [0, 600]) await store.events.upsert(dataset, events.slice(from, from + 600));
      await store.events.deleteOfUser(dataset, idOf('user', 7));
      const users = await store.events.idsOf(dataset.dataset_id, 'user', [...numbers, 3, 3]);
      const expected = [...numbers, 3, 3].map((n) => (n === 7 ? forgottenId(7) : idOf('user', n)));
      assert.deepEqual(users, expected);
      const items = await store.events.idsOf(dataset.dataset_id, 'item', numbers);
      assert.deepEqual(
        items,
        numbers.map((n) => idOf('item', n)),
      );
      assert.deepEqual(await store.events.idsOf(dataset.dataset_id, 'user', []), []);
    });

    test('another node that knew a forgotten user writes no event to the old number', async () => {
      const other = await reopen();
      const dataset = await makeDataset(store, account, 'event');
      const write = (by: Store, event_id: string) => by.events.upsert(dataset, [makeEvent({ event_id, user_id: 'u' })]);
      await write(store, '1');
      await write(other, '2');
      assert.equal(await store.events.deleteOfUser(dataset, 'u'), 2);
      await write(other, '3');
      await write(store, '4');
      for (const node of [store, other]) {
        const { entries } = await node.events.list(dataset.dataset_id, FIRST_PAGE, 'u');
        assert.deepEqual(entries.map(({ event_id }) => event_id).sort(), ['3', '4']);
        assert.equal((await node.events.history(dataset.dataset_id, 'u', 10)).length, 2);
      }
      await other.close();
    });

    test('ids of every kind of character come back by number', async () => {
      const dataset = await makeDataset(store, account, 'event');
      const ids = ['a "quoted" \\ id', 'new\nline\ttab', '\u2028\u007f', 'é 中 🎬', "it's, [1] {2}", '\u0001'];
      await store.events.upsert(
        dataset,
        ids.map((id, n) => makeEvent({ event_id: String(n), user_id: id, item_id: `${id}!` })),
      );
      assert.deepEqual(await collect(store.events.internedIds(dataset.dataset_id, 'user')), ids);
      assert.deepEqual(
        await collect(store.events.internedIds(dataset.dataset_id, 'item')),
        ids.map((id) => `${id}!`),
      );
    });
  });
}
