// A visitor becomes a user: events, records, counts and what caches are told, on every database, with others writing at the
// same time.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { isForgotten } from '../../src/store/event-store.ts';
import { MERGE_CHUNK, type MergedDatasets } from '../../src/store/merge-users.ts';
import { openStore } from '../../src/store/open-store.ts';
import type { Store } from '../../src/store/store.ts';
import { collect, countOf, makeAccount, makeDataset, makeEvent, scanAll } from '../support/store-fixtures.ts';
import { assertCountedBytes } from '../support/stored-bytes.ts';
import { DIALECTS, newTestPlace, type TestPlace } from '../support/test-database.ts';

for (const dialect of DIALECTS) {
  describe(`merging users on ${dialect}`, () => {
    let place: TestPlace;
    let store: Store;
    let other: Store;
    let account: string;

    before(async () => {
      place = await newTestPlace(dialect);
      store = await openStore(place);
      other = await openStore(place);
      account = await makeAccount(store);
    });
    after(async () => {
      await other.close();
      await store.close();
      await place.remove();
    });

    const datasets = async (): Promise<MergedDatasets> => ({
      users: await makeDataset(store, account, 'user'),
      events: await makeDataset(store, account, 'event'),
    });
    const historyOf = async ({ events }: MergedDatasets, user: string) =>
      (await other.events.history(events.dataset_id, user, 100)).map(({ item_id, ts }) => `${item_id}@${ts}`);
    const eventsBy = (user: string, ...tss: number[]) =>
      tss.map((ts) => makeEvent({ event_id: `${user}-${ts}`, user_id: user, item_id: `${user}-i`, ts }));

    test('events and attributes become those of the user, and nothing is left of the visitor', async () => {
      const both = await datasets();
      await store.events.upsert(both.events, [
        ...eventsBy('visitor', 1, 3, 5),
        ...eventsBy('user', 2, 3),
        ...eventsBy('x', 1),
      ]);
      await store.users.upsert(both.users, [
        { id: 'visitor', attributes: { country: 'NL', device: 'phone', plan: 'pro' } },
        { id: 'user', attributes: { country: 'BE', age: 30, plan: null, size: null } },
      ]);
      const versions = await store.events.version(both.events.dataset_id);
      const [visitorNo, userNo] = [0, 1];
      const merged = await store.mergeUsers(both, { from: 'visitor', into: 'user' });
      assert.deepEqual(merged, { movedEvents: 3, hadRecord: true, knowsInto: true });
      const expected = ['visitor-i@5', 'user-i@3', 'visitor-i@3', 'user-i@2', 'visitor-i@1'];
      assert.deepEqual(await historyOf(both, 'user'), expected);
      assert.deepEqual(await historyOf(both, 'visitor'), []);
      assert.equal((await other.events.get(both.events.dataset_id, 'visitor-3'))!.user_id, 'user');
      assert.equal(await countOf(store, both.events), 6);
      assert.equal(await countOf(store, both.users), 1);
      assert.deepEqual(await other.users.getMany(both.users.dataset_id, ['visitor', 'user']), [
        null,
        { id: 'user', attributes: { country: 'BE', device: 'phone', plan: 'pro', age: 30, size: null } },
      ]);
      const changes = await other.events.changesSince(both.events.dataset_id, versions);
      assert.deepEqual([...changes!.users].sort(), [visitorNo, userNo]);
      const userIds = await collect(other.events.internedIds(both.events.dataset_id, 'user'));
      assert.ok(!userIds.includes('visitor') && isForgotten(userIds[visitorNo]));
      const scanned = (await scanAll(other, both.events)).filter(({ user_id }) => user_id === 'user');
      assert.deepEqual(
        scanned.map(({ ts }) => ts),
        [1, 2, 3, 3, 5],
      );
      await assertCountedBytes(store, account);
    });

    test('events that are deleted by id at the same time are gone, whoever has them', async () => {
      const both = await datasets();
      const events = eventsBy('visitor', 1, 2, 3);
      await store.events.upsert(both.events, events);
      const ids = events.map(({ event_id }) => event_id);
      const [, deleted] = await Promise.all([
        store.mergeUsers(both, { from: 'visitor', into: 'user' }),
        store.events.delete(both.events, ids),
      ]);
      assert.equal(deleted, 3);
      assert.equal(await countOf(store, both.events), 0);
    });

    test('sending it again changes nothing, a new user takes all over, and who nobody knows is told', async () => {
      const both = await datasets();
      await store.events.upsert(both.events, eventsBy('visitor', 1, 2));
      await store.users.upsert(both.users, [{ id: 'visitor', attributes: { a: 1 } }]);
      const merge = (from: string, into: string) => other.mergeUsers(both, { from, into });
      assert.deepEqual(await merge('nobody', 'noone'), { movedEvents: 0, hadRecord: false, knowsInto: false });
      assert.equal((await merge('visitor', 'new'))!.movedEvents, 2);
      assert.deepEqual(await merge('visitor', 'new'), { movedEvents: 0, hadRecord: false, knowsInto: true });
      assert.deepEqual(await historyOf(both, 'new'), ['visitor-i@2', 'visitor-i@1']);
      assert.deepEqual(await store.users.get(both.users.dataset_id, 'new'), { id: 'new', attributes: { a: 1 } });
      // Who comes back under the old id is somebody new.
      await store.events.upsert(both.events, eventsBy('visitor', 9));
      assert.deepEqual(await historyOf(both, 'visitor'), ['visitor-i@9']);
      assert.equal((await merge('visitor', 'new'))!.movedEvents, 1);
      assert.equal(await countOf(store, both.events), 3);
      await assertCountedBytes(store, account);
    });

    test('records that are too large together are refused, and nothing has changed', async () => {
      const both = await datasets();
      await store.events.upsert(both.events, eventsBy('visitor', 1));
      for (const id of ['visitor', 'user']) {
        await store.users.upsert(both.users, [{ id, attributes: { [id]: 'x'.repeat(600_000) } }]);
      }
      assert.equal(await store.mergeUsers(both, { from: 'visitor', into: 'user' }), null);
      assert.equal((await historyOf(both, 'visitor')).length, 1);
      assert.equal(await countOf(store, both.users), 2);
    });

    test('a visitor with more events than one transaction moves is merged whole', async () => {
      const both = await datasets();
      const total = MERGE_CHUNK + 1500;
      for (let from = 0; from < total; from += 1000) {
        const size = Math.min(1000, total - from);
        await store.events.upsert(
          both.events,
          eventsBy('visitor', ...Array.from({ length: size }, (_, n) => from + n)),
        );
      }
      assert.equal((await store.mergeUsers(both, { from: 'visitor', into: 'user' }))!.movedEvents, total);
      assert.equal(await countOf(store, both.events), total);
      const scanned = await scanAll(other, both.events);
      assert.ok(scanned.every(({ user_id }) => user_id === 'user'));
      assert.equal(scanned.length, total);
      await assertCountedBytes(store, account);
    });

    test('events written while users are merged, on two nodes, are neither lost nor doubled', async () => {
      const both = await datasets();
      const written = new Set<string>();
      const write = async (node: Store, lane: number) => {
        for (let batch = 0; batch < 12; batch++) {
          // Every third batch writes the ids of the one before again.
          const name = batch % 3 === 2 ? batch - 1 : batch;
          const made = ['visitor', 'user'].flatMap((user_id) =>
            [0, 1, 2].map((n) => makeEvent({ event_id: `${lane}-${name}-${user_id}-${n}`, user_id, ts: batch })),
          );
          await node.events.upsert(both.events, made);
          for (const { event_id } of made) written.add(event_id);
        }
      };
      const merge = async (node: Store) => {
        for (let turn = 0; turn < 15; turn++) await node.mergeUsers(both, { from: 'visitor', into: 'user' });
      };
      await Promise.all([write(store, 0), write(other, 1), merge(store), merge(other), write(store, 2)]);
      await store.mergeUsers(both, { from: 'visitor', into: 'user' });
      const scanned = await scanAll(other, both.events);
      assert.equal(scanned.length, written.size);
      assert.ok(scanned.every(({ user_id }) => user_id === 'user'));
      assert.equal(await countOf(store, both.events), written.size);
      const listed = await collect(pages(other, both.events.dataset_id));
      assert.deepEqual(new Set(listed), written);
      await assertCountedBytes(store, account);
    });
  });
}

async function* pages(store: Store, datasetId: string): AsyncGenerator<string[]> {
  for (let page_token: string | null = null; ; ) {
    const page = await store.events.list(datasetId, { page_size: 1000, page_token });
    yield page.entries.map(({ event_id }) => event_id);
    page_token = page.next_page_token;
    if (page_token === null) return;
  }
}
