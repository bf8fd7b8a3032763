import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type PlanOptions, planImport } from './import-plan.ts';
import { recordMaker } from './record-maker.ts';
import { runImport } from './run-import.ts';
import { jsonLinesTable, peekRows } from './table.ts';

/** A plan is made from the first row alone. */
async function openLines(first: object, late: object[]) {
  async function* chunks() {
    yield Buffer.from(`${JSON.stringify(first)}\n`);
    yield Buffer.from(late.map((row) => `${JSON.stringify(row)}\n`).join(''));
  }
  return peekRows(await jsonLinesTable(chunks()), 1);
}

async function lateRecords(first: object, late: object[], options: PlanOptions = {}) {
  const { sample, table } = await openLines(first, late);
  const plan = planImport(table, sample, options);
  const make = recordMaker(plan);
  const pieces = await Array.fromAsync(table.pieces);
  const [, ...records] = pieces.flat().map(make);
  return { plan, records };
}

const EVENT = { event_id: 'e', user_id: 'u', item_id: 'i', ts: 1_762_000_000_000 };

test("fields of the API's own format that first appear late are fields", async () => {
  const late = [
    { ...EVENT, event_type: 'purchase', event_value: -5, recommendation_id: 'r', attributes: { device: 'phone' } },
    { ...EVENT, event_type: null, event_value: null, attributes: null, page: '/a' },
    EVENT,
  ];
  const { plan, records } = await lateRecords(EVENT, late);
  assert.deepEqual(records, [
    late[0],
    { ...EVENT, event_type: 'view', attributes: { page: '/a' } },
    { ...EVENT, event_type: 'view', attributes: {} },
  ]);
  assert.deepEqual(plan.notes, ['events without event_type get view']);
});

test('attributes of items and users that first appear late are not nested', async () => {
  for (const id of [{ item_id: 'i' }, { user_id: 'u' }]) {
    const { records } = await lateRecords(id, [{ ...id, attributes: { color: 'red' }, size: 4 }, id]);
    assert.deepEqual(records, [
      { ...id, attributes: { color: 'red', size: 4 } },
      { ...id, attributes: {} },
    ]);
  }
});

test('an event_id that first appears late is taken, and events without one get theirs as before', async () => {
  const { event_id: _, ...event } = EVENT;
  const { records } = await lateRecords(event, [EVENT, event]);
  assert.deepEqual(
    records.map((record) => 'event_id' in record && record.event_id),
    ['e', 'u:i:1762000000000:view'],
  );
});

test('a field with a column keeps it, and late columns can be skipped and cut into lists', async () => {
  const first = { ...EVENT, price: 3 };
  const late = [{ ...first, event_value: 9, secret: 'x', tags: 'a+b' }];
  const options: PlanOptions = { map: { event_value: 'price' }, skip: ['secret'], lists: { tags: '+' } };
  const { records } = await lateRecords(first, late, options);
  assert.deepEqual(records, [
    { ...EVENT, event_type: 'view', event_value: 3, attributes: { event_value: 9, tags: ['a', 'b'] } },
  ]);
});

test('a file that is opened again after the preview, as the console does, has its late columns too', async () => {
  const late = [{ item_id: 'j', attributes: { color: 'red' }, size: 4 }];
  const preview = await openLines({ item_id: 'i' }, late);
  const { table } = await openLines({ item_id: 'i' }, late);
  const stored: unknown[] = [];
  await runImport({
    plan: planImport(preview.table, preview.sample),
    table,
    parallel: 1,
    signal: new AbortController().signal,
    upsert: async (records) => {
      stored.push(...records);
      return { succeed_ids: ['i', 'j'], failed_ids: [], failures: [], warnings: [] };
    },
    onBatch: () => {},
  });
  assert.deepEqual(stored, [
    { item_id: 'i', attributes: {} },
    { item_id: 'j', attributes: { color: 'red', size: 4 } },
  ]);
});
