import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Catalog } from './catalog.ts';
import { LastIds } from './last-ids.ts';

test('every item has its own id, however many share a place', () => {
  const catalog = new Catalog('items');
  for (let n = 0; n < 20_000; n++) catalog.put(`i${n}`, {});
  for (const n of [0, 8192, 16_384, 0, 8191, 16_383, 0]) assert.equal(catalog.itemId(n), `i${n}`);
});

test('an id that was read last is not read again, and what is unknown stays unknown', () => {
  const read: number[] = [];
  const ids = new LastIds((item) => {
    read.push(item);
    return item >= 0 ? `i${item}` : (undefined as unknown as string);
  });
  for (const item of [3, 3, 8195, 3, 3]) ids.at(item);
  assert.deepEqual(read, [3, 8195, 3]);
  assert.equal(ids.at(3), 'i3');
  assert.equal(ids.at(-1), undefined);
});
