// Users and items on any store: upserts, patches, lists and deletions. Part of store-suite.ts.
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { capacityOf } from '../../src/domain/dataset.ts';
import { AppError } from '../../src/errors.ts';
import type { IdRange } from '../../src/store/record-store.ts';
import type { Store } from '../../src/store/store.ts';
import { eventually } from './eventually.ts';
import { collect, countOf, makeDataset } from './store-fixtures.ts';
import type { OpenedStore } from './store-suite-parts.ts';

export function describeRecords(opened: () => OpenedStore): void {
  describe('records', () => {
    let store: Store;
    let account: string;
    let reopen: () => Promise<Store>;

    before(() => {
      ({ store, account, reopen } = opened());
    });

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

    test('patches that create add to a record of which neither knew, up to the capacity', async () => {
      const dataset = await makeDataset(store, account, 'user');
      const other = await reopen();
      const patches = [store, other].flatMap((node, n) =>
        Array.from({ length: 10 }, (_, i) =>
          node.users.patch(dataset, [{ id: 'a', attributes: { [`n${n}-${i}`]: i, gone: null } }], { creates: true }),
        ),
      );
      for (const outcome of await Promise.all(patches)) assert.deepEqual(outcome, ['stored']);
      await other.close();
      const { attributes } = (await store.users.get(dataset.dataset_id, 'a'))!;
      assert.equal(Object.keys(attributes).length, 20);
      const params = [capacityOf(dataset) - 1, dataset.dataset_id];
      await store.database.atomic([{ sql: 'UPDATE dataset_count SET num_records = ? WHERE dataset_id = ?', params }]);
      const last = ['b', 'c', 'a'].map((id) => ({ id, attributes: { n: 1 } }));
      const outcomes = await store.users.patch(dataset, last, { creates: true });
      assert.deepEqual(outcomes, ['stored', 'full', 'stored']);
      const [a, b, c] = await store.users.getMany(dataset.dataset_id, ['a', 'b', 'c']);
      assert.deepEqual([a!.attributes.n, b!.attributes, c], [1, { n: 1 }, null]);
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

    test('deleting returns how many there were', async () => {
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

    test('a search finds text in ids and attributes, and takes every character literally', async () => {
      const dataset = await makeDataset(store, account, 'item');
      await store.items.upsert(dataset, [
        { id: 'film_1', attributes: { title: 'The Third Man' } },
        { id: 'film21', attributes: { title: 'Alien' } },
        { id: 'a "b"\\c', attributes: {} },
        { id: 'quoted', attributes: { title: 'The 7" of "Café\\Bar"' } },
      ]);
      const found = async (text: string) =>
        (await store.items.list(dataset.dataset_id, { page_size: 10, page_token: null }, text)).entries.map(
          ({ id }) => id,
        );
      assert.deepEqual(await found('third'), ['film_1']);
      assert.deepEqual(await found('film_'), ['film_1']);
      assert.deepEqual(await found('%'), []);
      assert.deepEqual(await found('7" OF "Café\\b'), ['quoted']);
      assert.deepEqual(await found('"B"\\'), ['a "b"\\c']);
      assert.deepEqual(await found('"'), ['quoted', 'a "b"\\c']);
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

    test('cuts divide the records into ranges that a scan reads one by one', async () => {
      const dataset = await makeDataset(store, account, 'item');
      const other = await makeDataset(store, account, 'item');
      const all = Array.from({ length: 25 }, (_, i) => `item-${i}`);
      // Beyond the first plane the order of bytes is not that of UTF-16.
      all.push('Z', 'a', 'é', '\u{ff5e}', '\u{1f600}');
      await store.items.upsert(dataset, ids(...all));
      await store.items.upsert(other, ids('b', 'item-3'));
      const cuts = await store.items.cuts(dataset.dataset_id, 7, 10);
      assert.equal(cuts.length, 4);
      assert.deepEqual(await store.items.cuts(dataset.dataset_id, 7, 2), cuts.slice(0, 2));
      assert.deepEqual(await store.items.cuts(dataset.dataset_id, 31, 10), []);
      const idsIn = async (range?: IdRange) =>
        (await collect(store.items.scan(dataset.dataset_id, 3, range))).map(({ id }) => id);
      const parts: string[][] = [];
      for (const [n, after] of ['', ...cuts].entries()) parts.push(await idsIn({ after, upTo: cuts[n] ?? null }));
      assert.deepEqual(
        parts.map(({ length }) => length),
        [7, 7, 7, 7, 2],
      );
      assert.deepEqual(parts.flat(), await idsIn(), 'in the order of the whole scan');
      assert.deepEqual(parts.flat().sort(), all.sort());
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
}

function ids(...all: string[]): { id: string; attributes: Record<string, unknown> }[] {
  return all.map((id) => ({ id, attributes: {} }));
}

function isCode(code: string): (error: unknown) => boolean {
  return (error) => error instanceof AppError && error.code === code;
}
