import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { makeAccount, makeDataset, makeEvent } from '../../../test/support/store-fixtures.ts';
import { openTestStore } from '../../../test/support/test-database.ts';
import type { Dataset } from '../../domain/dataset.ts';
import { onBehalfOf } from '../on-behalf-of.ts';
import type { Store } from '../store.ts';

const EVENTS = 21_000;
const RECORDS = 12_000;

describe('a long read of an account lets short ones of others pass', () => {
  let store: Store;
  let close: () => Promise<void>;
  let items: Dataset;
  let events: Dataset;
  let others: Dataset;

  before(async () => {
    ({ store, close } = await openTestStore('sqlite'));
    const account = await makeAccount(store);
    items = await makeDataset(store, account, 'item');
    events = await makeDataset(store, account, 'event');
    others = await makeDataset(store, await makeAccount(store), 'item');
    await store.items.upsert(others, [{ id: 'red shoe', attributes: {} }]);
  });
  after(() => close());

  async function passes(account: string, longRead: () => Promise<unknown>): Promise<void> {
    const ended: string[] = [];
    const long = onBehalfOf(account, longRead).then(() => ended.push('long'));
    const found = await onBehalfOf(others.account_id, () => store.items.newest(others.dataset_id, 0, 10));
    ended.push('short');
    await long;
    assert.equal(found.length, 1);
    assert.deepEqual(ended, ['short', 'long']);
  }

  test('statistics and a count of events, which are exact', async () => {
    await store.events.upsert(
      events,
      Array.from({ length: EVENTS }, (_, n) =>
        makeEvent({ event_id: `e${n}`, user_id: `u${n % 100}`, ts: n, event_type: n % 7 === 0 ? 'buy' : 'view' }),
      ),
    );
    await passes(events.account_id, async () => {
      const found = await store.events.statistics(events.dataset_id, 7);
      assert.deepEqual(
        found.over_time.map(({ count }) => count),
        new Array(7).fill(EVENTS / 7),
      );
      assert.deepEqual(found.types, [
        { event_type: 'view', count: (EVENTS / 7) * 6 },
        { event_type: 'buy', count: EVENTS / 7 },
      ]);
    });
    await passes(events.account_id, async () => {
      assert.equal(await store.events.deleteBetween(events, 1, EVENTS - 1, { dryRun: true }), EVENTS - 2);
    });
  });

  test('a search, which finds the same on all its pages', async () => {
    const records = Array.from({ length: RECORDS }, (_, n) => ({
      id: `i${n}`,
      attributes: { text: n % (RECORDS / 3) === 0 ? 'a needle' : 'hay' },
    }));
    await store.items.upsert(items, records);
    const found: string[] = [];
    await passes(items.account_id, async () => {
      for (let page_token: string | null = null; ; ) {
        const page = await store.items.list(items.dataset_id, { page_size: 2, page_token }, 'needle');
        found.push(...page.entries.map(({ id }) => id));
        page_token = page.next_page_token;
        if (page_token === null) break;
      }
    });
    assert.deepEqual(found, ['i8000', 'i4000', 'i0']);
  });
});
