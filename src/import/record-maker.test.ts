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

test('an event without an id gets one, also where others have theirs', () => {
  const columns = ['event_id', 'user_id', 'item_id', 'ts'];
  const table: Table = { columns, cells: 'text', pieces: (async function* () {})() };
  const idsOf = (rows: unknown[][]) => {
    const plan = planImport(table, rows, { ts_unit: 'ms' });
    const isNoted = plan.notes.some((note) => note.startsWith('event_id is made from'));
    return [rows.map(recordMaker(plan)).map((record) => (record as EventRecord).event_id), isNoted];
  };
  const given = ['e1', 'u1', 'i1', '5'];
  assert.deepEqual(idsOf([given]), [['e1'], false]);
  assert.deepEqual(idsOf([given, ['', 'u2', 'i2', '5'], [' ', 'u3', 'i3', '5'], [undefined, 'u4', 'i4', '5']]), [
    ['e1', 'u2:i2:5:view', 'u3:i3:5:view', 'u4:i4:5:view'],
    true,
  ]);
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

test('an id or type that is an object or boolean is not a text', () => {
  const maker = (...columns: string[]) => {
    const table: Table = { columns, cells: 'typed', pieces: (async function* () {})() };
    return recordMaker(planImport(table, [], { ts_unit: 'ms' }));
  };
  const item = maker('item_id');
  assert.throws(() => item([{ $oid: '65f0c0ffee65f0c0ffee65f0' }]), /^RowError: item_id is not a text$/);
  assert.throws(() => item([['i1']]), /item_id is not a text/);
  assert.throws(() => item([true]), /item_id is not a text/);
  assert.deepEqual(
    [7, 7n, 'i'].map((id) => (item([id]) as { item_id: string }).item_id),
    ['7', '7', 'i'],
  );
  assert.throws(() => item([2 ** 53]), /item_id is a number that has lost digits: 9007199254740992/);
  const event = maker('user_id', 'item_id', 'ts', 'event_type', 'event_id', 'recommendation_id');
  assert.throws(() => event(['u', 'i', 5, { name: 'buy' }]), /event_type is not a text/);
  assert.throws(() => event(['u', 'i', 5, 'buy', { $oid: 'e' }]), /event_id is not a text/);
  assert.throws(() => event(['u', 'i', 5, 'buy', 'e', {}]), /recommendation_id is not a text/);
});

test('a time or value that is blank or no number never becomes 0', () => {
  const table: Table = {
    columns: ['user_id', 'item_id', 'ts', 'value'],
    cells: 'typed',
    pieces: (async function* () {})(),
  };
  const make = recordMaker(
    planImport(table, [
      ['u', 'i', ' ', 2],
      ['u', 'i', 1_762_000_000, 3],
    ]),
  );
  const event = (ts: unknown, value: unknown) => make(['u', 'i', ts, value]) as EventRecord;
  assert.equal('event_value' in event(1_762_000_000, '  '), false);
  assert.deepEqual(
    [2, '2', ' 02.0 ', 2n].map((value) => event('1762000000', value).event_value),
    [2, 2, 2, 2],
  );
  assert.throws(() => event('  ', 1), /ts is empty/);
  assert.throws(() => event([], 1), /^RowError: ts is not a number$/);
  assert.throws(() => event('0x10', 1), /ts is not a number: 0x10/);
  for (const value of [[], {}, [3], true, '0x10']) {
    assert.throws(() => event(1_762_000_000, value), /event_value is not a number/, String(value));
  }
});
