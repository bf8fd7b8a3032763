// Counts by item, type and time: the same as counting the events that are stored, whatever was written, replaced, deleted or
// merged, on every database, and for events that were there before there were counts.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { seededRandom } from '../../src/base/seeded-random.ts';
import { MIGRATIONS } from '../../src/store/migrations/index.ts';
import { openStore } from '../../src/store/open-store.ts';
import type { Store } from '../../src/store/store.ts';
import { assertCounts } from '../support/assert-counts.ts';
import { makeAccount, makeDataset, makeEvent } from '../support/store-fixtures.ts';
import { DIALECTS_OF_LONG_SUITES, newTestPlace, type TestPlace } from '../support/test-database.ts';

const HOUR_MS = 3_600_000;

for (const dialect of DIALECTS_OF_LONG_SUITES) {
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
