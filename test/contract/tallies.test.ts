// Counts by item, type and time: the same as counting the events that are stored, whatever was written, replaced, deleted or
// merged, on every database, after kill -9, and for events that were there before there were counts.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { Dataset } from '../../src/domain/dataset.ts';
import { seededRandom } from '../../src/domain/seeded-random.ts';
import { windowBefore, windowBeforeWindow } from '../../src/store/event-window.ts';
import { MIGRATIONS } from '../../src/store/migrations/index.ts';
import { openStore } from '../../src/store/open-store.ts';
import type { Store } from '../../src/store/store.ts';
import { collect, makeAccount, makeDataset, makeEvent, scanAll } from '../support/store-fixtures.ts';
import { DIALECTS, newTestPlace, type TestPlace } from '../support/test-database.ts';

const CHILD = join(import.meta.dirname, '../support/count-until-killed.ts');
const HOUR_MS = 3_600_000;
const TYPES = ['view', 'buy', null];

/** Holds what the counts say against the events. */
async function assertCounts(store: Store, dataset: Dataset, nowMs = Date.now()): Promise<number> {
  const events = await scanAll(store, dataset);
  const itemIds = await collect(store.events.internedIds(dataset.dataset_id, 'item'));
  const windows = [1, 2, 5, 24, 26, 100, 720].map((hours) => windowBefore(nowMs, hours));
  windows.push(windowBeforeWindow(windows[0], 24), windowBeforeWindow(windows[3], 168));
  let counted = 0;
  for (const window of windows) {
    for (const type of TYPES) {
      const expected: Record<string, number> = {};
      for (const { ts, item_id, event_type, event_value } of events) {
        const minute = Math.floor(ts / 60_000);
        const isMeant = event_value > 0 && (type === null || type === event_type);
        if (isMeant && minute >= window.from && minute < window.to) expected[item_id] = (expected[item_id] ?? 0) + 1;
      }
      const found = await store.events.itemCounts(dataset.dataset_id, window, type);
      const byId = Object.fromEntries(Array.from(found, ([item, count]) => [itemIds[item], count]));
      assert.deepEqual(byId, expected, `${type} from ${window.from} to ${window.to}`);
      counted += found.size;
    }
  }
  return counted;
}

