import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { textsOf } from '../../domain/record-columns.ts';
import { ParserPool } from './parser-pool.ts';

const pool = new ParserPool({ threads: 1 });
after(() => pool.close());

const owned = (bytes: Buffer) => [Buffer.from(new Uint8Array(bytes).buffer)];

function open(from: ParserPool, body: unknown, { accountId = 'a', gzip = false, isWanted = (): boolean => true } = {}) {
  const text = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  return from.open({
    accountId,
    name: 'items',
    blocks: owned(gzip ? gzipSync(text) : text),
    contentEncoding: gzip ? 'gzip' : undefined,
    isWanted,
  });
}

test('a body is opened, then checked against the schema, and comes back as columns with its failures', async () => {
  const items = [
    { item_id: 'a', attributes: { price: 1 } },
    { item_id: 'b', attributes: { price: 'much' } },
    { item_id: 'c', attributes: { title: 'é' } },
    7,
  ];
  const { frame, batch } = await open(pool, { item_dataset_id: 'ids_1', items }, { gzip: true });
  assert.deepEqual(frame, { item_dataset_id: 'ids_1' });
  const { ids, indexes, failures, columns } = await batch.check({ price: 'NUMERICAL' }, { nowMs: 0 });
  assert.deepEqual(ids, ['a', 'c']);
  assert.deepEqual(indexes, [0, 2]);
  assert.deepEqual(
    failures.map(({ index, code }) => [index, code]),
    [
      [1, 'ATTRIBUTE_TYPE_MISMATCH'],
      [3, 'INVALID_RECORD'],
    ],
  );
  assert.deepEqual(textsOf(columns.attributes), ['{"price":1}', '{"title":"é"}']);
});

test('what is wrong with a body is said as on the API thread, and the thread continues', async () => {
  await assert.rejects(open(pool, '{'), { code: 'INVALID_JSON' });
  await assert.rejects(open(pool, { items: [] }), {
    code: 'INVALID_REQUEST',
    errors: [{ pointer: '/item_dataset_id', message: 'is required' }],
  });
  const items = Array.from({ length: 1001 }, (_, n) => ({ item_id: `${n}` }));
  await assert.rejects(open(pool, { item_dataset_id: 'ids_1', items }), { code: 'BATCH_TOO_LARGE' });
  await assert.rejects(open(pool, { item_dataset_id: 'ids_1', items: [] }, { isWanted: () => false }));
  (await open(pool, { item_dataset_id: 'ids_1', items: [] })).batch.drop();
});

test('a batch that is dropped makes room for the next, and accounts take turns', async () => {
  const body = { item_dataset_id: 'ids_1', items: [] };
  const first = await open(pool, body, { accountId: 'a' });
  const order: string[] = [];
  const others = ['a', 'a', 'a', 'b'].map(async (accountId) => {
    const { batch } = await open(pool, body, { accountId });
    order.push(accountId);
    batch.drop();
    batch.drop();
    await assert.rejects(batch.check(null, { nowMs: 0 }));
  });
  first.batch.drop();
  await Promise.all(others);
  assert.deepEqual(order, ['a', 'b', 'a', 'a']);
});

test('an account whose bodies wait for the store leaves a thread to others', async () => {
  const shared = new ParserPool({ threads: 3 });
  const body = { item_dataset_id: 'ids_1', items: [] };
  const held = await Promise.all([open(shared, body), open(shared, body)]);
  let isOpen = false;
  const third = open(shared, body).then((opened) => {
    isOpen = true;
    return opened;
  });
  (await open(shared, body, { accountId: 'b' })).batch.drop();
  assert.equal(isOpen, false);
  for (const { batch } of held) batch.drop();
  (await third).batch.drop();
  await shared.close();
});

test('a body that takes more memory than a thread has is refused, and the next one is read', async () => {
  const small = new ParserPool({ threads: 1, heapMb: 64 });
  try {
    const items = Array.from({ length: 1000 }, (_, n) => ({
      item_id: `${n}`,
      attributes: { of: Array(1500).fill({}) },
    }));
    await assert.rejects(open(small, { item_dataset_id: 'ids_1', items }), { code: 'BODY_TOO_LARGE' });
    const { batch } = await open(small, { item_dataset_id: 'ids_1', items: [{ item_id: 'next' }] });
    assert.deepEqual((await batch.check(null, { nowMs: 0 })).ids, ['next']);
  } finally {
    await small.close();
  }
});
