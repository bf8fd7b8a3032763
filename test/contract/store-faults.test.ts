// What the store does if its disk or database fails, or if it gets too much work: a clear error, nothing half-stored, and it works
// again afterwards.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { AppError, type ErrorCode } from '../../src/errors.ts';
import { openStore, SQLITE_FILE } from '../../src/store/open-store.ts';
import type { Store } from '../../src/store/store.ts';
import { ACCOUNT_SHARE, MAX_QUEUED_RECORDS } from '../../src/store/write-limits.ts';
import { freshPostgres, needOwnPostgres, restartPostgres, stopPostgres } from '../support/postgres.ts';
import { countOf, makeAccount, makeDataset, makeEvent, scanAll } from '../support/store-fixtures.ts';
import { DIALECTS } from '../support/test-database.ts';

needOwnPostgres();

async function withStore(dialect: (typeof DIALECTS)[number], work: (store: Store) => Promise<void>): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'kindred-faults-'));
  const server = dialect === 'postgres' ? await freshPostgres() : null;
  const store = await openStore({ dataDir, databaseUrl: server?.url });
  try {
    await work(store);
  } finally {
    await store.close();
    await server?.drop();
    rmSync(dataDir, { recursive: true });
  }
}

const batch = (name: string, length: number, padding = '') =>
  Array.from({ length }, (_, i) =>
    makeEvent({ event_id: `${name}-${i}`, user_id: `user-${i}`, attributes: padding ? { padding } : {} }),
  );

const isCode = (code: ErrorCode) => (error: unknown) => error instanceof AppError && error.code === code;

test('a full disk is told, nothing of the call is stored, and writing continues when there is space', async () => {
  await withStore('sqlite', async (store) => {
    const dataset = await makeDataset(store, await makeAccount(store), 'event');
    await store.events.upsert(dataset, batch('before', 10));
    const [{ page_count }] = await store.database.all<{ page_count: number }>('PRAGMA page_count');
    await store.database.atomic([{ sql: `PRAGMA max_page_count = ${page_count + 5}` }]);
    const settled = await Promise.allSettled([
      store.events.upsert(dataset, batch('full', 500, 'x'.repeat(1000))),
      store.events.upsert(dataset, batch('full too', 500, 'x'.repeat(1000))),
    ]);
    for (const outcome of settled) {
      assert.equal(outcome.status, 'rejected');
      assert.ok(isCode('STORE_UNAVAILABLE')(outcome.reason));
      assert.match(outcome.reason.message, /disk is full/);
    }
    assert.equal(await countOf(store, dataset), 10);
    await store.database.atomic([{ sql: 'PRAGMA max_page_count = 1000000' }]);
    await store.events.upsert(dataset, batch('after', 500, 'x'.repeat(1000)));
    assert.equal(await countOf(store, dataset), 510);
    assert.equal((await scanAll(store, dataset)).length, 510);
    assert.deepEqual(await store.database.all('PRAGMA integrity_check'), [{ integrity_check: 'ok' }]);
  });
});

test('a lost PostgreSQL is told, and used again when it is back', async () => {
  await withStore('postgres', async (store) => {
    const dataset = await makeDataset(store, await makeAccount(store), 'event');
    await store.events.upsert(dataset, batch('before', 10));
    await stopPostgres();
    await assert.rejects(store.events.upsert(dataset, batch('lost', 10)), isCode('STORE_UNAVAILABLE'));
    await assert.rejects(store.events.history(dataset.dataset_id, 'user-1', 10), isCode('STORE_UNAVAILABLE'));
    await assert.rejects(store.database.ping(), isCode('STORE_UNAVAILABLE'));
    await restartPostgres();
    await store.database.ping();
    await store.events.upsert(dataset, batch('after', 10));
    assert.equal(await countOf(store, dataset), 20);
  });
});

test('a store opened while PostgreSQL still starts waits for it', async () => {
  const { url, drop } = await freshPostgres();
  await stopPostgres();
  const opening = openStore({ dataDir: tmpdir(), databaseUrl: url });
  await restartPostgres();
  await (await opening).close();
  await drop();
});

test('a database file that cannot be used is named at start', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'kindred-faults-'));
  writeFileSync(join(dataDir, SQLITE_FILE), 'this is no database, but long enough to have a header of one'.repeat(20));
  await assert.rejects(openStore({ dataDir }), (error: Error) => error.message.includes(SQLITE_FILE));
  rmSync(dataDir, { recursive: true });
});

test('a process that floods SQLite leaves room for the writes of another', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'kindred-faults-'));
  const [flooding, other] = await Promise.all([openStore({ dataDir }), openStore({ dataDir })]);
  const account = await makeAccount(flooding);
  const dataset = await makeDataset(flooding, account, 'event');
  let done = false;
  const flood = Promise.all(
    Array.from({ length: 8 }, async (_, lane) => {
      for (let n = 0; !done; n++) await flooding.events.upsert(dataset, batch(`${lane}-${n % 5}`, 1000));
    }),
  );
  for (let i = 0; i < 20; i++) await makeDataset(other, account, 'item');
  done = true;
  await flood;
  await flooding.close();
  await other.close();
  rmSync(dataDir, { recursive: true });
});

for (const dialect of DIALECTS) {
  test(`${dialect}: a flood is refused beyond the account's share of the queue, and what was accepted is stored`, async () => {
    await withStore(dialect, async (store) => {
      const dataset = await makeDataset(store, await makeAccount(store), 'event');
      const batches = Array.from({ length: (MAX_QUEUED_RECORDS * ACCOUNT_SHARE) / 1000 + 10 }, (_, n) =>
        batch(`b${n % 4}`, 1000),
      );
      const settled = await Promise.allSettled(batches.map((events) => store.events.upsert(dataset, events)));
      const refused = settled.filter((outcome) => outcome.status === 'rejected');
      assert.equal(refused.length, 10);
      for (const { reason } of refused) {
        assert.ok(isCode('OVERLOADED')(reason));
        assert.ok(reason.retryAfterSec > 0);
      }
      assert.equal(await countOf(store, dataset), 4000);
      assert.deepEqual(store.load(), { queuedRecords: 0, queuedBatches: 0 });
    });
  });

  test(`${dialect}: two processes writing one dataset keep its counts and numbers exact`, async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'kindred-faults-'));
    const server = dialect === 'postgres' ? await freshPostgres() : null;
    const config = { dataDir, databaseUrl: server?.url };
    const stores = await Promise.all([openStore(config), openStore(config)]);
    const dataset = await makeDataset(stores[0], await makeAccount(stores[0]), 'event');
    await Promise.all(
      Array.from({ length: 24 }, (_, n) =>
        stores[n % 2].events.upsert(
          dataset,
          Array.from({ length: 100 }, (_, i) =>
            makeEvent({
              event_id: `e${(n * 50 + i) % 700}`,
              user_id: `user-${(n * 31 + i) % 60}`,
              item_id: `i${i % 9}`,
            }),
          ),
        ),
      ),
    );
    for (const store of stores) {
      assert.equal(await countOf(store, dataset), 700);
      assert.equal((await scanAll(store, dataset)).length, 700);
      assert.equal(await store.events.internedCount(dataset.dataset_id, 'user'), 60);
      await store.close();
    }
    await server?.drop();
    rmSync(dataDir, { recursive: true });
  });
}
