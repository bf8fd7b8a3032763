import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseFilter } from '../../../test/support/parse-filter.ts';
import { attributesIn } from './filter-attributes.ts';

test('the attributes of a filter are those of all its conditions, each once', () => {
  const cases: [text: string, names: string[]][] = [
    ['price < 5', ['price']],
    ["item_id = 'a' AND tags CONTAINS 'x' AND brand IN ('a', 'b')", ['item_id', 'tags', 'brand']],
    ["price < 5 OR (color = 'red' AND price > 9)", ['price', 'color']],
    ['NOT (stock IS NULL)', ['stock']],
    ['price * 2 < msrp - rebate', ['price', 'msrp', 'rebate']],
    ['time(added) < time(sold)', ['added', 'sold']],
    ['distance_km(lat, lon, 48, 11) < radius + 1', ['lat', 'lon', 'radius']],
    ['1 = 1', []],
    ['price + 1 < 5 AND 2 = 2', ['price']],
  ];
  for (const [text, names] of cases) assert.deepEqual([...attributesIn(parseFilter(text))], names, text);
});
