import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Catalogue } from '../models/catalogue.ts';
import { ItemTexts } from './item-texts.ts';

const described = (texts: ItemTexts, catalogue: Catalogue, ids: string[], names: string[]) =>
  texts
    .of(
      ids.map((id) => catalogue.indexOf(id)),
      names,
    )
    .map((text) => JSON.parse(text));

test('items are described with the attributes asked for, null where one is lacking', () => {
  const catalogue = new Catalogue('items');
  catalogue.put('a', { title: 'A "quoted" title', price: 3 });
  catalogue.put('b', { title: 'B' });
  const texts = new ItemTexts(catalogue);
  assert.deepEqual(described(texts, catalogue, ['b', 'a'], ['price', 'title', 'item_id']), [
    { item_id: 'b', price: null, title: 'B' },
    { item_id: 'a', price: 3, title: 'A "quoted" title' },
  ]);
  assert.deepEqual(described(texts, catalogue, ['a'], []), [{ item_id: 'a' }]);
  const odd = texts.of([catalogue.indexOf('a')], ['__proto__']);
  assert.deepEqual(odd, ['{"item_id":"a","__proto__":null}']);
});

test('a changed or deleted item is described as it is now, whichever attributes were asked for before', () => {
  const catalogue = new Catalogue('items');
  catalogue.put('a', { title: 'old', price: 1 });
  catalogue.put('b', { title: 'same', price: 2 });
  const texts = new ItemTexts(catalogue);
  for (const names of [['title'], ['price'], ['title', 'price']]) described(texts, catalogue, ['a', 'b'], names);
  catalogue.put('a', { title: 'new' });
  assert.deepEqual(described(texts, catalogue, ['a', 'b'], ['title']), [
    { item_id: 'a', title: 'new' },
    { item_id: 'b', title: 'same' },
  ]);
  assert.deepEqual(described(texts, catalogue, ['a'], ['price']), [{ item_id: 'a', price: null }]);
  catalogue.remove('b');
  assert.deepEqual(described(texts, catalogue, ['b'], ['title', 'price']), [
    { item_id: 'b', title: null, price: null },
  ]);
  // More changes than the catalogue remembers.
  for (let n = 0; n < 140_000; n++) catalogue.put('b', { title: `title ${n}` });
  assert.deepEqual(described(texts, catalogue, ['b', 'a'], ['title']), [
    { item_id: 'b', title: 'title 139999' },
    { item_id: 'a', title: 'new' },
  ]);
});

test('texts are given up when they take too much, and answers stay right', () => {
  const catalogue = new Catalogue('items');
  const texts = new ItemTexts(catalogue);
  const long = 'x'.repeat(1_000_000);
  for (let n = 0; n < 50; n++) catalogue.put(`i${n}`, { long: `${n}${long}` });
  let largest = 0;
  for (let n = 0; n < 50; n++) {
    assert.equal(described(texts, catalogue, [`i${n}`], ['long'])[0].long.slice(0, 5), `${n}xxxxx`.slice(0, 5));
    largest = Math.max(largest, texts.bytes);
  }
  assert.ok(largest <= 32 * 1024 * 1024);
});
