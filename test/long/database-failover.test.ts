// A standby of PostgreSQL takes over that lacks the last commits, while a service runs that remembers them.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { anotherPostgres } from '../support/postgres.ts';
import { startServiceProcess } from '../support/service.ts';

async function freePort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return String(port);
}

test('a service starts again when a standby takes over, and mixes nobody up with who was lost', async (t) => {
  const server = await anotherPostgres();
  const service = await startServiceProcess({ KINDRED_DATABASE_URL: server.url, KINDRED_PORT: await freePort() });
  t.after(() => service.stop());
  const { event_dataset_id } = await service.ok('POST', '/create-event-dataset', { name: 'events' });
  const write = (user_id: string) =>
    service.call('POST', '/upsert-dataset-events', {
      event_dataset_id,
      events: [{ event_id: `of-${user_id}`, user_id, item_id: `item-${user_id}`, event_type: 'view', ts: 1 }],
    });
  const written = async (user_id: string): Promise<void> => {
    const deadline = Date.now() + 60_000;
    for (;;) {
      const { status } = await write(user_id).catch(() => ({ status: 0 }));
      if (status === 200) return;
      assert.ok(status === 0 || status >= 500, `status ${status}`);
      assert.ok(Date.now() < deadline, 'the service does not come back');
      await delay(200);
    }
  };
  const userOf = async (event_id: string) => {
    const { status, body } = await service.call('GET', '/get-dataset-record', { event_dataset_id, event_id });
    return status === 404 ? null : body.user_id;
  };
  await written('early');
  await server.keepStandby();
  await written('lost');
  assert.doesNotMatch(service.output(), /database was replaced/, 'a crash alone replaces nothing');

  await server.failOver();
  // Gets the number that the lost user had.
  await written('other');
  await written('lost');
  for (const user of ['early', 'other', 'lost']) assert.equal(await userOf(`of-${user}`), user);
  // Its log is whole when it has ended.
  assert.equal(await service.terminate(), 0);
  assert.match(service.output(), /database was replaced/);
});
