// A child process of tallies.test.ts: stores, replaces and deletes events of the last hours as fast as it can. It is meant to be
// killed.
import { openStore } from '../../src/store/open-store.ts';
import { makeEvent } from './store-fixtures.ts';

const [dataDir, accountId, eventDataset, run, databaseUrl] = process.argv.slice(2);
const store = await openStore({ dataDir, databaseUrl: databaseUrl || null });
const events = (await store.datasets.get(accountId, 'event', eventDataset))!;
const startMs = Date.now();

await Promise.all(
  Array.from({ length: 4 }, async (_, lane) => {
    for (let batch = 0; ; batch++) {
      const made = Array.from({ length: 10 }, (_, n) =>
        makeEvent({
          event_id: `${run}-${lane}-${(batch + n) % 40}`,
          user_id: `u${(batch + n) % 7}`,
          item_id: `i${(batch * n) % 11}`,
          event_type: n % 3 === 0 ? 'buy' : 'view',
          ts: startMs - ((batch * 7919 + n * 104_729) % 10_000) * 1000,
        }),
      );
      await store.events.upsert(events, made);
      if (batch % 5 === 4) await store.events.delete(events, [made[0].event_id, made[3].event_id]);
      if (batch % 11 === 10) await store.events.deleteOfUser(events, 'u3');
      process.stdout.write(`${lane} ${batch}\n`);
    }
  }),
);
