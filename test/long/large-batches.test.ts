// Batches as large as a client may send, and what becomes of them.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startTestService, type TestService } from '../support/service.ts';

let service: TestService;
before(async () => {
  service = await startTestService();
});
after(() => service.stop());

/** As clients write JSON that keep to ASCII. */
const escaped = (value: unknown) =>
  JSON.stringify(value).replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

test('a thousand events of almost 20 kB, each written with escapes, are stored in one call', async () => {
  const { event_dataset_id } = await service.ok('POST', '/create-event-dataset', { name: 'large' });
  const events = Array.from({ length: 1000 }, (_, n) => ({
    event_id: `e${n}`,
    user_id: 'u',
    item_id: `i${n}`,
    ts: 1_762_000_000_000 + n,
    event_type: 'view',
    attributes: { note: 'é'.repeat(9_900) },
  }));
  assert.ok(Buffer.byteLength(JSON.stringify(events[999])) > 19_900);
  const raw = escaped({ event_dataset_id, events });
  assert.ok(raw.length > 56 * 1024 * 1024);
  const { status, body } = await service.call('POST', '/upsert-dataset-events', undefined, { raw });
  assert.equal(status, 200, JSON.stringify(body).slice(0, 500));
  assert.deepEqual(
    body.succeed_ids,
    events.map(({ event_id }) => event_id),
  );
  const record = await service.ok('GET', '/get-dataset-record', { event_dataset_id, event_id: 'e999' });
  assert.deepEqual(record.attributes, events[999].attributes);
});

test('a large batch works like a small one: each record alone, the last of an id, nothing of too many', async () => {
  const attribute_schema = { price: 'NUMERICAL' };
  const { item_dataset_id } = await service.ok('POST', '/create-item-dataset', { name: 'items', attribute_schema });
  const note = (length: number) => ({ price: 1, note: 'n'.repeat(length) });
  const batch = (length: number) => [
    { item_id: 'good', attributes: note(length) },
    { item_id: 'twice', attributes: note(1) },
    { item_id: 'wrong', attributes: { price: 'much' } },
    { item_id: 'unknown', price: 1 },
    { item_id: '', attributes: {} },
    'text',
    { item_id: 'twice', attributes: note(2) },
  ];
  const upsert = (items: unknown[]) => service.call('POST', '/upsert-dataset-items', { item_dataset_id, items });
  const small = await upsert(batch(10));
  const large = await upsert(batch(900_000));
  assert.equal(large.status, 200);
  assert.deepEqual(large.body, small.body);
  assert.deepEqual(large.body.succeed_ids, ['good', 'twice']);
  const record = await service.ok('GET', '/get-dataset-record', { item_dataset_id, item_id: 'good' });
  assert.equal(record.attributes.note.length, 900_000);

  const many = await upsert(Array.from({ length: 1001 }, (_, n) => ({ item_id: `${n}`, attributes: note(100) })));
  assert.equal(many.body.code, 'BATCH_TOO_LARGE');
  const elsewhere = { item_dataset_id: 'ids_none', items: batch(900_000) };
  const missing = await service.call('POST', '/upsert-dataset-items', elsewhere);
  assert.equal(missing.body.code, 'DATASET_NOT_FOUND');
  assert.equal((await service.ok('GET', '/get-item-dataset', { item_dataset_id })).num_records, 2);
});
