// What an operator sees: health, metrics, request ids, compression, and the same API on PostgreSQL.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { after, before, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import { eventually } from '../support/eventually.ts';
import { freshPostgres } from '../support/postgres.ts';
import { readCredentials, startServiceProcess, startTestService, type TestService } from '../support/service.ts';

let service: TestService;
before(async () => {
  service = await startTestService({ KINDRED_ROLES: 'api' });
});
after(() => service.stop());

const anonymous = { anonymous: true };

async function credentialsOf(service: TestService): Promise<Record<string, string>> {
  return { authorization: `Bearer ${await service.token()}`, apikey: service.credentials.api_key };
}

test('health, readiness and metrics need no credentials', async () => {
  for (const path of ['/healthz', '/readyz', '/readyz?models=true', '/metrics']) {
    assert.equal((await service.call('GET', path, undefined, anonymous)).status, 200, path);
  }
});

test('metrics count requests by route and status, latencies and records', async () => {
  const { event_dataset_id } = await service.ok('POST', '/create-event-dataset', { name: 'm' });
  const event = { event_id: 'e', user_id: 'u', item_id: 'i', ts: 1, event_type: 't' };
  await service.ok('POST', '/upsert-dataset-events', { event_dataset_id, events: [event, { event_id: 'bad' }] });
  await service.call('GET', '/get-event-dataset', { event_dataset_id: 'eds_none' });
  const { body } = await service.call('GET', '/metrics', undefined, anonymous);
  for (const line of [
    'kindred_http_requests_total{method="GET",route="/get-event-dataset",status="404"} 1',
    'kindred_http_requests_total{method="POST",route="/upsert-dataset-events",status="200"} 1',
    'kindred_http_request_duration_seconds_count{method="POST",route="/upsert-dataset-events"} 1',
    'kindred_records_stored_total{kind="event"} 1',
    'kindred_records_failed_total{kind="event",code="INVALID_RECORD"} 1',
  ]) {
    assert.ok(body.includes(`${line}\n`), line);
  }
  assert.match(body, /^process_resident_memory_bytes \d+/m);
  assert.match(body, /^nodejs_eventloop_lag_p99_seconds /m);
});

test('the write queue is empty once all is written, what the service writes for itself too', async () => {
  await eventually(async () => {
    const { body } = await service.call('GET', '/metrics', undefined, anonymous);
    return body.includes('kindred_write_queue_records 0\n') && body.includes('kindred_write_queue_batches 0\n');
  });
});

test('a client that goes away in the middle of its body is no failure of the service', async () => {
  const body = { 'content-type': 'application/json', 'content-length': '100', expect: '100-continue' };
  const headers = { ...(await credentialsOf(service)), ...body };
  const call = request(`${service.baseUrl}/create-user-dataset`, { method: 'POST', headers });
  call.on('error', () => {});
  call.write('{"name"');
  // The service has seen the headers then.
  await once(call, 'continue');
  call.destroy();
  const counted = 'kindred_http_requests_total{method="POST",route="/create-user-dataset",status="';
  for (;;) {
    const { body } = await service.call('GET', '/metrics', undefined, anonymous);
    assert.doesNotMatch(body, /route="\/create-user-dataset",status="(200|5\d\d)"/);
    if (body.includes(`${counted}499"} 1\n`)) return;
    await delay(20);
  }
});

test('every response has a request id, the client’s own if it is valid', async () => {
  const given = await service.call('GET', '/healthz', undefined, {
    anonymous: true,
    headers: { 'x-request-id': 'my-1.a' },
  });
  assert.equal(given.headers.get('x-request-id'), 'my-1.a');
  const odd = await service.call('GET', '/nowhere', undefined, { headers: { 'x-request-id': 'a b{}' } });
  assert.match(odd.headers.get('x-request-id') ?? '', /^[\w-]+$/);
  assert.equal(odd.headers.get('x-request-id'), odd.body.request_id);
});

test('responses over 1 kB are compressed if the client accepts it', async () => {
  const read = (encoding: string) =>
    new Promise<{ encoding: string | undefined; bytes: Buffer }>((resolve, reject) => {
      request(`${service.baseUrl}/openapi.json`, { headers: { 'accept-encoding': encoding } }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk) => chunks.push(chunk));
        response.on('end', () =>
          resolve({ encoding: response.headers['content-encoding'], bytes: Buffer.concat(chunks) }),
        );
      })
        .on('error', reject)
        .end();
    });
  const plain = await read('identity');
  assert.equal(plain.encoding, undefined);
  for (const [encoding, decode] of [
    ['gzip', gunzipSync],
    ['br', brotliDecompressSync],
    ['zstd', zstdDecompressSync],
  ] as const) {
    const result = await read(encoding);
    assert.equal(result.encoding, encoding);
    assert.ok(result.bytes.length < plain.bytes.length / 5);
    assert.equal(decode(result.bytes).toString(), plain.bytes.toString());
  }
  const small = await service.call('GET', '/healthz', undefined, {
    anonymous: true,
    headers: { 'accept-encoding': 'gzip' },
  });
  assert.equal(small.headers.get('content-encoding'), null);
});

