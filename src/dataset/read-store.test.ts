import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { makeAccount, makeDataset, makeEvent } from '../../test/support/store-fixtures.ts';
import { DIALECTS, newTestPlace, type TestPlace } from '../../test/support/test-database.ts';
import { seededRandom } from '../base/seeded-random.ts';
import type { Dataset } from '../domain/dataset.ts';
import type { EventRecord } from '../domain/record.ts';
import { openStore } from '../store/open-store.ts';
import type { Store } from '../store/store.ts';
import { gatherDislikes } from './gather-dislikes.ts';
import { type ReadableEvents, type ReadOptions, readStoredEvents, type StoredEvents } from './read-store.ts';
import { gatherUsers } from './sample-users.ts';
import type { EventPart } from './training-events.ts';

const TARGET = 'buy';

/** Odd counts, users without anything that counts, the same moment twice. */
function madeEvents(count: number): EventRecord[] {
  const { next: random } = seededRandom(count);
  const below = (limit: number) => Math.floor(random() * limit);
  return Array.from({ length: count }, (_, n) =>
    makeEvent({
      event_id: `e${n}`,
      user_id: `u${below(31)}`,
      item_id: `i${below(17)}`,
      event_type: ['buy', 'view', 'skip'][below(3)],
      event_value: [1, 2, 0, -1][below(4)],
      ts: below(20),
    }),
  );
}

/**
 * The expected content of the table, straight from the records: users by first occurrence, then by time and order of
 * writing.
 */
function expected(events: readonly EventRecord[]) {
  return [...new Set(events.map(({ user_id }) => user_id))]
    .map((user) =>
      events
        .filter(({ user_id, event_value }) => user_id === user && event_value > 0)
        .sort((a, b) => a.ts - b.ts)
        .map(({ item_id, event_type, event_value, ts }) => ({ item_id, event_type, event_value, ts })),
    )
    .filter((history) => history.length > 0);
}

/** Histories by the store's number of the user. */
async function historiesOf({ events, userNumbers }: StoredEvents) {
  const table = await gatherUsers(events);
  const rows = [...userNumbers.keys()].sort((a, b) => userNumbers[a] - userNumbers[b]);
  return rows.map((user) =>
    Array.from({ length: table.userOffsets[user + 1] - table.userOffsets[user] }, (_, n) => {
      const event = table.userOffsets[user] + n;
      return {
        item_id: table.itemIds.at(table.item[event]),
        event_type: table.typeNames[table.type[event]],
        event_value: table.value[event],
        ts: table.ts[event],
      };
    }),
  );
}

/** Everything that was read, in a form that can be compared. */
async function plain(read: StoredEvents) {
  const { itemIds, firstUser, firstEvent, ...table } = (await gatherUsers(read.events)) as EventPart;
  const ids = Array.from({ length: itemIds.length }, (_, item) => itemIds.at(item));
  const dislikes = await gatherDislikes(read.events, new Set(read.userNumbers.keys()));
  return { ids, table: { ...table, dislikes }, userNumbers: read.userNumbers, eventsRead: read.eventsRead };
}

