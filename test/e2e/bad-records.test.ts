// Records that cannot be stored, one by one and inside batches: each fails with its reason, and the others are stored.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { brotliCompressSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { assertProblem } from '../support/assert-problem.ts';
import { startTestService, type TestService } from '../support/service.ts';
import type { Json } from '../support/wrong-values.ts';

let service: TestService;
let own: Record<string, string>;

before(async () => {
  service = await startTestService();
  const { user_dataset_id } = await service.ok('POST', '/create-user-dataset', { name: 'users' });
  const { item_dataset_id } = await service.ok('POST', '/create-item-dataset', { name: 'items' });
  const { event_dataset_id } = await service.ok('POST', '/create-event-dataset', { name: 'events' });
  own = { user_dataset_id, item_dataset_id, event_dataset_id };
});
after(() => service.stop());

describe('records', () => {
  const id = 'x'.repeat(256);
  const event = { event_id: 'e', user_id: 'u', item_id: 'i', ts: 1, event_type: 'view' };
  const sized = (bytes: number) => {
    const record = { ...event, event_id: `size-${bytes}`, attributes: { note: '' } };
    record.attributes.note = 'é'.repeat(10) + 'n'.repeat(bytes - Buffer.byteLength(JSON.stringify(record)) - 20);
    assert.equal(Buffer.byteLength(JSON.stringify(record)), bytes);
    return record;
  };

  const badEvents: [string, unknown, string][] = [
    ['null', null, 'INVALID_RECORD'],
    ['a number', 5, 'INVALID_RECORD'],
    ['an array', [], 'INVALID_RECORD'],
    ['no id', { ...event, event_id: undefined }, 'INVALID_RECORD'],
    ['an empty id', { ...event, event_id: '' }, 'INVALID_RECORD'],
    ['a number as id', { ...event, event_id: 7 }, 'INVALID_RECORD'],
    ['too long an id', { ...event, event_id: `${id}y` }, 'INVALID_RECORD'],
    ['NUL in an id', { ...event, event_id: 'n\0' }, 'INVALID_RECORD'],
    ['a lone surrogate in an id', { ...event, event_id: 'l\udc00' }, 'INVALID_RECORD'],
    ['no user', { ...event, event_id: 'b1', user_id: undefined }, 'INVALID_RECORD'],
    ['a control character in the item', { ...event, event_id: 'b2', item_id: 'a\nb' }, 'INVALID_RECORD'],
    ['a fraction of a millisecond', { ...event, event_id: 'b3', ts: 1.5 }, 'INVALID_RECORD'],
    ['a negative time', { ...event, event_id: 'b4', ts: -1 }, 'INVALID_RECORD'],
    ['a time after all time', { ...event, event_id: 'b5', ts: 8.64e15 + 2 }, 'INVALID_RECORD'],
    ['time as text', { ...event, event_id: 'b6', ts: '1' }, 'INVALID_RECORD'],
    ['no type', { ...event, event_id: 'b7', event_type: undefined }, 'INVALID_RECORD'],
    ['a value as text', { ...event, event_id: 'b8', event_value: '1' }, 'INVALID_RECORD'],
    ['attributes as an array', { ...event, event_id: 'b10', attributes: [] }, 'INVALID_RECORD'],
    ['an attribute without a name', { ...event, event_id: 'b11', attributes: { '': 1 } }, 'INVALID_RECORD'],
    ['an unknown field', { ...event, event_id: 'b12', timestamp: 1 }, 'INVALID_RECORD'],
    ['one byte too much', sized(20_481), 'RECORD_TOO_LARGE'],
  ];

  test('each bad event fails alone, with its reason, and the good ones are stored', async () => {
    const { event_dataset_id } = own;
    const good = [
      { ...event, event_id: 'good-1', event_value: null, attributes: null },
      { ...event, event_id: id, ts: 8.64e15, event_value: -2.5 },
      { ...event, event_id: '😀'.repeat(256) },
      sized(20_480),
    ];
    const events = [good[0], ...badEvents.map(([, record]) => record), ...good.slice(1)];
    const response = await service.ok('POST', '/upsert-dataset-events', { event_dataset_id, events });
    assert.deepEqual(
      response.succeed_ids,
      good.map((record) => record.event_id),
    );
    assert.deepEqual(
      response.failures.map(({ index, code }: { index: number; code: string }) => [badEvents[index - 1][0], code]),
      badEvents.map(([kind, , code]) => [kind, code]),
    );
    assert.deepEqual(
      response.failed_ids.length + response.succeed_ids.length,
      events.length,
      'every record is reported',
    );
    assert.equal((await service.ok('GET', '/get-event-dataset', { event_dataset_id })).num_records, good.length);
  });

  test('numbers too large for JSON numbers and __proto__ fail alone', async () => {
    const { item_dataset_id } = own;
    const raw = `{"item_dataset_id":"${item_dataset_id}","items":[
      {"item_id":"ok","attributes":{"price":1e3}},
      {"item_id":"infinite","attributes":{"price":1e999}},
      {"item_id":"proto","attributes":{"__proto__":{"polluted":true}}},
      {"__proto__":{"item_id":"inherited"}}]}`;
    const { body } = await service.call('POST', '/upsert-dataset-items', undefined, { raw });
    assert.deepEqual(body.succeed_ids, ['ok']);
    assert.deepEqual(body.failed_ids, ['infinite', 'proto', '#3']);
    assert.deepEqual(
      body.failures.map((failure: { index: number }) => failure.index),
      [1, 2, 3],
    );
    assert.equal(({} as Json).polluted, undefined);
  });

  test('a batch of 1001 is refused whole; a batch of none changes nothing', async () => {
    const { user_dataset_id } = own;
    const users = Array.from({ length: 1001 }, (_, n) => ({ user_id: `u${n}` }));
    const response = await service.call('POST', '/upsert-dataset-users', { user_dataset_id, users });
    assertProblem(response, { status: 400, codes: ['BATCH_TOO_LARGE'] }, '1001 users');
    const user_ids = users.map(({ user_id }) => user_id);
    const deletion = await service.call('DELETE', '/delete-dataset-users', { user_dataset_id, user_ids });
    assertProblem(deletion, { status: 400, codes: ['BATCH_TOO_LARGE'] }, '1001 ids');
    const none = await service.ok('POST', '/upsert-dataset-users', { user_dataset_id, users: [] });
    assert.deepEqual(none, { user_dataset_id, succeed_ids: [], failed_ids: [], failures: [], warnings: [] });
    assert.equal((await service.ok('GET', '/get-user-dataset', { user_dataset_id })).num_records, 0);
  });

  test('compressed bodies are read, whichever the compression', async () => {
    const { user_dataset_id } = own;
    for (const [encoding, compress] of [
      ['gzip', gzipSync],
      ['x-gzip', gzipSync],
      ['br', brotliCompressSync],
      ['zstd', zstdCompressSync],
    ] as const) {
      const raw = new Uint8Array(compress(JSON.stringify({ user_dataset_id, users: [{ user_id: encoding }] })));
      const headers = { 'content-encoding': encoding };
      const { body } = await service.call('POST', '/upsert-dataset-users', undefined, { raw, headers });
      assert.deepEqual(body.succeed_ids, [encoding]);
    }
  });
});

test('a byte-order mark before the JSON is passed over', async () => {
  const { user_dataset_id } = own;
  const raw = `\ufeff${JSON.stringify({ user_dataset_id, users: [{ user_id: 'marked' }] })}`;
  for (const headers of [{}, { 'content-encoding': 'gzip' }] as Record<string, string>[]) {
    const bytes = new Uint8Array('content-encoding' in headers ? gzipSync(raw) : Buffer.from(raw));
    const { body } = await service.call('POST', '/upsert-dataset-users', undefined, { raw: bytes, headers });
    assert.deepEqual(body.succeed_ids, ['marked']);
  }
  const { status } = await service.call('GET', '/get-user-dataset', { user_dataset_id });
  assert.equal(status, 200);
});