for (const dialect of DIALECTS) {
  describe(`counts of events on ${dialect}`, () => {
    let place: TestPlace;
    let store: Store;
    let account: string;

    before(async () => {
      place = await newTestPlace(dialect);
      store = await openStore(place);
      account = await makeAccount(store);
    });
    after(async () => {
      await store.close();
      await place.remove();
    });

    test('are those of the stored events after any mix of writes, and other nodes see the same', async () => {
      const events = await makeDataset(store, account, 'event');
      const users = await makeDataset(store, account, 'user');
      const other = await openStore(place);
      const { next: random } = seededRandom(5);
      const below = (count: number) => Math.floor(random() * count);
      const nowMs = Date.now();
      for (let round = 0; round < 200; round++) {
        const node = round % 2 === 0 ? store : other;
        const isOld = round % 3 === 0;
        const made = Array.from({ length: 20 }, () =>
          makeEvent({
            event_id: `e${below(800)}`,
            user_id: `u${below(20)}`,
            item_id: `i${below(15)}`,
            event_type: random() < 0.7 ? 'view' : 'buy',
            event_value: random() < 0.1 ? -1 : 1,
            // From 40 days ago to an hour ahead, half of them within the last three hours.
            ts: nowMs + HOUR_MS - below(isOld ? 40 * 24 * HOUR_MS : 4 * HOUR_MS),
          }),
        );
        await node.events.upsert(events, [...new Map(made.map((event) => [event.event_id, event])).values()]);
        if (round % 7 === 0) await node.events.delete(events, [`e${below(800)}`, `e${below(800)}`]);
        if (round % 23 === 0) await node.events.deleteOfUser(events, `u${below(20)}`);
        if (round % 29 === 0)
          await node.mergeUsers({ users, events }, { from: `u${below(20)}`, into: `u${below(20)}` });
        if (round === 120) await node.events.deleteBetween(events, nowMs - 50 * HOUR_MS, nowMs - 30 * HOUR_MS);
        if (round % 50 === 0) await assertCounts(other, events, nowMs);
      }
      assert.ok((await assertCounts(store, events, nowMs)) > 100);
      await assertCounts(other, events, nowMs);
      await other.close();
    });

    test('take few rows, and those of deleted datasets go', async () => {
      const events = await makeDataset(store, account, 'event');
      const nowMs = Date.now();
      for (let round = 0; round < 640; round++) {
        await store.events.upsert(
          events,
          [0, 1, 2].map((n) =>
            makeEvent({ event_id: `${round}-${n}`, item_id: `i${(round * n) % 50}`, ts: nowMs - n }),
          ),
        );
      }
      const rows = () =>
        store.database.all<{ span: number; runs: number }>(
          `SELECT span, count(*) AS runs FROM event_tally
         WHERE dataset_no = (SELECT dataset_no FROM dataset_count WHERE dataset_id = ?) GROUP BY span`,
          [events.dataset_id],
        );
      for (const { runs } of await rows()) assert.ok(runs <= 8, `${runs} runs of at most two buckets`);
      await assertCounts(store, events);
      await store.datasets.delete(account, 'event', events.dataset_id);
      for (;;) {
        const [{ left }] = await store.database.all<{ left: number }>(
          `SELECT count(*) AS left FROM event_tally t
           WHERE NOT EXISTS (SELECT 1 FROM dataset_count c WHERE c.dataset_no = t.dataset_no)
             OR t.dataset_no IN (SELECT c.dataset_no FROM dataset_count c WHERE c.dataset_id = ?)`,
          [events.dataset_id],
        );
        if (left === 0) break;
      }
    });

    test('are exact whenever the process was killed', async () => {
      const events = await makeDataset(store, account, 'event');
      for (let run = 0; run < 4; run++) {
        await runUntilKilled(
          [place.dataDir, account, events.dataset_id, `r${run}`, place.databaseUrl ?? ''],
          60 + run * 25,
        );
        assert.ok((await assertCounts(store, events)) > 10);
      }
    });

    test('begin with the events of the last days when a database of an earlier version is opened', async () => {
      const earlier = await newTestPlace(dialect);
      let opened = await openStore(earlier);
      const events = await makeDataset(opened, await makeAccount(opened), 'event');
      const nowMs = Date.now();
      const made = Array.from({ length: 900 }, (_, n) =>
        makeEvent({
          event_id: `e${n}`,
          item_id: `i${n % 30}`,
          ts: nowMs - n * HOUR_MS,
          event_type: n % 2 ? 'view' : 'buy',
        }),
      );
      await opened.events.upsert(events, made);
      // As a version without counts leaves it.
      await opened.database.atomic([
        { sql: 'DROP TABLE event_tally' },
        { sql: 'DROP INDEX record_by_creation' },
        { sql: 'ALTER TABLE record DROP COLUMN created_ts' },
        { sql: 'ALTER TABLE event_change DROP COLUMN counts' },
        { sql: 'DELETE FROM schema_migration WHERE name = ?', params: ['event tallies'] },
      ]);
      await opened.close();
      opened = await openStore(earlier);
      assert.ok(MIGRATIONS.some(({ name }) => name === 'event tallies'));
      assert.ok((await assertCounts(opened, events, nowMs)) > 30);
      await opened.close();
      await earlier.remove();
    });
  });
}

async function runUntilKilled(args: string[], lines: number): Promise<void> {
  const child = spawn(process.execPath, [CHILD, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  const exited = new Promise((resolve) => child.on('close', resolve));
  child.stdout.on('data', (chunk) => {
    output += chunk;
    if (output.split('\n').length > lines) child.kill('SIGKILL');
  });
  await exited;
  assert.equal(child.signalCode, 'SIGKILL', 'it ended by itself');
}
