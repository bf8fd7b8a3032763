// A child process of store-durability.test.ts: writes batches to a store as fast as it can and says, after each was
// acknowledged, which. It is meant to be killed.
import { openStore } from '../../src/store/open-store.ts';
import { makeEvent } from './store-fixtures.ts';

const [dataDir, accountId, eventDataset, itemDataset, run, databaseUrl] = process.argv.slice(2);
const store = await openStore({ dataDir, databaseUrl: databaseUrl || null });
const events = (await store.datasets.get(accountId, 'event', eventDataset))!;
const items = (await store.datasets.get(accountId, 'item', itemDataset))!;
const BATCH = 50;

await Promise.all(
  Array.from({ length: 6 }, async (_, lane) => {
    for (let batch = 0; ; batch++) {
      const name = `${run}-${lane}-${batch}`;
      if (lane < 4) {
        // Every third batch writes the ids of the one before again: counts must not drift.
        const ids = batch % 3 === 2 ? `${run}-${lane}-${batch - 1}` : name;
        await store.events.upsert(
          events,
          Array.from({ length: BATCH }, (_, i) =>
            makeEvent({ event_id: `${ids}-${i}`, user_id: `user-${batch % 17}-${i % 3}`, item_id: `i${i}`, ts: batch }),
          ),
        );
        process.stdout.write(`event ${ids}\n`);
      } else {
        await store.items.upsert(
          items,
          Array.from({ length: BATCH }, (_, i) => ({ id: `${name}-${i}`, attributes: { batch } })),
        );
        process.stdout.write(`item ${name}\n`);
      }
    }
  }),
);
