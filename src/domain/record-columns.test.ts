import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '../../test/support/fast-check.ts';
import {
  buffersOf,
  bytesAt,
  columnBytes,
  copyText,
  eventColumns,
  recordColumns,
  textColumn,
  textLength,
  textsOf,
} from './record-columns.ts';

test('texts are returned unchanged, whatever is next to them', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'binary' })), (texts) => {
      const column = textColumn(texts);
      const wellFormed = texts.map((text) => text.toWellFormed());
      assert.deepEqual(textsOf(column), wellFormed);
      assert.deepEqual(
        wellFormed.map((_, index) => Buffer.from(bytesAt(column, index)).toString()),
        wellFormed,
      );
      const copied = Buffer.alloc(column.bytes.length);
      let at = 0;
      for (let index = 0; index < texts.length; index++) {
        copyText(column, index, copied, at);
        at += textLength(column, index);
      }
      assert.equal(copied.toString(), wellFormed.join(''));
    }),
  );
  assert.deepEqual(textsOf(textColumn(['a\ud83d', '\ude00b'])), ['a\ufffd', '\ufffdb']);
});

test('columns own their memory, so that they can change threads, and say how much it is', () => {
  const event = { event_id: 'e', user_id: 'u', item_id: 'i', ts: 5, event_type: 't', event_value: 1, attributes: {} };
  const columns = eventColumns([event, { ...event, event_id: 'f', attributes: { note: 'é' } }]);
  assert.deepEqual(textsOf(columns.attributes), ['', '{"note":"é"}']);
  const bytes = columnBytes(columns);
  // For two events: four texts of a byte each, a JSON of 13 bytes, the ends of six columns and two columns of numbers.
  assert.equal(bytes, 2 * 4 + 13 + 6 * 2 * 4 + 2 * 2 * 8);
  const moved = structuredClone(columns, { transfer: buffersOf(columns) });
  assert.equal(columnBytes(moved), bytes);
  assert.equal(columnBytes(columns), 0);
  assert.deepEqual(textsOf(moved.eventIds), ['e', 'f']);
});

test('records become columns of ids and JSON, long texts among them', () => {
  const note = 'é'.repeat(200);
  const columns = recordColumns([
    { id: 'a', attributes: {} },
    { id: 'b', attributes: { note } },
  ]);
  assert.deepEqual([columns.length, textsOf(columns.ids)], [2, ['a', 'b']]);
  const texts = ['{}', JSON.stringify({ note })];
  assert.deepEqual(textsOf(columns.attributes), texts);
  const target = Buffer.alloc(3 + textLength(columns.attributes, 1));
  copyText(columns.attributes, 1, target, 3);
  assert.equal(target.toString('utf8', 3), texts[1]);
});

test('an event keeps each of its fields', () => {
  const event = { event_id: 'e', user_id: 'u', item_id: 'i', ts: 5, event_type: 't', event_value: 2.5, attributes: {} };
  const { length, userIds, itemIds, types, ts, values, recommendations } = eventColumns([
    event,
    { ...event, recommendation_id: 'r' },
  ]);
  assert.deepEqual([length, [...ts], [...values]], [2, [5, 5], [2.5, 2.5]]);
  assert.deepEqual([userIds, itemIds, types, recommendations].map(textsOf), [
    ['u', 'u'],
    ['i', 'i'],
    ['t', 't'],
    ['', 'r'],
  ]);
});
