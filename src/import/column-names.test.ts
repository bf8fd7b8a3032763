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

test('a field without a column stays without one, and the column becomes an attribute', async () => {
  const map = { event_id: null, event_value: null };
  assert.deepEqual(await csvRecords('id,user_id,item_id,ts,rating\n7,u,i,1762000000000,5\n', { map }), [
    { ...EVENT, event_id: 'u:i:1762000000000:view', attributes: { id: 7, rating: 5 } },
  ]);
});
