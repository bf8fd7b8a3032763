import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ItemRecord } from '../client/api-types.ts';
import { readEntities } from '../domain/record-batch.ts';
import { upsertLastValid } from './upsert-last-valid.ts';

test('of rows with the same id the last valid one is stored, and every refused one that could be it is reported', async () => {
  const stored = new Map<string, unknown>();
  const calls: number[] = [];
  const upsert = upsertLastValid(
    async (batch) => {
      calls.push(batch.length);
      const { records, failures } = readEntities(batch, 'item_id', { price: 'NUMERICAL' });
      for (const { id, attributes } of records) stored.set(id, attributes.price);
      return { succeed_ids: records.map(({ id }) => id), failures, warnings: [] };
    },
    (record) => (record as ItemRecord).item_id,
  );
  const row = (item_id: string, price: unknown): ItemRecord => ({ item_id, attributes: { price } });
  const rows = [row('a', 9), row('b', 5), row('a', 'none'), row('a', 'sold out'), row('c', 'x'), row('b', 6)];
  const { succeed_ids, failures } = await upsert(rows);
  assert.deepEqual(Object.fromEntries(stored), { a: 9, b: 6 });
  assert.deepEqual([...succeed_ids].sort(), ['a', 'b']);
  assert.deepEqual(failures.map(({ index }) => index).sort(), [2, 3, 4]);
  assert.deepEqual(calls, [6, 1, 1]);
});
