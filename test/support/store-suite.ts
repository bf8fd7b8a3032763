// What every store must do, whatever database it keeps its data in: one suite, run over each.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { AppError } from '../../src/errors.ts';
import { forgottenId } from '../../src/store/event-store.ts';
import { PURGE_CHUNK } from '../../src/store/sql/purge-after-delete.ts';
import type { Store } from '../../src/store/store.ts';
import { collect, countOf, makeAccount, makeDataset, makeEvent, scanAll } from './store-fixtures.ts';
import { describeProperties } from './store-properties.ts';

export interface StoreUnderTest {
  store: Store;
  /** Opens the same data once more, as another node does. */
  reopen(): Promise<Store>;
  close(): Promise<void>;
}

const FIRST_PAGE = { page_size: 1000, page_token: null };

export function describeStore(name: string, open: () => Promise<StoreUnderTest>): void {
  describe(`the store on ${name}`, () => {
    let store: Store;
    let account: string;
    let reopen: () => Promise<Store>;
    let close: () => Promise<void>;

    before(async () => {
      ({ store, reopen, close } = await open());
      account = await makeAccount(store);
    });
    after(() => close?.());

    describeProperties(() => store);

    describe('records', () => {
      test('an upsert replaces the whole record and counts it once', async () => {
        const dataset = await makeDataset(store, account, 'user');
        await store.users.upsert(dataset, [{ id: 'a', attributes: { age: 1, tags: ['x', 'y'] } }]);
        await store.users.upsert(dataset, [
          { id: 'a', attributes: { name: 'Ä"\u{1f600}' } },
          { id: 'b', attributes: {} },
        ]);
        assert.deepEqual(await store.users.get(dataset.dataset_id, 'a'), {
          id: 'a',
          attributes: { name: 'Ä"\u{1f600}' },
        });
        assert.equal(await store.users.get(dataset.dataset_id, 'c'), null);
        assert.equal(await countOf(store, dataset), 2);
        const many = await store.users.getMany(dataset.dataset_id, ['c', 'b', 'a']);
        assert.deepEqual(
          many.map((record) => record?.id ?? null),
          [null, 'b', 'a'],
        );
      });

      test('a patch changes single attributes of records that are there', async () => {
        const dataset = await makeDataset(store, account, 'item');
        await store.items.upsert(dataset, [
          { id: 'a', attributes: { price: 1, tags: ['x', 'y'], sale: true } },
          { id: 'b', attributes: { price: 1 } },
          { id: 'gone', attributes: {} },
        ]);
        await store.items.delete(dataset, ['gone']);
        const before = await store.items.version(dataset.dataset_id);
        const outcomes = await store.items.patch(dataset, [
          { id: 'a', attributes: { price: 2, sale: null, 'ä"': 'ö' } },
          { id: 'gone', attributes: { price: 2 } },
          { id: 'nobody', attributes: { price: 2 } },
        ]);
        assert.deepEqual(outcomes, ['stored', 'unknown', 'unknown']);
        assert.deepEqual(await store.items.getMany(dataset.dataset_id, ['a', 'b', 'gone', 'nobody']), [
          { id: 'a', attributes: { price: 2, tags: ['x', 'y'], 'ä"': 'ö' } },
          { id: 'b', attributes: { price: 1 } },
          null,
          null,
        ]);
        assert.deepEqual((await store.items.changesSince(dataset.dataset_id, before))!.ids, ['a']);
        assert.equal(await countOf(store, dataset), 2);
      });

      test('patches and upserts of one record at the same time are all applied, one after the other', async () => {
        const dataset = await makeDataset(store, account, 'item');
        const other = await reopen();
        await store.items.upsert(dataset, [{ id: 'a', attributes: { base: 0 } }]);
        const writers = [store, other].flatMap((node, n) =>
          Array.from({ length: 20 }, (_, i) =>
            i === 10
              ? node.items.patch(dataset, [{ id: 'a', attributes: { base: n + 1 } }])
              : node.items.patch(dataset, [{ id: 'a', attributes: { [`n${n}-${i}`]: i } }]),
          ),
        );
        for (const outcome of await Promise.all(writers)) assert.deepEqual(outcome, ['stored']);
        const { attributes } = (await store.items.get(dataset.dataset_id, 'a'))!;
        assert.equal(Object.keys(attributes).length, 39);
        await store.items.upsert(dataset, [{ id: 'a', attributes: { fresh: true } }]);
        await other.items.patch(dataset, [{ id: 'a', attributes: { n: 1 } }]);
        assert.deepEqual((await store.items.get(dataset.dataset_id, 'a'))!.attributes, { fresh: true, n: 1 });
        await other.close();
      });

      test('a patch that makes a record too large, or touches too many bytes, fails alone', async () => {
        const dataset = await makeDataset(store, account, 'item');
        const large = { text: 'x'.repeat(1_000_000) };
        const all = Array.from({ length: 68 }, (_, i) => `item-${i}`);
        for (let from = 0; from < all.length; from += 8) {
          await store.items.upsert(
            dataset,
            all.slice(from, from + 8).map((id) => ({ id, attributes: large })),
          );
        }
        const outcomes = await store.items.patch(
          dataset,
          all.map((id, i) => ({ id, attributes: i === 3 ? { more: 'y'.repeat(60_000) } : { price: i } })),
        );
        assert.equal(outcomes[3], 'too-large');
        assert.equal(outcomes.filter((outcome) => outcome === 'stored').length, 66);
        assert.equal(outcomes[67], 'too-much');
        const [patched, refused, last] = await store.items.getMany(dataset.dataset_id, ['item-2', 'item-3', 'item-67']);
        assert.deepEqual(patched!.attributes, { ...large, price: 2 });
        assert.deepEqual(refused!.attributes, large);
        assert.deepEqual(last!.attributes, large);
      });

      test('deleting answers how many there were', async () => {
        const dataset = await makeDataset(store, account, 'item');
        await store.items.upsert(dataset, ids('a', 'b', 'c'));
        assert.equal(await store.items.delete(dataset, ['a', 'c', 'nobody']), 2);
        assert.equal(await store.items.delete(dataset, ['a']), 0);
        assert.equal(await countOf(store, dataset), 1);
      });

      test('two datasets do not see each other', async () => {
        const one = await makeDataset(store, account, 'item');
        const other = await makeDataset(store, account, 'item');
        await store.items.upsert(one, ids('a'));
        assert.equal(await store.items.get(other.dataset_id, 'a'), null);
        assert.equal(await store.items.delete(other, ['a']), 0);
        assert.equal(await countOf(store, one), 1);
      });

      test('a list pages from the last written to the first', async () => {
        const dataset = await makeDataset(store, account, 'item');
        await store.items.upsert(dataset, ids('a', 'b', 'c', 'd'));
        await store.items.upsert(dataset, ids('b'));
        const first = await store.items.list(dataset.dataset_id, { page_size: 3, page_token: null });
        assert.deepEqual(
          first.entries.map(({ id }) => id),
          ['b', 'd', 'c'],
        );
        const rest = await store.items.list(dataset.dataset_id, { page_size: 3, page_token: first.next_page_token });
        assert.deepEqual(
          rest.entries.map(({ id }) => id),
          ['a'],
        );
        assert.equal(rest.next_page_token, null);
      });

      test('a search finds text in ids and attributes, and takes wildcards literally', async () => {
        const dataset = await makeDataset(store, account, 'item');
        await store.items.upsert(dataset, [
          { id: 'film_1', attributes: { title: 'The Third Man' } },
          { id: 'film21', attributes: { title: 'Alien' } },
        ]);
        const found = async (text: string) =>
          (await store.items.list(dataset.dataset_id, { page_size: 10, page_token: null }, text)).entries.map(
            ({ id }) => id,
          );
        assert.deepEqual(await found('third'), ['film_1']);
        assert.deepEqual(await found('film_'), ['film_1']);
        assert.deepEqual(await found('%'), []);
      });

      test('a scan reads every record once, in blocks', async () => {
        const dataset = await makeDataset(store, account, 'item');
        const all = Array.from({ length: 25 }, (_, i) => `item-${i}`);
        await store.items.upsert(dataset, ids(...all));
        const blocks: number[] = [];
        const seen: string[] = [];
        for await (const block of store.items.scan(dataset.dataset_id, 10)) {
          blocks.push(block.length);
          seen.push(...block.map(({ id }) => id));
        }
        assert.deepEqual(blocks, [10, 10, 5]);
        assert.deepEqual(seen.sort(), all.sort());
      });

      test('blocks of a scan are shorter where records are large', async () => {
        const dataset = await makeDataset(store, account, 'item');
        const large = { text: 'x'.repeat(1_000_000) };
        const all = Array.from({ length: 40 }, (_, i) => `item-${String(i).padStart(2, '0')}`);
        const records = all.map((id, i) => ({ id, attributes: i < 30 ? large : {} }));
        for (let from = 0; from < all.length; from += 10)
          await store.items.upsert(dataset, records.slice(from, from + 10));
        const seen: string[] = [];
        for await (const block of store.items.scan(dataset.dataset_id)) {
          const bytes = block.reduce((sum, { attributes }) => sum + JSON.stringify(attributes).length, 0);
          assert.ok(bytes < 2.1e6, `${block.length} records of ${bytes} bytes in a block`);
          seen.push(...block.map(({ id }) => id));
        }
        assert.deepEqual(seen, all);
      });

      test('changes since a version name what was written and deleted', async () => {
        const dataset = await makeDataset(store, account, 'item');
        assert.equal(await store.items.version(dataset.dataset_id), 0);
        await store.items.upsert(dataset, ids('a', 'b', 'c'));
        const before = await store.items.version(dataset.dataset_id);
        await store.items.upsert(dataset, ids('b', 'd'));
        await store.items.delete(dataset, ['a']);
        const changes = await store.items.changesSince(dataset.dataset_id, before);
        assert.deepEqual(changes!.ids.sort(), ['a', 'b', 'd']);
        assert.equal(changes!.version, await store.items.version(dataset.dataset_id));
        assert.deepEqual((await store.items.changesSince(dataset.dataset_id, changes!.version))!.ids, []);
      });

      test('deleted items are remembered until they are written again, deleted users are not', async () => {
        const dataset = await makeDataset(store, account, 'item');
        const remembered = async () => (await collect(store.items.deletedIds(dataset.dataset_id))).sort();
        await store.items.upsert(dataset, ids('a', 'b', 'c'));
        assert.equal(await store.items.delete(dataset, ['a', 'b', 'only-in-events']), 2);
        assert.deepEqual(await remembered(), ['a', 'b', 'only-in-events']);
        const version = await store.items.version(dataset.dataset_id);
        assert.equal(await store.items.delete(dataset, ['a']), 0);
        assert.equal(await store.items.version(dataset.dataset_id), version, 'what is deleted already changes nothing');
        await store.items.upsert(dataset, ids('b', 'd'));
        assert.deepEqual(await remembered(), ['a', 'only-in-events']);
        assert.equal(await store.items.delete(dataset, ['b']), 1);
        assert.deepEqual(await remembered(), ['a', 'b', 'only-in-events']);
        const changes = await store.items.changesSince(dataset.dataset_id, 0);
        assert.deepEqual(changes!.ids.sort(), ['a', 'b', 'c', 'd', 'only-in-events']);
        assert.equal(await store.items.knowsAllDeletions(dataset.dataset_id), true);

        const users = await makeDataset(store, account, 'user');
        await store.users.upsert(users, ids('u', 'v'));
        await store.users.delete(users, ['u', 'nobody']);
        assert.deepEqual(await collect(store.users.deletedIds(users.dataset_id)), []);
        assert.equal(await store.users.changesSince(users.dataset_id, 0), null);
      });

      test('a dataset remembers as many deletions as it has room for records, the newest', async () => {
        const dataset = await makeDataset(store, account, 'item', 1);
        const names = Array.from({ length: 101_000 }, (_, n) => `item-${n}`);
        for (let from = 0; from < names.length; from += 1000)
          await store.items.delete(dataset, names.slice(from, from + 1000));
        assert.deepEqual(await collect(store.items.deletedIds(dataset.dataset_id)), names.slice(1000));
        assert.equal(await store.items.knowsAllDeletions(dataset.dataset_id), false);
        assert.equal(await store.items.changesSince(dataset.dataset_id, 0), null);
      });

      test('a write to a deleted dataset is refused, and its records are gone', async () => {
        const dataset = await makeDataset(store, account, 'item');
        await store.items.upsert(dataset, ids('a'));
        await store.datasets.delete(account, 'item', dataset.dataset_id);
        await assert.rejects(store.items.upsert(dataset, ids('b')), isCode('DATASET_NOT_FOUND'));
        await eventually(async () => (await store.items.get(dataset.dataset_id, 'a')) === null);
      });
    });

    test('the records of a deleted dataset are removed, and only those', async () => {
      const kept = await makeDataset(store, account, 'event');
      const gone = await makeDataset(store, account, 'event');
      const events = Array.from({ length: PURGE_CHUNK + 50 }, (_, i) =>
        makeEvent({ event_id: `e${i}`, user_id: `u${i}` }),
      );
      for (const dataset of [kept, gone]) {
        for (let from = 0; from < events.length; from += 1000) {
          await store.events.upsert(dataset, events.slice(from, from + 1000));
        }
      }
      await store.datasets.delete(account, 'event', gone.dataset_id);
      await eventually(async () => (await store.events.internedCount(gone.dataset_id, 'user')) === 0);
      const rows = await store.database.all<{ tables: number }>(
        `SELECT (SELECT count(*) FROM event WHERE dataset_no NOT IN (SELECT dataset_no FROM dataset_count))
           + (SELECT count(*) FROM interned WHERE dataset_no NOT IN (SELECT dataset_no FROM dataset_count)) AS tables`,
      );
      assert.equal(rows[0].tables, 0);
      assert.equal((await scanAll(store, kept)).length, events.length);
      assert.equal(await countOf(store, kept), events.length);
    });

    describe('events', () => {
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

      test('attributes of events are read in blocks, without events that have none', async () => {
        const dataset = await makeDataset(store, account, 'event', 7);
        const other = await makeDataset(store, account, 'event');
        const events = Array.from({ length: 2500 }, (_, i) =>
          makeEvent({
            event_id: `e${i}`,
            user_id: `user-${i % 31}`,
            item_id: `item-${i % 13}`,
            event_type: i % 2 ? 'view' : 'buy',
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
        const found: unknown[] = [];
        for await (const block of store.events.attributeBlocks(dataset.dataset_id, 2200)) {
          assert.ok(block.length <= 1000);
          for (let row = 0; row < block.length; row++) {
            const ids = [users[block.user[row]], items[block.item[row]], types[block.type[row]]];
            found.push([...ids, JSON.parse(block.attributes[row])]);
          }
        }
        const expected = events
          .slice(-2200)
          .filter(({ attributes }) => Object.keys(attributes).length > 0)
          .map(({ user_id, item_id, event_type, attributes }) => [user_id, item_id, event_type, attributes]);
        assert.deepEqual(found, expected.reverse());
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
        assert.equal(new Set(runs).size, runs.length, 'a user stands in one run');
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
        assert.deepEqual(await collect(store.events.internedIds(dataset.dataset_id, 'user')), [
          forgottenId(0),
          'a',
          'c',
        ]);
        assert.deepEqual(await collect(store.events.internedIds(dataset.dataset_id, 'user', { from: 1, to: 2 })), [
          'a',
        ]);
        assert.equal(await store.events.internedCount(dataset.dataset_id, 'user'), 3);
        assert.equal(await store.events.internedCount(dataset.dataset_id, 'item'), 2);
        assert.equal(await store.events.internedCount(dataset.dataset_id, 'type'), 1);
        // Written anew, replaced by another user's event, deleted by time.
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

      test('another node that knew a forgotten user writes no event to the old number', async () => {
        const other = await reopen();
        const dataset = await makeDataset(store, account, 'event');
        const write = (by: Store, event_id: string) =>
          by.events.upsert(dataset, [makeEvent({ event_id, user_id: 'u' })]);
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

      test("deleting a user's events or those between two times answers how many", async () => {
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
  });
}

function ids(...all: string[]): { id: string; attributes: Record<string, unknown> }[] {
  return all.map((id) => ({ id, attributes: {} }));
}

function isCode(code: string): (error: unknown) => boolean {
  return (error) => error instanceof AppError && error.code === code;
}

async function eventually(holds: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 20_000;
  while (!(await holds())) {
    assert.ok(Date.now() < deadline, 'it did not come true in time');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
