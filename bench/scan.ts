// npm run bench -- scan: reading all events back for training, as typed arrays grouped by user and ordered by time, on one core;
// the table that training makes of them; and a user's history, which every recommendation reads.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readStoredEvents } from '../src/dataset/read-store.ts';
import type { Dataset } from '../src/domain/dataset.ts';
import { openStore } from '../src/store/open-store.ts';
import type { Store } from '../src/store/store.ts';
import { freshPostgres } from '../test/support/postgres.ts';
import { makeAccount, makeDataset } from '../test/support/store-fixtures.ts';
import { eventStream } from './event-stream.ts';
import { quick, report } from './report.ts';

const TOTAL = quick ? 100_000 : 1_000_000;
const HISTORIES = quick ? 500 : 2000;

async function measure(database: string, store: Store): Promise<void> {
  const dataset = await makeDataset(store, await makeAccount(store), 'event', 100);
  const make = eventStream(TOTAL);
  for (let from = 0; from < TOTAL; from += 10_000) {
    await store.events.upsert(
      dataset,
      Array.from({ length: 10_000 }, (_, i) => make(from + i)),
    );
  }
  const ratesPerSec: number[] = [];
  for (let run = 0; run < 3; run++) {
    let events = 0;
    let users = 0;
    let last = -1;
    const started = performance.now();
    for await (const block of store.events.scan(dataset.dataset_id, { from: 0, to: dataset.num_shards })) {
      for (const user of block.user) {
        if (user !== last) users++;
        last = user;
      }
      events += block.length;
    }
    if (events !== TOTAL || users !== (await store.events.internedCount(dataset.dataset_id, 'user'))) {
      throw new Error(`the scan read ${events} events of ${users} users`);
    }
    ratesPerSec.push((events / (performance.now() - started)) * 1000);
  }
  const perSec = ratesPerSec.sort((a, b) => a - b)[1];
  const isSqlite = database === 'SQLite';
  report({
    bench: 'scan',
    what: `events read for training from ${database}, one core`,
    ratio: null,
    base: '',
    figures: `${(perSec / 1e6).toFixed(2)} M events/s (median of 3)`,
    ...(isSqlite ? { bar: 'at least 1 M events/s', met: perSec >= 1e6 } : {}),
  });
  await measureReading(database, store, dataset);
  const timesUs: number[] = [];
  for (let i = 0; i < HISTORIES; i++) {
    const user = `user-${(i * 7919) % Math.floor(TOTAL / 25)}`;
    const started = performance.now();
    await store.events.history(dataset.dataset_id, user, 100);
    timesUs.push((performance.now() - started) * 1000);
  }
  timesUs.sort((a, b) => a - b);
  report({
    bench: 'scan',
    what: `a user's newest 100 events from ${database}`,
    ratio: null,
    base: '',
    figures: `median ${timesUs[HISTORIES / 2].toFixed(0)} µs, p99 ${timesUs[Math.floor(HISTORIES * 0.99)].toFixed(0)} µs`,
  });
}

/** The whole table of training, with one scan at a time and with as many as the store takes at once, in turn. */
async function measureReading(database: string, { events }: Store, dataset: Dataset): Promise<void> {
  if (events.scansAtOnce === 1) return;
  const readers = [1, events.scansAtOnce].map((scansAtOnce) => ({
    scansAtOnce,
    scan: events.scan.bind(events),
    internedIds: events.internedIds.bind(events),
    internedCount: events.internedCount.bind(events),
  }));
  const best = readers.map(() => Number.POSITIVE_INFINITY);
  for (let run = 0; run < 3; run++) {
    for (const [n, reader] of readers.entries()) {
      const started = performance.now();
      await readStoredEvents(reader, dataset.dataset_id, { shards: dataset.num_shards, targetEventType: 'purchase' });
      best[n] = Math.min(best[n], (performance.now() - started) / 1000);
    }
  }
  report({
    bench: 'scan',
    what: `the table of training out of ${database}, ${events.scansAtOnce} scans at once`,
    ratio: best[0] / best[1],
    base: 'faster than one scan at a time',
    figures: best
      .toReversed()
      .map((seconds) => `${(TOTAL / seconds / 1e6).toFixed(2)} M events/s`)
      .join(' against '),
  });
}

const dataDir = mkdtempSync(join(tmpdir(), 'kindred-bench-'));
const sqlite = await openStore({ dataDir });
await measure('SQLite', sqlite);
await sqlite.close();
rmSync(dataDir, { recursive: true });

const server = await freshPostgres();
const postgres = await openStore({ dataDir, databaseUrl: server.url });
await measure('PostgreSQL', postgres);
await postgres.close();
await server.drop();
