// What is left of a person after the record and the events were deleted: nothing, in no table, file or backup.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { backup } from '../../src/store/backup.ts';
import { openStore } from '../../src/store/open-store.ts';
import { eventually } from '../support/eventually.ts';
import { filesWith } from '../support/grep-folder.ts';
import { tablesWith } from '../support/grep-tables.ts';
import { makeAccount, makeDataset, makeEvent } from '../support/store-fixtures.ts';
import { DIALECTS, newTestPlace, type TestPlace } from '../support/test-database.ts';

const PERSON = 'person-to-be-forgotten';
const SECRET = 'lives-in-the-last-house';
const TEXTS = [PERSON, SECRET];

const finder = (place: TestPlace) => async () =>
  place.databaseUrl ? tablesWith(place.databaseUrl, TEXTS) : filesWith(place.dataDir, TEXTS);

for (const dialect of DIALECTS) {
  test(`${dialect}: after a person was deleted no table, file or backup holds the id or an attribute`, async () => {
    const place = await newTestPlace(dialect);
    const store = await openStore(place);
    const account = await makeAccount(store);
    const users = await makeDataset(store, account, 'user');
    const events = await makeDataset(store, account, 'event');
    const found = finder(place);
    try {
      const others = Array.from({ length: 500 }, (_, n) => `user-${n}`);
      for (const [n, id] of [...others.slice(0, 250), PERSON, ...others.slice(250)].entries()) {
        const attributes = { home: id === PERSON ? SECRET : `house ${n}` };
        await store.users.upsert(users, [{ id, attributes }]);
        const made = Array.from({ length: 3 }, (_, i) =>
          makeEvent({ event_id: `${id}/${i}`, user_id: id, item_id: `i${i}`, ts: n, attributes }),
        );
        await store.events.upsert(events, made);
      }
      assert.ok((await found()).length > 0);

      assert.equal(await store.users.delete(users, [PERSON]), 1);
      assert.equal(await store.events.deleteOfUser(events, PERSON), 3);
      await eventually(async () => (await found()).length === 0);
      assert.deepEqual(await found(), [], 'while the store is open');

      await backup(place, join(place.dataDir, 'backup.tar'));
      const bytes = readFileSync(join(place.dataDir, 'backup.tar'));
      for (const text of TEXTS) assert.ok(!bytes.includes(text), `the backup holds ${text}`);
      assert.ok(bytes.includes('user-7'));

      // Others continue as if nothing had been.
      assert.equal((await store.events.history(events.dataset_id, 'user-499', 10)).length, 3);
      assert.deepEqual((await store.users.get(users.dataset_id, 'user-0'))?.attributes, { home: 'house 0' });
    } finally {
      await store.close();
    }
    assert.deepEqual(await found(), [], 'after the store was closed');
    await place.remove();
  });

  test(`${dialect}: a person whose events are deleted by time or taken over by another is forgotten too`, async () => {
    const place = await newTestPlace(dialect);
    const store = await openStore(place);
    const events = await makeDataset(store, await makeAccount(store), 'event');
    const found = finder(place);
    const write = (event_id: string, user_id: string) =>
      store.events.upsert(events, [makeEvent({ event_id, user_id, ts: 5 })]);
    try {
      await write('1', PERSON);
      await write('2', 'somebody else');
      await store.events.deleteBetween(events, 0, 10);
      await eventually(async () => (await found()).length === 0);
      assert.deepEqual(await found(), []);
      await write('3', PERSON);
      await write('3', 'somebody else');
      await eventually(async () => (await found()).length === 0);
      assert.deepEqual(await found(), []);
    } finally {
      await store.close();
      await place.remove();
    }
  });

  test(`${dialect}: nothing is left of a visitor who was merged, nor of anybody in datasets that were deleted`, async () => {
    const place = await newTestPlace(dialect);
    const store = await openStore(place);
    const account = await makeAccount(store);
    const users = await makeDataset(store, account, 'user');
    const events = await makeDataset(store, account, 'event');
    const found = finder(place);
    const write = async (event_id: string) => {
      await store.users.upsert(users, [{ id: PERSON, attributes: { home: SECRET } }]);
      await store.events.upsert(events, [makeEvent({ event_id, user_id: PERSON })]);
    };
    try {
      await write('1');
      await store.users.upsert(users, [{ id: 'user-1', attributes: { home: 'elsewhere' } }]);
      await store.mergeUsers({ users, events }, { from: PERSON, into: 'user-1' });
      await eventually(async () => (await found()).length === 0);
      assert.deepEqual(await found(), [], 'after the merge');
      // Another event: replacing one of another user would clear the log too.
      await write('2');
      await store.datasets.delete(account, 'user', users.dataset_id);
      await store.datasets.delete(account, 'event', events.dataset_id);
      await eventually(async () => (await found()).length === 0);
      assert.deepEqual(await found(), [], 'after the deletion of the datasets');
    } finally {
      await store.close();
      await place.remove();
    }
  });
}
