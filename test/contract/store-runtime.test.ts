// A store writes and compares the times of the runtime it was opened with, on every database.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { DAY_MS } from '../../src/base/durations.ts';
import { openStore } from '../../src/store/open-store.ts';
import type { Store } from '../../src/store/store.ts';
import { movableClock } from '../support/movable-clock.ts';
import { newCredentials } from '../support/new-ids.ts';
import { makeAccount, makeDataset } from '../support/store-fixtures.ts';
import { DIALECTS, newTestPlace, type TestPlace } from '../support/test-database.ts';

const AHEAD_MS = 1000 * DAY_MS;

for (const dialect of DIALECTS) {
  describe(`the time of a store on ${dialect}`, () => {
    const clock = movableClock();
    let place: TestPlace;
    let store: Store;
    let openedMs: number;

    before(async () => {
      clock.moveAhead(AHEAD_MS);
      openedMs = clock.runtime.nowMs();
      place = await newTestPlace(dialect);
      store = await openStore(place, clock.runtime);
    });
    after(async () => {
      await store.close();
      await place.remove();
    });

    const earliest = async (table: string, column: string): Promise<number> => {
      const [{ ts }] = await store.database.all<{ ts: number }>(`SELECT min(${column}) AS ts FROM ${table}`);
      return Number(ts);
    };

    it('is in migrations, in records, also in those of a merge, and in batches of served lists', async () => {
      const account = await makeAccount(store);
      const [users, events] = [await makeDataset(store, account, 'user'), await makeDataset(store, account, 'event')];
      await store.users.upsert(users, [
        { id: 'a', attributes: { plan: 'pro' } },
        { id: 'c', attributes: {} },
      ]);
      const merged = await store.mergeUsers({ users, events }, { from: 'a', into: 'b' });
      assert.equal(merged?.hadRecord, true);
      await store.outcomes.addServed(events, { batchId: 'one', counts: [], visitors: [] });
      assert.ok((await earliest('schema_migration', 'applied_ts')) >= openedMs);
      assert.ok((await earliest('record', 'created_ts')) >= openedMs);
      assert.ok((await earliest('outcome_served', 'created_ts')) >= openedMs);
    });

    it('decides which keys can be used', async () => {
      const account = await makeAccount(store);
      const keyUntil = (expires_ts: number) => newCredentials(account, { name: 'ends', scopes: ['*'], expires_ts }).key;
      const limits = { usable: 2, total: 10 };
      assert.equal(await store.accounts.addKey(keyUntil(openedMs - 1), limits), 'added');
      assert.equal(await store.accounts.addKey(keyUntil(openedMs + DAY_MS), limits), 'added', 'the other has ended');
      assert.equal(await store.accounts.addKey(keyUntil(openedMs + DAY_MS), limits), 'usable');
      clock.moveAhead(2 * DAY_MS);
      assert.equal(await store.accounts.addKey(keyUntil(openedMs + 9 * DAY_MS), limits), 'added', 'so has this one');
    });

    it('decides which events are counted for top lists', async () => {
      const account = await makeAccount(store);
      const events = await makeDataset(store, account, 'event');
      const event = { user_id: 'u', item_id: 'i', event_type: 't', event_value: 1, attributes: {} };
      const hasCounted = async (event_id: string, ts: number): Promise<boolean> => {
        await store.events.upsert(events, [{ ...event, event_id, ts }]);
        const sql = 'SELECT counts FROM event_change ORDER BY version DESC LIMIT 1';
        const [{ counts }] = await store.database.all<{ counts: Uint8Array | null }>(sql);
        return counts !== null;
      };
      assert.equal(await hasCounted('long ago', clock.runtime.nowMs() - AHEAD_MS), false);
      assert.equal(await hasCounted('now', clock.runtime.nowMs()), true);
    });
  });
}