for (const dialect of DIALECTS) {
  describe(`events for training out of ${dialect}`, () => {
    let place: TestPlace;
    let store: Store;
    let account: string;

    before(async () => {
      place = await newTestPlace(dialect);
      store = await openStore(place);
      account = await makeAccount(store);
    });
    after(async () => {
      await store?.close();
      await place?.remove();
    });

    const filled = async (events: readonly EventRecord[], shards: number): Promise<Dataset> => {
      const dataset = await makeDataset(store, account, 'event', shards);
      for (let at = 0; at < events.length; at += 50) await store.events.upsert(dataset, events.slice(at, at + 50));
      return dataset;
    };
    const scanning = (scansAtOnce: number, scan = store.events.scan.bind(store.events)): ReadableEvents => ({
      scansAtOnce,
      scan,
      internedIds: store.events.internedIds.bind(store.events),
      internedCount: store.events.internedCount.bind(store.events),
    });
    const read = (events: ReadableEvents, dataset: Dataset, { signal, room }: Partial<ReadOptions> = {}) =>
      readStoredEvents(events, dataset.dataset_id, {
        shards: dataset.num_shards,
        targetEventType: TARGET,
        signal,
        room,
      });

    for (const { count, shards } of [
      { count: 0, shards: 3 },
      { count: 1, shards: 1 },
      { count: 301, shards: 7 },
      { count: 301, shards: 200 },
    ]) {
      test(`${count} events in ${shards} shards are the same however many scans run at once`, async () => {
        const events = madeEvents(count);
        const dataset = await filled(events, shards);
        const alone = await read(scanning(1), dataset);
        assert.equal(alone.eventsRead, count);
        assert.deepEqual(await historiesOf(alone), expected(events));
        for (const atOnce of [2, 5, store.events.scansAtOnce]) {
          assert.deepEqual(await plain(await read(scanning(atOnce), dataset)), await plain(alone));
        }
      });
    }

    for (const partEvents of [1, 10, 60]) {
      test(`events that are read with ${partEvents} in memory at a time are the same, and their files are removed`, async () => {
        const folder = await mkdtemp(join(tmpdir(), 'kindred-parts-'));
        const dataset = await filled(madeEvents(301), 7);
        const held = await read(store.events, dataset);
        {
          await using parts = await read(store.events, dataset, { room: { partEvents, folder } });
          assert.equal(parts.events.held, null);
          assert.deepEqual(await plain(parts), await plain(held));
          assert.equal((await readdir(folder)).length, 1);
        }
        assert.deepEqual(await readdir(folder), []);
        await rm(folder, { recursive: true });
      });
    }

    test('events keep their types, and those of types for which there is no room are left out', async () => {
      const types = [...Array.from({ length: 300 }, (_, n) => `view-${n}`), TARGET];
      const events = types.map((event_type, n) => makeEvent({ event_id: `e${n}`, user_id: 'u', event_type, ts: n }));
      const dataset = await filled(events, 1);
      const stored = await read(store.events, dataset);
      const kept = [...events.slice(0, 254), ...events.slice(-1)];
      assert.deepEqual(await historiesOf(stored), expected(kept));
      const { typeNames, targetType } = stored.events;
      assert.deepEqual([typeNames.length, typeNames[targetType]], [255, TARGET]);
    });

    test('dislikes count as events where they do not fit in memory', async () => {
      const folder = await mkdtemp(join(tmpdir(), 'kindred-parts-'));
      const rows = Array.from({ length: 20 * 12 }, (_, n) =>
        makeEvent({
          event_id: `e${n}`,
          user_id: `u${n % 20}`,
          item_id: `i${(n * 7) % 5}`,
          event_type: TARGET,
          ts: n,
          event_value: n < 40 ? 1 : -1,
        }),
      );
      const dataset = await filled(rows, 3);
      const held = await read(store.events, dataset);
      assert.equal(held.events.length, 40);
      {
        // Each user has two likes and ten dislikes, so a part has three users.
        await using parts = await read(store.events, dataset, { room: { partEvents: 36, folder } });
        assert.equal(parts.events.held, null);
        for await (const { length, dislikes } of parts.events.parts()) {
          assert.ok(length + dislikes!.user.length <= 36, `${length} events and ${dislikes!.user.length} dislikes`);
        }
        assert.deepEqual(await plain(parts), await plain(held));
      }
      await rm(folder, { recursive: true });
    });

    test('a scan that fails and a signal that aborts end the reading, and those ahead with it', async () => {
      const dataset = await filled(madeEvents(301), 40);
      let running = 0;
      const failing = async function* (id: string, range: { from: number; to: number }, size?: number) {
        running++;
        try {
          if (range.from >= 20) throw new Error('the database is gone');
          yield* store.events.scan(id, range, size);
        } finally {
          running--;
        }
      };
      await assert.rejects(read(scanning(4, failing), dataset), /the database is gone/);
      assert.equal(running, 0);
      const stop = new AbortController();
      const stopping = async function* (id: string, range: { from: number; to: number }, size?: number) {
        if (range.from >= 20) stop.abort(new Error('no longer wanted'));
        yield* store.events.scan(id, range, size);
      };
      await assert.rejects(read(scanning(4, stopping), dataset, stop), /no longer wanted/);
      assert.equal((await read(store.events, dataset)).eventsRead, 301);
    });
  });
}
