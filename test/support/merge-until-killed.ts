// A child process of merge-users.test.ts: visitors act, sign in and are merged, as fast as it can, and it says what was
// acknowledged. It is meant to be killed.
import { openStore } from '../../src/store/open-store.ts';
import { makeEvent } from './store-fixtures.ts';

const [dataDir, accountId, userDataset, eventDataset, run, databaseUrl] = process.argv.slice(2);
const store = await openStore({ dataDir, databaseUrl: databaseUrl || null });
const users = (await store.datasets.get(accountId, 'user', userDataset))!;
const events = (await store.datasets.get(accountId, 'event', eventDataset))!;
const BATCH = 40;

await Promise.all(
  Array.from({ length: 4 }, async (_, lane) => {
    for (let batch = 0; ; batch++) {
      const from = `visitor-${run}-${lane}-${batch}`;
      const into = `user-${batch % 3}`;
      const batchOf = (name: string) =>
        Array.from({ length: BATCH }, (_, i) =>
          makeEvent({ event_id: `${from}-${name}-${i}`, user_id: from, item_id: `i${i}`, ts: batch }),
        );
      await store.users.upsert(users, [{ id: from, attributes: { [`lane-${lane}`]: batch } }]);
      await store.events.upsert(events, batchOf('before'));
      process.stdout.write(`events ${from}-before\n`);
      // At the same time: what comes too late stays with the visitor.
      const late = store.events
        .upsert(events, batchOf('late'))
        .then(() => process.stdout.write(`events ${from}-late\n`));
      await store.mergeUsers({ users, events }, { from, into });
      process.stdout.write(`merged ${from} ${into}\n`);
      await late;
    }
  }),
);
