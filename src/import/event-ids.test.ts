import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readCsv } from '../../test/support/read-table.ts';

test('a plain id is the id of events unless lines of other items share it, as those of an order do', async () => {
  const idsOf = async (...rows: string[]) => {
    const { plan, records } = await readCsv(['Id,user_id,sku,ts', ...rows].join('\n'));
    return { ids: records.map((record) => (record as { event_id: string }).event_id), notes: plan.notes.join('\n') };
  };
  const shared = await idsOf('7,u1,i1,1700000000000', '7,u1,i2,1700000000000');
  assert.deepEqual(shared.ids, ['u1:i1:1700000000000:view', 'u1:i2:1700000000000:view']);
  assert.match(shared.notes, /Id is not taken as event_id: its values repeat/);
  const own = await idsOf('7,u1,i1,1700000000000', '8,u1,i2,1700000000000', '7,u1,i1,1700000000000');
  assert.deepEqual(own.ids, ['7', '8', '7']);
  assert.match(own.notes, /event_id is taken from the column Id/);
});