test('a page ends well also when ids are as long as they can be', async () => {
  const { user_dataset_id } = await service.ok('POST', '/create-user-dataset', { name: 'long' });
  const users = ['😀', '漢'].map((character) => ({ user_id: character.repeat(256) }));
  await service.ok('POST', '/upsert-dataset-users', { user_dataset_id, users });
  const first = await service.ok('GET', '/list-dataset-records', { user_dataset_id, page_size: 1 });
  const query = { user_dataset_id, page_size: 1, page_token: first.next_page_token };
  const second = await service.ok('GET', '/list-dataset-records', query);
  assert.notEqual(first.records[0].user_id, second.records[0].user_id);
  assert.equal(second.next_page_token, null);
});

test('a start that fails leaves the address of the service that runs in credentials.json', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  const env = { KINDRED_DATA_DIR: service.dataDir, KINDRED_PORT: String(port), KINDRED_LOG_LEVEL: 'silent' };
  await assert.rejects(startServiceProcess(env), /could not start: The data folder/);
  other.close();
  assert.equal((await readCredentials(service.dataDir)).base_url, service.baseUrl);
});

test('the root leads to the console', async () => {
  const { status, headers } = await service.call('GET', '/', undefined, anonymous);
  assert.equal(status, 302);
  assert.equal(headers.get('location'), '/console/');
});

test('the same calls work on PostgreSQL', async () => {
  const database = await freshPostgres();
  const onPostgres = await startTestService({ KINDRED_ROLES: 'api', KINDRED_DATABASE_URL: database.url });
  try {
    const { user_dataset_id } = await onPostgres.ok('POST', '/create-user-dataset', { name: 'Zoë 😀' });
    const users = [
      { user_id: '漢字', attributes: { text: 'a\u0000b', n: 1.5 } },
      { user_id: 'x' },
      { user_id: 'bad\u0000' },
    ];
    const { succeed_ids, failed_ids } = await onPostgres.ok('POST', '/upsert-dataset-users', {
      user_dataset_id,
      users,
    });
    assert.deepEqual([succeed_ids, failed_ids], [['漢字', 'x'], ['bad\u0000']]);
    const record = await onPostgres.ok('GET', '/get-dataset-record', { user_dataset_id, user_id: '漢字' });
    assert.deepEqual(record, users[0]);
    const dataset = await onPostgres.ok('GET', '/get-user-dataset', { user_dataset_id });
    assert.deepEqual([dataset.name, dataset.num_records], ['Zoë 😀', 2]);
    assert.equal((await onPostgres.call('POST', '/create-event-dataset', { name: 'e', num_shards: 1001 })).status, 403);
    assert.equal((await onPostgres.ok('GET', '/get-account')).usage.event_shards, 0);
    for (const [field, kind] of [
      ['user_dataset_id', 'user'],
      ['event_dataset_id', 'event'],
    ] as const) {
      const id =
        kind === 'user'
          ? user_dataset_id
          : (await onPostgres.ok('POST', '/create-event-dataset', { name: 'e' }))[field];
      const event = { event_id: 'e', user_id: 'u', item_id: 'i', ts: 1, event_type: 't' };
      if (kind === 'event')
        await onPostgres.ok('POST', '/upsert-dataset-events', { event_dataset_id: id, events: [event] });
      for (const forged of ['1:1.5', '1:1e300', '1:a\0b', '9999999999999999:7', '1:x', '1:-1', `1:${'9'.repeat(40)}`]) {
        const page_token = Buffer.from(forged).toString('base64url');
        const { status } = await onPostgres.call('GET', '/list-dataset-records', { [field]: id, page_token });
        assert.ok(status === 200 || status === 400, `${kind} ${forged} ${status}`);
      }
    }
    const attributes = await onPostgres.ok('GET', '/get-attribute-statistics', { user_dataset_id });
    assert.equal(attributes.sampled_records, 2);
  } finally {
    await onPostgres.stop();
    await database.drop();
  }
});
