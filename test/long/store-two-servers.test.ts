// The contract of the store when shards 0 to 4 are on another server: all of small datasets and half of those with ten shards.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { backup, restore } from '../../src/store/backup.ts';
import { openPostgres } from '../../src/store/postgres/open-postgres.ts';
import { eventually } from '../support/eventually.ts';
import { freshPostgres } from '../support/postgres.ts';
import { moveShardsTo, twoServers } from '../support/spread-events.ts';
import { countOf, makeAccount, makeDataset, makeEvent, scanAll } from '../support/store-fixtures.ts';
import { describeStore } from '../support/store-suite.ts';

describeStore('PostgreSQL with events on two servers', async () => {
  const servers = await twoServers();
  const store = await openPostgres(servers.url);
  await moveShardsTo(servers.url, { from: 0, to: 5 }, servers.otherUrl);
  return {
    store,
    reopen: () => openPostgres(servers.url),
    async close() {
      await store.close();
      await servers.drop();
    },
  };
});

test('a backup taken while events come in restores to one moment of both servers, into one database', async () => {
  const servers = await twoServers();
  const target = await freshPostgres();
  const dir = mkdtempSync(join(tmpdir(), 'kindred-two-servers-'));
  const store = await openPostgres(servers.url);
  await moveShardsTo(servers.url, { from: 0, to: 5 }, servers.otherUrl);
  const dataset = await makeDataset(store, await makeAccount(store), 'event');
  let isStopped = false;
  const lanes = Array.from({ length: 3 }, async (_, lane) => {
    for (let n = 0; !isStopped; n++) {
      // Each batch is about users of both servers, and the next one gives its events to others.
      const batch = Math.floor(n / 2);
      const events = Array.from({ length: 20 }, (_, i) =>
        makeEvent({ event_id: `${lane}-${batch}-${i}`, user_id: `u${(i + (n % 2)) % 40}`, ts: n }),
      );
      await store.events.upsert(dataset, events);
    }
  });
  const file = join(dir, 'backup.tar');
  await backup({ dataDir: mkdirIn(dir, 'source'), databaseUrl: servers.url }, file).finally(() => {
    isStopped = true;
  });
  await Promise.all(lanes);
  const place = { dataDir: mkdirIn(dir, 'target'), databaseUrl: target.url };
  await restore(place, file);
  const restored = await openPostgres(target.url);
  // What was on its way to the other server follows when the store is opened.
  await eventually(async () => (await restored.database.all('SELECT 1 FROM event_outbox LIMIT 1')).length === 0);
  const rows = await restored.database.all<{ batch: string; count: number }>(
    "SELECT regexp_replace(event_id, '-[0-9]+$', '') AS batch, count(*) AS count FROM event GROUP BY 1",
  );
  assert.ok(
    rows.every(({ count }) => count === 20),
    'no batch is there in part',
  );
  assert.equal(await countOf(restored, dataset), rows.length * 20);
  assert.equal((await scanAll(restored, dataset)).length, rows.length * 20);
  await restored.close();
  await store.close();
  await target.drop();
  await servers.drop();
  rmSync(dir, { recursive: true });
});

function mkdirIn(dir: string, name: string): string {
  mkdirSync(join(dir, name));
  return join(dir, name);
}
