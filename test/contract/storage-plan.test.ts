// The bytes an account stores and what its plan allows, on every database.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Dataset } from '../../src/domain/dataset.ts';
import type { EntityRecord } from '../../src/domain/record.ts';
import { MERGE_CHUNK } from '../../src/store/merge-users.ts';
import type { Store } from '../../src/store/store.ts';
import { EVENT_ROW_BYTES, ID_ROW_BYTES, RECORD_ROW_BYTES } from '../../src/store/stored-bytes.ts';
import { countOf, makeAccount, makeDataset, makeEvent } from '../support/store-fixtures.ts';
import { assertCountedBytes } from '../support/stored-bytes.ts';
import { DIALECTS, openTestStore } from '../support/test-database.ts';

const EXCEEDED = { code: 'PLAN_LIMIT_EXCEEDED', status: 403 };
const text = (bytes: number) => ({ text: 'x'.repeat(bytes) });

for (const dialect of DIALECTS) {
  describe(`bytes of an account on ${dialect}`, () => {
    let store: Store;
    let close: () => Promise<void>;
    let account: string;

    before(async () => {
      ({ store, close } = await openTestStore(dialect));
    });
    after(() => close());

    const stored = () => assertCountedBytes(store, account);
    const allow = (max_storage_bytes: number) => store.accounts.update(account, { plan: { max_storage_bytes } });
    async function datasets(): Promise<Record<'users' | 'items' | 'events', Dataset>> {
      account = await makeAccount(store);
      return {
        users: await makeDataset(store, account, 'user'),
        items: await makeDataset(store, account, 'item'),
        events: await makeDataset(store, account, 'event'),
      };
    }

    test('are those of its rows, as these come, change and go', async () => {
      const { users, items, events } = await datasets();
      assert.equal(await stored(), 0);
      await store.users.upsert(users, [{ id: 'ü', attributes: { a: 'ö' } }]);
      const user = RECORD_ROW_BYTES + 2 + Buffer.byteLength('{"a":"ö"}');
      assert.equal(await stored(), user);

      await store.items.upsert(items, [{ id: 'i1', attributes: text(100) }]);
      await store.items.upsert(items, [{ id: 'i1', attributes: {} }]);
      const item = RECORD_ROW_BYTES + 2 + 2;
      assert.equal(await stored(), user + item);
      await store.items.delete(items, ['i1', 'never there']);
      const marks = 2 * ID_ROW_BYTES + 2 + 'never there'.length;
      assert.equal(await stored(), user + marks);
      await store.items.upsert(items, [{ id: 'i1', attributes: {} }]);
      assert.equal(await stored(), user + item + marks - ID_ROW_BYTES - 2);
      await store.users.delete(users, ['ü', 'nobody']);

      const before = await stored();
      await store.events.upsert(events, [makeEvent({ event_id: 'e1', attributes: { a: 1 } })]);
      const ids = 3 * ID_ROW_BYTES + 'u'.length + 'i'.length + 'view'.length;
      assert.equal(await stored(), before + ids + EVENT_ROW_BYTES + 2 + '{"a":1}'.length);
      await store.events.upsert(events, [makeEvent({ event_id: 'e1', user_id: 'another user' })]);
      await store.events.upsert(events, [makeEvent({ event_id: 'e2', ts: 5 }), makeEvent({ event_id: 'e3', ts: 6 })]);
      await stored();
      await store.events.deleteOfUser(events, 'another user');
      await store.events.deleteBetween(events, 0, 6);
      await store.events.delete(events, ['e3']);
      await stored();
      assert.equal(await countOf(store, events), 0);
    });

    test('are given back when a dataset is deleted, once', async () => {
      const neighbor = await datasets();
      await store.items.upsert(neighbor.items, [{ id: 'i', attributes: text(400) }]);
      const { account_id } = neighbor.items;
      const { users, items } = await datasets();
      await store.users.upsert(users, [{ id: 'u', attributes: text(500) }]);
      await store.items.upsert(items, [{ id: 'i', attributes: text(300) }]);
      const bytesOfNeighbor = await assertCountedBytes(store, account_id);
      for (let time = 0; time < 2; time++) {
        await store.datasets.delete(account, 'item', items.dataset_id);
        assert.equal(await stored(), RECORD_ROW_BYTES + 1 + JSON.stringify(text(500)).length);
      }
      const other = await makeAccount(store);
      assert.equal(await store.datasets.delete(other, 'user', users.dataset_id), null);
      assert.equal((await store.accounts.usage(other)).storage_bytes, 0);
      assert.equal(await assertCountedBytes(store, account_id), bytesOfNeighbor);
    });

    test('beyond the plan a batch is refused whole, and what needs no more room still goes', async () => {
      const { items, events } = await datasets();
      const batch = (size: number): EntityRecord[] => ['a', 'b', 'c'].map((id) => ({ id, attributes: text(size) }));
      await store.items.upsert(items, batch(1000));
      const full = await stored();
      await allow(full + 100);
      await assert.rejects(store.items.upsert(items, [{ id: 'd', attributes: text(100) }]), EXCEEDED);
      await assert.rejects(store.items.upsert(items, batch(1100)), EXCEEDED);
      await assert.rejects(store.events.upsert(events, [makeEvent({ event_id: 'e' })]), EXCEEDED);
      assert.equal(await stored(), full);
      assert.equal(await countOf(store, events), 0);
      assert.deepEqual(await store.items.get(items.dataset_id, 'a'), batch(1000)[0]);

      await store.items.upsert(items, batch(1030));
      assert.equal(await stored(), full + 90, 'a replacement that fits');
      await allow(10);
      await assert.rejects(store.items.upsert(items, batch(1031)), EXCEEDED);
      await store.items.upsert(items, batch(500));
      assert.equal(await stored(), full - 1500, 'one that shrinks, whatever the plan says');
      const [{ id }] = batch(500);
      assert.equal(await store.items.delete(items, [id, 'never there']), 1);
      await allow(1e9);
      await store.events.upsert(events, [makeEvent({ event_id: 'e' })]);
      await stored();
    });

    test('beyond the plan deleted items that never had a record are remembered only if events name them', async () => {
      const { items, events } = await datasets();
      const remembered = async () => (await Array.fromAsync(store.items.deletedIds(items.dataset_id))).flat().sort();
      await store.items.upsert(items, [{ id: 'record', attributes: text(100) }]);
      await store.events.upsert(events, [makeEvent({ event_id: 'e', item_id: 'in events' })]);
      const neighbor = await makeDataset(store, await makeAccount(store), 'event');
      await store.events.upsert(neighbor, [makeEvent({ event_id: 'e', item_id: 'elsewhere' })]);
      const bytes = ID_ROW_BYTES + 'first'.length;
      await allow((await stored()) + bytes);
      assert.equal(await store.items.delete(items, ['first']), 0);
      assert.deepEqual(await remembered(), ['first']);
      const full = await stored();
      assert.equal(await store.items.delete(items, ['u', 'view', 'elsewhere', 'second']), 0);
      assert.equal(await stored(), full);
      await allow(10);
      assert.equal(await store.items.delete(items, ['third', 'record', 'in events']), 1);
      assert.deepEqual(await remembered(), ['first', 'in events', 'record']);
      await stored();
    });

    test('beyond the plan a batch of patches is refused whole, and one that shrinks records still goes', async () => {
      const { items } = await datasets();
      await store.items.upsert(items, [
        { id: 'a', attributes: text(1000) },
        { id: 'b', attributes: {} },
      ]);
      const full = await stored();
      await allow(full + 100);
      const patches = [
        { id: 'b', attributes: { n: 1 } },
        { id: 'a', attributes: text(1200) },
      ];
      await assert.rejects(store.items.patch(items, patches), EXCEEDED);
      assert.equal(await stored(), full);
      assert.deepEqual((await store.items.get(items.dataset_id, 'b'))!.attributes, {});
      await store.items.patch(items, [patches[0]]);
      assert.equal(await stored(), full + '"n":1'.length);
      await allow(10);
      await store.items.patch(items, [{ id: 'a', attributes: { text: null } }]);
      assert.equal(await stored(), full + '"n":1'.length - JSON.stringify(text(1000)).length + '{}'.length);
    });

    test('beyond the plan users are merged, also into a new one whose id takes more room', async () => {
      const { users, events } = await datasets();
      const both = { users, events };
      const long = 'u'.repeat(50);
      await store.users.upsert(users, [
        { id: 'visitor', attributes: text(100) },
        { id: 'user', attributes: { age: 30 } },
        { id: 'v', attributes: {} },
      ]);
      await store.events.upsert(events, [makeEvent({ event_id: 'e', user_id: 'v' })]);
      await allow(10);
      const full = await stored();
      await store.mergeUsers(both, { from: 'visitor', into: 'user' });
      assert.equal(await stored(), full - RECORD_ROW_BYTES - '{}visitor'.length + ','.length);
      const merged = await stored();
      await store.mergeUsers(both, { from: 'v', into: long });
      assert.ok((await stored()) > merged);
      assert.deepEqual(await store.users.getMany(users.dataset_id, ['v', long]), [null, { id: long, attributes: {} }]);
      assert.equal((await store.events.get(events.dataset_id, 'e'))!.user_id, long);
      await assert.rejects(store.users.upsert(users, [{ id: 'another', attributes: {} }]), EXCEEDED);
    });

    test('beyond the plan a visitor without a record is merged, also one with very many events', async () => {
      const { users, events } = await datasets();
      const total = MERGE_CHUNK + 1;
      const visits = Array.from({ length: total }, (_, n) =>
        makeEvent({ event_id: `e${n}`, user_id: 'visitor', ts: n }),
      );
      for (let from = 0; from < total; from += 1000) {
        await store.events.upsert(events, visits.slice(from, from + 1000));
      }
      await store.events.upsert(events, [makeEvent({ event_id: 'other', user_id: 'v' })]);
      await allow(10);
      const merged = await store.mergeUsers({ users, events }, { from: 'visitor', into: 'new user' });
      assert.deepEqual(merged, { movedEvents: total, hadRecord: false, knowsInto: true });
      assert.equal((await store.mergeUsers({ users, events }, { from: 'v', into: 'w' }))!.movedEvents, 1);
      await stored();
    });

    test('beyond the plan a merge that is written together with a batch does not make room for it', async () => {
      const { users, events } = await datasets();
      await store.users.upsert(users, [
        { id: 'visitor', attributes: text(1000) },
        { id: 'user', attributes: {} },
      ]);
      await store.events.upsert(events, [makeEvent({ event_id: 'e', user_id: 'visitor' })]);
      await allow(10);
      const [merged, refused] = await Promise.allSettled([
        store.mergeUsers({ users, events }, { from: 'visitor', into: 'user' }),
        store.events.upsert(events, [makeEvent({ event_id: 'f', user_id: 'user' })]),
      ]);
      assert.equal(merged.status, 'fulfilled');
      assert.equal(refused.status, 'rejected');
      await stored();
    });

    test('hold also for batches that are written together, and one beyond the plan harms no other', async () => {
      const { items } = await datasets();
      const mine = items;
      const bystander = await makeAccount(store);
      const theirs = await makeDataset(store, bystander, 'item');
      await allow(20_000);
      const outcomes = await Promise.allSettled([
        ...Array.from({ length: 30 }, (_, n) => store.items.upsert(mine, [{ id: `m${n}`, attributes: text(2000) }])),
        ...Array.from({ length: 30 }, (_, n) => store.items.upsert(theirs, [{ id: `t${n}`, attributes: text(2000) }])),
      ]);
      const accepted = outcomes.slice(0, 30).filter(({ status }) => status === 'fulfilled').length;
      assert.equal(accepted, 9);
      assert.equal(await countOf(store, mine), 9);
      assert.ok((await stored()) <= 20_000);
      assert.ok(outcomes.slice(30).every(({ status }) => status === 'fulfilled'));
      assert.equal(await countOf(store, theirs), 30);
      await assertCountedBytes(store, bystander);
    });
  });
}
