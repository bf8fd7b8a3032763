import assert from 'node:assert/strict';
import { test } from 'node:test';
import { itemSpellings, similarType } from './look-alike.ts';

test('an item id is also looked up in other letters, without spaces, zeros, fractions', () => {
  const cases: [given: string, meant: string, examples: string[]][] = [
    ['sku-7', 'SKU-7', []],
    ['SKU-7', 'sku-7', []],
    [' sku-7 ', 'sku-7', []],
    ['sku 7', 'sku7', []],
    [' blue shirt ', 'blue shirt', []],
    ['blue \t shirt', 'blue shirt', []],
    ['007', '7', []],
    ['sku-007', 'sku-7', []],
    ['7.0', '7', []],
    ['17.00', '17', []],
    ['7', 'sku-7', ['sku-1', 'sku-22']],
    ['7', 'sku-007', ['sku-001', 'sku-022']],
    ['7', '007', ['001', '022']],
    ['item_7', '7', ['1', '22']],
    ['item007', 'Item007', ['Item001', 'Item022']],
    ['ITEM7', 'Item007', ['Item001', 'Item022']],
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
  assert.equal(similarType('addToCart', known), 'add_to_cart');
  assert.equal(similarType('purchse', known), 'purchase');
  assert.equal(similarType('views', known), 'view');
  assert.equal(similarType('like', known), null);
  assert.equal(similarType('ad', known), null, 'two letters are too few to be a misspelling');
});

test('a spelling in the style of the catalog needs more than half of its ids in that style', () => {
  const has = (given: string, meant: string, examples: string[]) => itemSpellings(given, examples).includes(meant);
  assert.equal(has('7', 'sku-7', ['sku-1', 'a-1']), false);
  assert.equal(has('7', 'sku-7', ['sku-1', 'sku-22', 'a-1']), true);
  assert.equal(has('7', 'sku-7', ['sku-1', 'blue', 'red']), false);
  assert.equal(has('7', 'sku-7', ['sku-022', 'sku-1']), true, 'widths differ, so digits are not padded');
  assert.equal(has('7', 'sku-07', ['sku-11', 'sku-22']), false, 'no id begins with a zero');
  assert.equal(has('sku-7', 'sku-007', ['sku-001', 'sku-022']), true);
  assert.equal(has('7', 'sku-007', ['sku-122', 'sku-001']), true);
  assert.equal(has('0007', 'sku-007', ['sku-001', 'sku-022']), true);
});

test('only zeros before the number are left out', () => {
  assert.ok(itemSpellings('a1-007', []).every((spelling) => spelling.toLowerCase() === 'a1-007'));
  assert.deepEqual(itemSpellings('7.05', []), []);
  assert.ok(itemSpellings('0', []).every((spelling) => spelling !== ''));
  assert.ok(itemSpellings('v7.0', []).every((spelling) => spelling.toLowerCase() === 'v7.0'));
});

test('a type resembles one with two letters swapped, but not one that is much longer', () => {
  assert.equal(similarType('purhcase', ['purchase']), 'purchase');
  assert.equal(similarType('cart', ['carts_2']), null);
  assert.equal(similarType('ad', ['add']), null);
  assert.equal(similarType('buy', ['bye']), null);
  assert.equal(similarType('buy', ['bux']), 'bux');
});

test('ids with digits in their prefix have no style', () => {
  assert.deepEqual(itemSpellings('9', ['a1-7', 'a1-8']), []);
  assert.deepEqual(itemSpellings('blue', ['sku-1', 'sku-2']), ['BLUE']);
  assert.deepEqual(itemSpellings('blue', ['1', '2']), ['BLUE']);
  assert.deepEqual(itemSpellings('7x', ['sku-1', 'sku-2']), ['7X']);
  assert.deepEqual(itemSpellings('a1-7', ['1', '2']), ['A1-7']);
});
