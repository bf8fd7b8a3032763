import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readEntityMessages, readEventMessages, type StreamMessage } from './read-messages.ts';

const message = (offset: number, value: unknown): StreamMessage => ({
  topic: 'clicks',
  partition: 2,
  offset,
  timestamp: 1_762_000_000_000,
  value: typeof value === 'string' ? new TextEncoder().encode(value) : (value as Uint8Array | null),
});
const RULES = { nowMs: 1_762_000_000_000 };

test('an event without id and time gets the place and the time of its message', () => {
  const event = '"user_id":"u","item_id":"i","event_type":"view"';
  for (const text of [`{${event}}`, `{${event},"event_id":null,"ts":null}`, `{${event},"event_id":""}`]) {
    const { records, bad } = readEventMessages([message(7, text)], RULES);
    assert.deepEqual(bad, []);
    assert.equal(records[0].event_id, 'kafka:clicks:2:7');
    assert.equal(records[0].ts, 1_762_000_000_000);
  }
});

test('what is no record is named with its message and the reason, and the others are read', () => {
  const { records, sources, bad } = readEntityMessages(
    [
      message(0, 'nothing'),
      message(1, ''),
      message(2, '{"item_id":"a","attributes":{"price":1}}'),
      message(3, '[1]'),
      message(4, new Uint8Array([0xff, 0x22])),
      message(5, '{"item_id":"b","prize":1}'),
      message(6, '{"item_id":"c"}'),
    ],
    'item_id',
    null,
  );
  assert.deepEqual(
    records.map(({ id }) => id),
    ['a', 'c'],
  );
  assert.deepEqual(
    sources.map(({ offset }) => offset),
    [2, 6],
  );
  assert.deepEqual(bad.map(({ message: { offset } }) => offset).sort(), [0, 1, 3, 4, 5]);
  for (const { reason } of bad) assert.match(reason, /\w+/);
});

test('a message without a value is neither a record nor bad', () => {
  const read = readEntityMessages([message(0, null), message(1, '{"item_id":"a"}'), message(2, null)], 'item_id', null);
  assert.deepEqual([read.records.length, read.bad.length, read.tombstones], [1, 0, 2]);
});

test('of several messages with one id the last valid one holds', () => {
  const prices = ['"0,5"', '1', '2', '"3,5"', '"4,5"'];
  const messages = prices.map((price, offset) => message(offset, `{"item_id":"a","attributes":{"price":${price}}}`));
  const { records, sources, bad } = readEntityMessages(messages, 'item_id', { price: 'NUMERICAL' });
  assert.deepEqual(records, [{ id: 'a', attributes: { price: 2 } }]);
  assert.deepEqual(
    [...sources, ...bad.map((one) => one.message)].map(({ offset }) => offset),
    [2, 0, 3, 4],
  );

  const events = [1, '"x"'].map((ts, offset) =>
    message(offset, `{"event_id":"e","user_id":"u","item_id":"i","event_type":"view","ts":${ts}}`),
  );
  const read = readEventMessages(events, RULES);
  assert.deepEqual([read.records.map(({ ts }) => ts), read.bad.length], [[1], 1]);
});
