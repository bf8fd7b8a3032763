import assert from 'node:assert/strict';
import { test } from 'node:test';
import { csvTable, peekRows } from '../../../src/import/table.ts';
import { columnOf, NO_COLUMN, nextToSend, withColumn, withPlan } from './import-file.ts';

async function* bytes(text: string) {
  yield new TextEncoder().encode(text);
}

async function importFile(id: number, name: string, text: string) {
  const { sample, table } = await peekRows(await csvTable(bytes(text)), 10);
  const columns = [...table.columns];
  return withPlan({
    id,
    file: new File([text], name),
    columns,
    table,
    sample,
    options: {},
    datasetId: null,
    newName: name,
  });
}

test('(none) for a field holds although a column has a name of that field', async () => {
  const text = 'user_id,item_id,ts,rating\nu,i,1762000000000,5\n';
  const file = await importFile(1, 'ratings.csv', text);
  assert.equal(columnOf(file, 'event_value'), 'rating');
  const without = withPlan(withColumn(file, 'event_value', NO_COLUMN));
  assert.equal(columnOf(without, 'event_value'), null);
  assert.deepEqual(
    without.plan?.attributes.map(({ name }) => name),
    ['rating'],
  );
  assert.equal(columnOf(withPlan(withColumn(without, 'event_value', 'rating')), 'event_value'), 'rating');
});

test('users are sent before events, and only files that were named and can be read', async () => {
  const events = await importFile(1, 'events.csv', 'user_id,item_id,ts\nu,i,1762000000000\n');
  const users = await importFile(2, 'users.csv', 'user_id,age\nu,3\n');
  const unclear = await importFile(3, 'unclear.csv', 'a,b\n1,2\n');
  const files = [unclear, events, users];
  assert.equal(nextToSend(files, new Set([1, 2, 3])), users);
  assert.equal(nextToSend(files, new Set([1, 3])), events);
  assert.equal(nextToSend(files, new Set([3, 4])), undefined);
});
