import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type PlanOptions, planImport } from './import-plan.ts';
import { recordMaker } from './record-maker.ts';
import { csvTable, jsonLinesTable, peekRows, type Table } from './table.ts';

async function* bytes(text: string) {
  yield Buffer.from(text);
}

async function recordsOf(opened: Promise<Table>, options: PlanOptions = {}, sampleRows = 100) {
  const { sample, table } = await peekRows(await opened, sampleRows);
  const plan = planImport(table, sample, options);
  const rows = (await Array.fromAsync(table.pieces)).flat();
  return rows.map(recordMaker(plan));
}
const csvRecords = (text: string, options?: PlanOptions) => recordsOf(csvTable(bytes(text)), options);

const EVENT = { event_id: 'e', user_id: 'u', item_id: 'i', ts: 1_762_000_000_000, event_type: 'view' };

test('a skipped column is left out, whatever its name', async () => {
  assert.deepEqual(
    await csvRecords('event_id,user_id,item_id,ts,type,rating\ne,u,i,1762000000000,buy,5\n', {
      skip: ['type', 'rating'],
    }),
    [EVENT],
  );
  assert.deepEqual(await csvRecords('user_id,item_id,name\nu,i,Lamp\n', { skip: ['user_id'] }), [
    { item_id: 'i', attributes: { name: 'Lamp' } },
  ]);
  await assert.rejects(csvRecords('id,name\n1,Lamp\n', { kind: 'items', skip: ['id'] }), /no column for item_id/);
  await assert.rejects(
    csvRecords('user_id,item_id,seen_at\nu,i,1762000000000\n', { skip: ['seen_at'] }),
    /no column for ts/,
  );
  const lines = '{"item_id":"i","attributes":{"secret":1}}\n';
  assert.deepEqual(await recordsOf(jsonLinesTable(bytes(lines)), { skip: ['attributes'] }), [
    { item_id: 'i', attributes: {} },
  ]);
});

test('a skipped column that first appears late is left out too', async () => {
  async function* chunks() {
    yield Buffer.from(`${JSON.stringify(EVENT)}\n`);
    yield Buffer.from(`${JSON.stringify({ ...EVENT, event_value: 9, attributes: { secret: 1 } })}\n`);
  }
  const records = await recordsOf(jsonLinesTable(chunks()), { skip: ['event_value', 'attributes'] }, 1);
  assert.deepEqual(records[1], { ...EVENT, attributes: {} });
});

test('orders of Shopify are events of the e-mail addresses, elsewhere an e-mail address is an attribute', async () => {
  const orders = 'Name,Email,Created at,Lineitem sku\n#1,ann@example.com,2026-01-02 10:00:00 +0000,tea\n';
  const ids = async (text: string, options?: PlanOptions) => {
    const [{ user_id, item_id }] = (await csvRecords(text, options)) as { user_id?: string; item_id?: string }[];
    return [user_id, item_id];
  };
  assert.deepEqual(await ids(orders), ['ann@example.com', 'tea']);
  assert.deepEqual(await ids(orders.replace('Name', 'Customer ID')), ['#1', 'tea']);
  await assert.rejects(csvRecords(orders.replace('Email', 'Phone')), /no column for user_id/);
  assert.deepEqual(await ids('email,sku,created_at\nann@example.com,tea,2026-01-02\n'), [undefined, 'tea']);
  assert.deepEqual(await ids('email,sku,created_at\na@b.c,tea,2026-01-02\n', { kind: 'events' }), ['a@b.c', 'tea']);
  assert.deepEqual(await ids('id,email,age\n7,a@b.c,30\n', { kind: 'users' }), ['7', undefined]);
});

test('an error about missing columns lists those of a wide table', async () => {
  const columns = Array.from({ length: 80 }, (_, index) => `Column no ${index}`);
  await assert.rejects(csvRecords(`user_id,${columns.join(',')}\n`, { kind: 'events' }), {
    message: /no column for item_id, ts: .*Column no 20, .*Column no 79; name/,
  });
});

test('a field without a column stays without one, and the column becomes an attribute', async () => {
  const map = { event_id: null, event_value: null };
  assert.deepEqual(await csvRecords('id,user_id,item_id,ts,rating\n7,u,i,1762000000000,5\n', { map }), [
    { ...EVENT, event_id: 'u:i:1762000000000:view', attributes: { id: 7, rating: 5 } },
  ]);
});
