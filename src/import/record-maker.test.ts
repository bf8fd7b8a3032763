import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EventRecord } from '../client/api-types.ts';
import { planImport } from './import-plan.ts';
import { recordMaker } from './record-maker.ts';
import type { Table } from './table.ts';

function eventIdsOf(...rows: unknown[][]): string[] {
  const columns = ['user_id', 'item_id', 'ts', 'event_type'];
  const table: Table = { columns, cells: 'typed', pieces: (async function* () {})() };
  const make = recordMaker(planImport(table, rows, { kind: 'events', ts_unit: 'ms' }));
  return rows.map((row) => (make(row) as EventRecord).event_id);
}

test('ids with a colon make ids of events that differ', () => {
  assert.deepEqual(
    eventIdsOf(
      ['u1', 'i1', 5, 'buy'],
      ['a:b', 'c', 5, 'buy'],
      ['a', 'b:c', 5, 'buy'],
      ['a\\', 'b', 5, 'buy'],
      ['a', '\\:b', 5, 'buy'],
    ),
    ['u1:i1:5:buy', 'a\\:b:c:5:buy', 'a:b\\:c:5:buy', 'a\\\\:b:5:buy', 'a:\\\\\\:b:5:buy'],
  );
});

test('ids that are too long are replaced by what differs with them', () => {
  const [one, other, again] = eventIdsOf(
    ['u'.repeat(200), `${'i'.repeat(100)}:1`, 5, 'buy'],
    ['u'.repeat(200), `${'i'.repeat(100)}:2`, 5, 'buy'],
    ['u'.repeat(200), `${'i'.repeat(100)}:1`, 5, 'buy'],
  );
  assert.match(one, /^h:5:\w+$/);
  assert.equal(one, again);
  assert.notEqual(one, other);
});
