import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ItemRecord } from '../client/api-types.ts';
import { readEntities } from '../domain/record-batch.ts';
import { MAX_TRIES, upsertLastValid } from './upsert-last-valid.ts';

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

test('a thousand refused rows with one id take a few calls, and all are reported', async () => {
  let calls = 0;
  const upsert = upsertLastValid(
    async (batch) => {
      calls++;
      const failure = { index: batch.length - 1, code: 'INVALID_RECORD', message: 'no' };
      return { succeed_ids: [], failures: [failure], warnings: [] };
    },
    (record) => (record as ItemRecord).item_id,
  );
  const { failures } = await upsert(Array.from({ length: 1000 }, () => ({ item_id: 'a' })));
  assert.equal(calls, MAX_TRIES);
  assert.deepEqual(
    failures.map(({ index }) => index).sort((a, b) => a - b),
    Array.from({ length: 1000 }, (_, index) => index),
  );
  assert.deepEqual(failures.at(-1), {
    index: 989,
    code: 'INVALID_RECORD',
    message: 'Not sent, because the last 10 rows with this id were refused: no',
  });
});
