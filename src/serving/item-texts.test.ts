import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Catalog } from '../catalog/catalog.ts';
import { ItemTexts } from './item-texts.ts';

/** Never refuses a response. */
const ROOM = { take: () => {} };

const described = async (texts: ItemTexts, catalog: Catalog, ids: string[], names: string[]) => {
  const items = ids.map((id) => catalog.indexOf(id));
  const shown = (await texts.of(items, names, ROOM)).map((text) => JSON.parse(text));
  // The second time they are found.
  assert.deepEqual(
    shown,
    [...(await texts.of(items, names, ROOM))].map((text) => JSON.parse(text)),
  );
  return shown;
};

test('items are described with the attributes asked for, null where one is lacking', async () => {
  const catalog = new Catalog('items');
  catalog.put('a', { title: 'A "quoted" title', price: 3 });
  catalog.put('b', { title: 'B' });
  const texts = new ItemTexts(catalog);
  assert.deepEqual(await described(texts, catalog, ['b', 'a'], ['price', 'title', 'item_id']), [
    { item_id: 'b', price: null, title: 'B' },
    { item_id: 'a', price: 3, title: 'A "quoted" title' },
  ]);
  assert.deepEqual(await described(texts, catalog, ['a'], []), [{ item_id: 'a' }]);
});

test('a changed or deleted item is described as it is now, whichever attributes were asked for before', async () => {
  const catalog = new Catalog('items');
  catalog.put('a', { title: 'old', price: 1 });
  catalog.put('b', { title: 'same', price: 2 });
  const texts = new ItemTexts(catalog);
  for (const names of [['title'], ['price'], ['title', 'price']]) await described(texts, catalog, ['a', 'b'], names);
  catalog.put('a', { title: 'new' });
  assert.deepEqual(await described(texts, catalog, ['a', 'b'], ['title']), [
    { item_id: 'a', title: 'new' },
    { item_id: 'b', title: 'same' },
  ]);
  assert.deepEqual(await described(texts, catalog, ['a'], ['price']), [{ item_id: 'a', price: null }]);
  catalog.remove('b');
  assert.deepEqual(await described(texts, catalog, ['b'], ['title', 'price']), [
    { item_id: 'b', title: null, price: null },
  ]);
  // More changes than the catalog's log holds.
  for (let n = 0; n < 140_000; n++) catalog.put('b', { title: `title ${n}` });
  assert.deepEqual(await described(texts, catalog, ['b', 'a'], ['title']), [
    { item_id: 'b', title: 'title 139999' },
    { item_id: 'a', title: 'new' },
  ]);
});

test('many changes among many rows of attributes drop all texts instead of looking for each', async () => {
  const catalog = new Catalog('items');
  for (const id of ['a', 'b']) catalog.put(id, { title: `old ${id}` });
  const texts = new ItemTexts(catalog);
  const rows = Array.from({ length: 200 }, (_, n) => ['title', `extra ${n}`]);
  for (const names of rows) await described(texts, catalog, ['a', 'b'], names);
  const change = async (times: number) => {
    for (let n = 1; n <= times; n++) catalog.put('a', { title: `new ${n}` });
    await texts.of([], [], ROOM);
  };
  await change(500);
  assert.ok(texts.bytes > 0);
  await change(501);
  assert.equal(texts.bytes, 0);
  assert.deepEqual(await described(texts, catalog, ['b', 'a'], ['title']), [
    { item_id: 'b', title: 'old b' },
    { item_id: 'a', title: 'new 501' },
  ]);
});

test('texts are given up when they take too much, and responses stay right', async () => {
  const catalog = new Catalog('items');
  const texts = new ItemTexts(catalog);
  const long = 'x'.repeat(1_000_000);
  for (let n = 0; n < 50; n++) catalog.put(`i${n}`, { long: `${n}${long}` });
  let largest = 0;
  for (let n = 0; n < 50; n++) {
    assert.equal((await described(texts, catalog, [`i${n}`], ['long']))[0].long.slice(0, 5), `${n}xxxxx`.slice(0, 5));
    largest = Math.max(largest, texts.bytes);
  }
  assert.ok(largest <= 32 * 1024 * 1024);
});
