// What every store must do, whatever database it keeps its data in: one suite, run over each.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { PURGE_CHUNK } from '../../src/store/sql/purge-after-delete.ts';
import type { Store } from '../../src/store/store.ts';
import { eventually } from './eventually.ts';
import { describeEventScans } from './store-event-scans.ts';
import { describeEvents } from './store-events.ts';
import { countOf, makeAccount, makeDataset, makeEvent, scanAll } from './store-fixtures.ts';
import { describeProperties } from './store-properties.ts';
import { describeRecords } from './store-records.ts';
import { describeStreams } from './store-streams.ts';

export interface StoreUnderTest {
  store: Store;
  /** Opens the same data once more, as another node does. */
  reopen(): Promise<Store>;
  close(): Promise<void>;
}

export function describeStore(name: string, open: () => Promise<StoreUnderTest>): void {
  describe(`the store on ${name}`, () => {
    let store: Store;
    let account: string;
    let reopen: () => Promise<Store>;
    let close: () => Promise<void>;

    before(async () => {
      ({ store, reopen, close } = await open());
      account = await makeAccount(store);
    });
    after(() => close?.());

    describeProperties(() => store);

    describeRecords(() => ({ store, account, reopen }));
    describeEvents(() => ({ store, account, reopen }));
    describeEventScans(() => ({ store, account, reopen }));
    describeStreams(() => ({ store, account, reopen }));

    test('the records of a deleted dataset are removed, and only those', async () => {
      const kept = await makeDataset(store, account, 'event');
      const gone = await makeDataset(store, account, 'event');
      const events = Array.from({ length: PURGE_CHUNK + 50 }, (_, i) =>
        makeEvent({ event_id: `e${i}`, user_id: `u${i}` }),
      );
      for (const dataset of [kept, gone]) {
        for (let from = 0; from < events.length; from += 1000) {
          await store.events.upsert(dataset, events.slice(from, from + 1000));
        }
      }
      await store.datasets.delete(account, 'event', gone.dataset_id);
      await eventually(async () => (await store.events.internedCount(gone.dataset_id, 'user')) === 0);
      const rows = await store.database.all<{ tables: number }>(
        `SELECT (SELECT count(*) FROM event WHERE dataset_no NOT IN (SELECT dataset_no FROM dataset_count))
           + (SELECT count(*) FROM interned WHERE dataset_no NOT IN (SELECT dataset_no FROM dataset_count)) AS tables`,
      );
      assert.equal(rows[0].tables, 0);
      assert.equal((await scanAll(store, kept)).length, events.length);
      assert.equal(await countOf(store, kept), events.length);
    });
  });
}
