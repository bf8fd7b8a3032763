// More than may wait to be written: refused with 503 and a time to come back, and nothing of it is lost or stored twice.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, test } from 'node:test';
import { SQLITE_FILE } from '../../src/store/open-store.ts';
import { ACCOUNT_SHARE, MAX_QUEUED_RECORDS } from '../../src/store/write-limits.ts';
import { startTestService, type TestService } from '../support/service.ts';

const BATCH = 1000;
const CALLS = (MAX_QUEUED_RECORDS * ACCOUNT_SHARE) / BATCH + 6;

let service: TestService;
before(async () => {
  service = await startTestService();
});
after(() => service.stop());

test('a flood gets 503 with Retry-After while the writer is held up, and what is sent again is stored once', async () => {
  const { event_dataset_id } = await service.ok('POST', '/create-event-dataset', { name: 'flooded' });
  const batchOf = (n: number) =>
    Array.from({ length: BATCH }, (_, k) => ({
      event_id: `${n}-${k}`,
      user_id: `u${k}`,
      item_id: `i${n}`,
      ts: n,
      event_type: 'view',
    }));
  const upsert = (n: number) =>
    service.call('POST', '/upsert-dataset-events', { event_dataset_id, events: batchOf(n) });
  await upsert(0);

  const blocker = new DatabaseSync(join(service.dataDir, SQLITE_FILE));
  blocker.exec('BEGIN IMMEDIATE');
  const calls = Array.from({ length: CALLS }, (_, n) => upsert(n));
  // Calls that do not fit are rejected while all others wait.
  const first = await Promise.race(calls);
  assert.equal(first.status, 503);
  assert.equal(first.body.code, 'OVERLOADED');
  assert.match(String(first.headers.get('retry-after')), /^[1-9]\d*$/);
  const health = await service.call('GET', '/healthz', undefined, { anonymous: true });
  assert.equal(health.status, 200);
  blocker.exec('COMMIT');
  blocker.close();

  const responses = await Promise.all(calls);
  const refused = responses.flatMap(({ status }, n) => (status === 503 ? [n] : []));
  assert.ok(refused.length >= 1 && refused.length < CALLS);
  for (const [n, { status, body }] of responses.entries()) {
    if (!refused.includes(n)) assert.equal(status, 200, JSON.stringify(body));
  }
  for (const n of refused) assert.equal((await upsert(n)).status, 200);
  const { num_records } = await service.ok('GET', '/get-event-dataset', { event_dataset_id });
  assert.equal(num_records, CALLS * BATCH);
});
