// The end of a process: after SIGTERM it responds to the calls it has begun; after kill -9 nothing it acknowledged is lost.
import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { newDataDir, type ServiceProcess, startServiceProcess } from '../support/service.ts';

const KILLS = 3;
const CLIENTS = 4;
const BATCH = 100;

const batchOf = (client: string, n: number) =>
  Array.from({ length: BATCH }, (_, k) => ({
    event_id: `${client}-${n}-${k}`,
    user_id: `u${(n * 7 + k) % 50}`,
    item_id: `i${k}`,
    ts: n * 1000 + k,
    event_type: 'view',
  }));

/** Upserts without end; remembers what was acknowledged and what was under way when the connection broke. */
async function upsertUntilItDies(
  service: ServiceProcess,
  event_dataset_id: string,
  client: string,
  acknowledged: Set<string>,
) {
  for (let n = 0; ; n++) {
    const response = await service
      .call('POST', '/upsert-dataset-events', { event_dataset_id, events: batchOf(client, n) })
      .catch(() => null);
    if (response === null) return;
    assert.equal(response.status, 200);
    for (const id of response.body.succeed_ids) acknowledged.add(id);
  }
}

test('what was acknowledged over HTTP survives kill -9 under load, again and again', async () => {
  const dataDir = await newDataDir();
  const env = { KINDRED_DATA_DIR: dataDir, KINDRED_ROLES: 'api', KINDRED_LOG_LEVEL: 'error' };
  const acknowledged = new Set<string>();
  let service = await startServiceProcess(env);
  try {
    const { event_dataset_id } = await service.ok('POST', '/create-event-dataset', { name: 'killed' });
    for (let round = 0; round < KILLS; round++) {
      const target = acknowledged.size + 1000 + round * 700;
      const clients = Array.from({ length: CLIENTS }, (_, c) =>
        upsertUntilItDies(service, event_dataset_id, `r${round}c${c}`, acknowledged),
      );
      while (acknowledged.size < target) await delay(5);
      await service.kill();
      await Promise.all(clients);
      service = await startServiceProcess(env);

      const stored = new Set<string>();
      let page_token: string | null = null;
      do {
        const query: Record<string, string> = {
          event_dataset_id,
          page_size: '1000',
          ...(page_token && { page_token }),
        };
        const page = await service.ok('GET', '/list-dataset-records', query);
        for (const { event_id } of page.records) stored.add(event_id);
        page_token = page.next_page_token;
      } while (page_token);
      assert.deepEqual(
        [...acknowledged].filter((id) => !stored.has(id)),
        [],
      );
      const { num_records } = await service.ok('GET', '/get-event-dataset', { event_dataset_id });
      assert.equal(num_records, stored.size);
      // A batch under way is there whole or not at all.
      assert.equal(stored.size % BATCH, 0);
    }
  } finally {
    await service.kill();
    await rm(dataDir, { recursive: true, force: true });
  }
});

test('SIGTERM finishes calls in flight, accepts no new ones, and ends with 0', async () => {
  const service = await startServiceProcess({ KINDRED_ROLES: 'api' });
  try {
    const { event_dataset_id } = await service.ok('POST', '/create-event-dataset', { name: 'stopped' });
    const calls = Array.from({ length: 8 }, (_, c) =>
      service.call('POST', '/upsert-dataset-events', { event_dataset_id, events: batchOf(`c${c}`, 0) }),
    );
    await Promise.race(calls);
    const code = service.terminate();
    for (const response of await Promise.allSettled(calls)) {
      // Those that had not been accepted yet may be refused, by a 503 or by a closed door; none is cut off half-way.
      if (response.status === 'fulfilled') assert.ok([200, 503].includes(response.value.status));
      else
        assert.match(String(response.reason.cause?.code ?? response.reason), /ECONNREFUSED|ECONNRESET|UND_ERR_SOCKET/);
    }
    assert.equal(await code, 0);
    assert.match(service.output(), /"msg":"stopped"/);
    assert.doesNotMatch(service.output(), /"level":"(error|fatal)"/);
    await assert.rejects(fetch(`${service.baseUrl}/healthz`));
  } finally {
    await service.stop();
  }
});
