import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseFilter } from '../../test/support/parse-filter.ts';
import { Catalog } from '../catalog/catalog.ts';
import { emptyWarning, filterWarnings } from './filter-warnings.ts';

function shop(): Catalog {
  const catalog = new Catalog('items');
  catalog.put('i1', { color: 'red', price: 3, 'in stock': true, since: '2026-11-15', size: 40 });
  catalog.put('i2', { color: 'blue', price: 5, 'in stock': false, since: 1_700_000_000_000, size: 'L' });
  return catalog;
}

const warningsOf = (text: string, catalog = shop()) => filterWarnings(parseFilter(text), catalog);
const codesOf = (text: string) => warningsOf(text).map(({ code }) => code);
const messagesOf = (text: string) => warningsOf(text).map(({ message }) => message);

test('a filter on attributes and types that items have brings no warning', () => {
  const fitting = [
    `color = 'red' AND price > 3`,
    `color IN ('red', 'green') OR "in stock" = true`,
    `NOT (color IS NULL)`,
    `size = 40`,
    `size = 'L'`,
    `price IN ('3', 3)`,
    `price * 2 < size + 1`,
    'days_since(since) < 7',
    'days_since(price) < 7',
    'distance_km(price, size, 1, 2) < 7',
    `item_id = 'i1' AND item_id != 'nobody'`,
  ];
  for (const text of fitting) assert.deepEqual(warningsOf(text), [], text);
});

test('an attribute that no item has is named, with the nearest that items have', () => {
  assert.deepEqual(warningsOf(`colour = 'red'`), [
    { code: 'UNKNOWN_ATTRIBUTE', message: 'No item has an attribute colour. Did you mean color?' },
  ]);
  assert.deepEqual(messagesOf(`"in stok" = true`), ['No item has an attribute "in stok". Did you mean "in stock"?']);
  assert.deepEqual(messagesOf('warehouse IS NULL'), ['No item has an attribute warehouse.']);
});

test('an attribute is looked at wherever it is in the filter, and warned of once', () => {
  const places = [
    `price > 1 AND prise > 1`,
    `price > 1 OR prise > 1`,
    'NOT (prise > 1)',
    'prise IS NOT NULL',
    'prise IN (1, 2)',
    'prise + 1 > 2',
    '2 < 1 + prise',
    'price * (prise - 1) > 2',
    'days_since(prise) < 7',
    'distance_km(1, 2, prise, 3) < 7',
    'prise > 1 AND prise < 9',
  ];
  for (const text of places) assert.deepEqual(codesOf(text), ['UNKNOWN_ATTRIBUTE'], text);
});

test('a value of a type that no item has is told with what to write', () => {
  assert.deepEqual(messagesOf(`price = '3'`), [
    'price holds numbers. The filter compares it with text. Write 3 without quotes.',
  ]);
  assert.deepEqual(messagesOf(`price = 'cheap'`), ['price holds numbers. The filter compares it with text.']);
  assert.deepEqual(messagesOf(`price = ' '`), ['price holds numbers. The filter compares it with text.']);
  assert.deepEqual(messagesOf('color = 3'), [
    `color holds text. The filter compares it with a number. Text is in single quotes: '3'.`,
  ]);
  assert.deepEqual(messagesOf('color IN (true, false)'), ['color holds text. The filter compares it with true.']);
  assert.deepEqual(messagesOf(`"in stock" = 'yes'`), [
    '"in stock" holds true and false. The filter compares it with text.',
  ]);
  assert.match(messagesOf('size = true')[0], /^size holds (text and numbers|numbers and text)\. /);
});

test('a filter that computes with what is no number is told', () => {
  const absent = 'The filter computes with it, so it counts as absent.';
  assert.deepEqual(messagesOf('color * 2 > 1'), [`color holds text. ${absent}`]);
  assert.deepEqual(messagesOf('distance_km(color, 1, 2, 3) < 7'), [`color holds text. ${absent}`]);
  assert.deepEqual(messagesOf('days_since("in stock") < 7'), [`"in stock" holds true and false. ${absent}`]);
  assert.deepEqual(messagesOf(`"in stock" + 1 > price`), [`"in stock" holds true and false. ${absent}`]);
});

test('a filter on the age of texts that are no times is told with how to write them', () => {
  const catalog = shop();
  for (const [n, date] of ['01.02.2025', '31.12.2025', ''].entries()) catalog.put(`d${n}`, { 'new since': date });
  assert.deepEqual(warningsOf(`days_since("new since") < 100`, catalog), [
    {
      code: 'WRONG_TYPE',
      message: `"new since" holds texts that are no times, such as '01.02.2025'. Write times as in '2025-02-01' or '2025-02-01T18:30:00Z', or in milliseconds.`,
    },
  ]);
  assert.deepEqual(codesOf('days_since(color) < 7'), ['WRONG_TYPE']);
  catalog.put('d3', { 'new since': '2025-02-01' });
  assert.deepEqual(warningsOf(`days_since("new since") < 100`, catalog), []);
});

test('a filter brings three warnings at most', () => {
  assert.equal(warningsOf('a1 = 1 AND a2 = 1 AND a3 = 1').length, 3);
  assert.equal(warningsOf('a1 = 1 AND a2 = 1 AND a3 = 1 AND a4 = 1').length, 3);
});

test('warnings follow the catalog', () => {
  const catalog = shop();
  const filter = parseFilter(`brand = 'x'`);
  assert.equal(filterWarnings(filter, catalog).length, 1);
  assert.equal(filterWarnings(filter, catalog), filterWarnings(filter, catalog), 'the same until something changes');
  catalog.put('i3', { brand: 'x' });
  assert.deepEqual(filterWarnings(filter, catalog), []);
});

test('a filter that nothing meets is told apart from one that can never hold', () => {
  const { code, message } = emptyWarning(parseFilter(`color = 'green'`));
  assert.deepEqual([code, message], ['FILTER_MATCHES_NOTHING', 'No item meets the filter. Try a broader one.']);
  const never = emptyWarning({ kind: 'constant', holds: false }).message;
  assert.match(never, /^No item meets the filter: an attribute .*, or a list of filter_params, is missing, empty/);
});
