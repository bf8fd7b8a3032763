import assert from 'node:assert/strict';
import { test } from 'node:test';
import { csvTable, peekRows } from '../../../src/import/table.ts';
import { columnOf, NO_COLUMN, withColumn, withPlan } from './import-file.ts';

async function* bytes(text: string) {
  yield new TextEncoder().encode(text);
}

test('(none) for a field holds although a column has a name of that field', async () => {
  const text = 'user_id,item_id,ts,rating\nu,i,1762000000000,5\n';
  const { sample, table } = await peekRows(await csvTable(bytes(text)), 10);
  const file = withPlan({
    id: 1,
    file: new File([text], 'ratings.csv'),
    columns: [...table.columns],
    table,
    sample,
    options: {},
    datasetId: null,
    newName: 'ratings',
  });
  assert.equal(columnOf(file, 'event_value'), 'rating');
  const without = withPlan(withColumn(file, 'event_value', NO_COLUMN));
  assert.equal(columnOf(without, 'event_value'), null);
  assert.deepEqual(
    without.plan?.attributes.map(({ name }) => name),
    ['rating'],
  );
  assert.equal(columnOf(withPlan(withColumn(without, 'event_value', 'rating')), 'event_value'), 'rating');
});
