// What a process has written when it is killed (kill -9) at any moment, on every database.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { openStore } from '../../src/store/open-store.ts';
import type { Store } from '../../src/store/store.ts';
import { assertCounts } from '../support/assert-counts.ts';
import { runUntilKilled } from '../support/run-until-killed.ts';
import { collect, countOf, makeAccount, makeDataset, scanAll } from '../support/store-fixtures.ts';
import { assertCountedBytes } from '../support/stored-bytes.ts';
import { DIALECTS, newTestPlace, type TestPlace } from '../support/test-database.ts';

for (const dialect of DIALECTS) {
  describe(`killed writers on ${dialect}`, () => {
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

    test('counts by item, type and time are exact whenever the process was killed', async () => {
      const events = await makeDataset(store, account, 'event');
      for (let run = 0; run < 4; run++) {
        await runUntilKilled(
          'count-until-killed.ts',
          [place.dataDir, account, events.dataset_id, `r${run}`, place.databaseUrl ?? ''],
          60 + run * 25,
        );
        assert.ok((await assertCounts(store, events)) > 10);
      }
    });

    test('kill -9 while users are merged loses no acknowledged event and leaves counts exact', async () => {
      const both = {
        users: await makeDataset(store, account, 'user'),
        events: await makeDataset(store, account, 'event'),
      };
      const acknowledged: string[] = [];
      for (let run = 0; run < 5; run++) {
        const ids = [account, both.users.dataset_id, both.events.dataset_id];
        const args = [place.dataDir, ...ids, `r${run}`, place.databaseUrl ?? ''];
        acknowledged.push(...(await runUntilKilled('merge-until-killed.ts', args, 15 + run * 11)));
        const reader = await openStore(place);
        const scanned = await scanAll(reader, both.events);
        assert.equal(await countOf(reader, both.events), scanned.length);
        const users = await collect(reader.users.scan(both.users.dataset_id));
        assert.equal(await countOf(reader, both.users), users.length);
        for (const line of acknowledged) {
          const [what, name, into] = line.split(' ');
          if (what === 'events') {
            for (const n of [0, 39]) assert.ok(await reader.events.get(both.events.dataset_id, `${name}-${n}`), line);
          } else {
            const moved = await reader.events.get(both.events.dataset_id, `${name}-before-0`);
            assert.equal(moved!.user_id, into, line);
            assert.equal(await reader.users.get(both.users.dataset_id, name), null, line);
          }
        }
        await assertCountedBytes(reader, account);
        await reader.close();
      }
      const isMerged = acknowledged.some((line) => line.startsWith('merged'));
      assert.ok(isMerged, 'no merge was acknowledged');
    });
  });
}
