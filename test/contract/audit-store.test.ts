// The audit log: the same expectations on every database.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { DAY_MS } from '../../src/base/durations.ts';
import type { AuditEntry, AuditFilter } from '../../src/domain/audit-entry.ts';
import type { AuditStore } from '../../src/store/audit-store.ts';
import type { Store } from '../../src/store/store.ts';
import { newCredentials, newId } from '../support/new-ids.ts';
import { makeAccount } from '../support/store-fixtures.ts';
import { DIALECTS, openTestStore } from '../support/test-database.ts';

const FIRST_PAGE = { page_size: 1000, page_token: null };

function entryOf(account_id: string, created_ts: number, change: Partial<AuditEntry> = {}): AuditEntry {
  return {
    entry_id: newId('audit', created_ts),
    account_id,
    created_ts,
    last_ts: created_ts,
    actor_kind: 'key',
    actor_id: 'key_1',
    actor_name: null,
    operation: '/create-project',
    object_id: 'prj_1',
    summary: 'name: "shop"',
    calls: 1,
    records: 0,
    request_id: 'r1',
    ...change,
  };
}

for (const dialect of DIALECTS) {
  describe(`audit log on ${dialect}`, () => {
    let close: () => Promise<void>;
    let store: Store;
    let audit: AuditStore;

    before(async () => {
      ({ store, close } = await openTestStore(dialect));
      ({ audit } = store);
    });
    after(() => close());

    it('lists an account newest first, by time, operation and key, page by page', async () => {
      const account = newId('account');
      const entries = Array.from({ length: 7 }, (_, n) =>
        entryOf(account, 1000 + n, {
          operation: n % 2 ? '/delete-model' : '/create-project',
          actor_id: `key_${n % 3}`,
        }),
      );
      await audit.append([...entries, entryOf(newId('account'), 1003)]);
      const list = async (filter: object, page = FIRST_PAGE) =>
        (await audit.list(account, filter, page)).entries.map(({ created_ts }) => created_ts - 1000);
      assert.deepEqual(await list({}), [6, 5, 4, 3, 2, 1, 0]);
      assert.deepEqual(await list({ from_ts: 1002, to_ts: 1005 }), [4, 3, 2]);
      assert.deepEqual(await list({ operation: '/delete-model' }), [5, 3, 1]);
      assert.deepEqual(await list({ actor_id: 'key_0', from_ts: 1001 }), [6, 3]);
      const first = await audit.list(account, {}, { page_size: 4, page_token: null });
      assert.equal(first.entries.length, 4);
      const second = await audit.list(account, {}, { page_size: 4, page_token: first.next_page_token });
      assert.deepEqual(
        [...first.entries, ...second.entries].map(({ entry_id }) => entry_id),
        entries.map(({ entry_id }) => entry_id).reverse(),
      );
      assert.equal(second.next_page_token, null);
      assert.deepEqual(first.entries[0], entries[6]);
    });

    it('names a key as it is called now, and what is no key as it was called then', async () => {
      const account = await makeAccount(store);
      const [{ key_id }] = await store.accounts.listKeys(account);
      const { key: second } = newCredentials(account, { name: 'second', scopes: ['*'] });
      assert.equal(await store.accounts.addKey(second), 'added');
      await audit.append([
        entryOf(account, 1000, { actor_id: key_id, actor_name: 'once' }),
        entryOf(account, 1001, { actor_kind: 'person', actor_id: 'per_1', actor_name: 'Ann' }),
        entryOf(account, 1002, { actor_id: 'key_gone' }),
        entryOf(account, 1003, { actor_id: second.key_id }),
      ]);
      const names = async (filter: AuditFilter) =>
        (await audit.list(account, filter, FIRST_PAGE)).entries.map(({ actor_name }) => actor_name);
      assert.deepEqual(await names({}), ['second', null, 'Ann', 'test']);
      assert.deepEqual(await names({ actor_id: key_id, from_ts: 0 }), ['test']);
      assert.deepEqual(await names({ actor_id: second.key_id, from_ts: 0 }), ['second']);
    });

    it('adds calls and records to an entry that is there, also from several nodes at once', async () => {
      const account = newId('account');
      const entry = entryOf(account, 5000, { records: 10 });
      await Promise.all(Array.from({ length: 8 }, (_, n) => audit.append([{ ...entry, last_ts: 5000 + n }])));
      const { entries } = await audit.list(account, {}, FIRST_PAGE);
      assert.deepEqual(
        entries.map(({ calls, records, last_ts }) => [calls, records, last_ts]),
        [[8, 80, 5007]],
      );
      await audit.append([{ ...entry, last_ts: 5003 }]);
      assert.equal((await audit.list(account, {}, FIRST_PAGE)).entries[0].last_ts, 5007, 'never moves back');
    });

    it('keeps the newest entries of an account, and none older than the limit', async () => {
      const [account, other] = [newId('account'), newId('account')];
      // The newest that goes and the oldest that stays are of the same moment.
      const times = [9001, 9002, 9003, 9004, 9004, 9005];
      await audit.append(times.flatMap((ts) => [entryOf(account, ts), entryOf(other, ts)]));
      await audit.keepNewest(account, 2);
      const left = async (accountId: string) => (await audit.list(accountId, {}, FIRST_PAGE)).entries.length;
      assert.deepEqual([await left(account), await left(other)], [2, 6]);
      await audit.keepNewest(account, 2);
      await audit.deleteOlder(0, 9005);
      assert.deepEqual([await left(account), await left(other)], [1, 1]);
    });

    it('is not emptied by a clock that is far ahead', async () => {
      const account = newId('account');
      const append = (days: number[]) => audit.append(days.map((day) => entryOf(account, day * DAY_MS)));
      // The log has other entries, of its first seconds.
      const left = async () =>
        (await audit.list(account, {}, FIRST_PAGE)).entries.map(({ created_ts }) => created_ts / DAY_MS);
      const deleteOlder = async (nowDay: number) => {
        await audit.deleteOlder(10 * DAY_MS, nowDay * DAY_MS);
        return left();
      };
      await append([1, 6, 8, 12, 20, 40]);
      assert.deepEqual(await deleteOlder(17), [40, 20, 12, 8]);
      assert.deepEqual(await deleteOlder(5000), [40, 20], 'a week of the log at a time');
      assert.deepEqual(await deleteOlder(5000), [40]);
      assert.deepEqual(await deleteOlder(5000), [40], 'the newest is as old as the log itself');
      await append([45, 50, 5000]);
      assert.deepEqual(await deleteOlder(5000), [5000, 50], 'also where an entry is of the wrong clock');
    });
  });
}
