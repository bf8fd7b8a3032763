import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '../../test/support/fast-check.ts';
import {
  buffersOf,
  bytesAt,
  columnBytes,
  copyText,
  eventColumns,
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
  const moved = structuredClone(columns, { transfer: buffersOf(columns) });
  assert.equal(columnBytes(moved), bytes);
  assert.equal(columnBytes(columns), 0);
  assert.deepEqual(textsOf(moved.eventIds), ['e', 'f']);
});
