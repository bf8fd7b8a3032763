import assert from 'node:assert/strict';
import { test } from 'node:test';
import { itemSpellings, similarType } from './look-alike.ts';

test('an item id is also looked up in other letters, without spaces, zeros, fractions', () => {
  const cases: [given: string, meant: string, examples: string[]][] = [
    ['sku-7', 'SKU-7', []],
    ['SKU-7', 'sku-7', []],
    [' sku-7 ', 'sku-7', []],
    ['sku 7', 'sku7', []],
    ['007', '7', []],
    ['sku-007', 'sku-7', []],
    ['7.0', '7', []],
    ['7', 'sku-7', ['sku-1', 'sku-22']],
    ['7', 'sku-007', ['sku-001', 'sku-022']],
    ['7', '007', ['001', '022']],
    ['item_7', '7', ['1', '22']],
  ];
  for (const [given, meant, examples] of cases) {
    assert.ok(itemSpellings(given, examples).includes(meant), `${given} → ${meant}`);
  }
});

test('an id never resembles itself, nor one with another prefix', () => {
  for (const id of ['a', '7', 'sku-7', 'SKU 7', '0']) assert.ok(!itemSpellings(id, ['sku-1']).includes(id));
  assert.ok(!itemSpellings('book-7', ['film-1', 'film-22']).includes('film-7'));
});

test('the number of look-ups has a bound', () => {
  assert.ok(itemSpellings('  Sku - 000 Ab 7.0  ', ['sku-01']).length <= 40);
});

test('a type resembles one that differs by letters, separators or one edit', () => {
  const known = ['purchase', 'add_to_cart', 'view', 'id'];
  assert.equal(similarType('Purchase', known), 'purchase');
  assert.equal(similarType('add-to-cart', known), 'add_to_cart');
  assert.equal(similarType('purchse', known), 'purchase');
  assert.equal(similarType('views', known), 'view');
  assert.equal(similarType('like', known), null);
  assert.equal(similarType('ad', known), null, 'two letters are too few to be a misspelling');
});
