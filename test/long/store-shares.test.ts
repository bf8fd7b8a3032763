// What accounts share of a store: one that floods it costs others neither their writes nor their reads, on every database.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Dataset } from '../../src/domain/dataset.ts';
import { AppError } from '../../src/errors.ts';
import { onBehalfOf } from '../../src/store/on-behalf-of.ts';
import type { Store } from '../../src/store/store.ts';
import { collect, makeAccount, makeDataset, makeEvent } from '../support/store-fixtures.ts';
import { DIALECTS, openTestStore } from '../support/test-database.ts';

const WRITERS = 80;

for (const dialect of DIALECTS) {
  describe(`shares of the store on ${dialect}`, () => {
    let store: Store;
    let close: () => Promise<void>;
    let flooding: string;
    let other: string;

    before(async () => {
      ({ store, close } = await openTestStore(dialect));
      flooding = await makeAccount(store);
      other = await makeAccount(store);
    });
    after(() => close());

    const batch = (writer: number, round: number) =>
      Array.from({ length: 1000 }, (_, n) => makeEvent({ event_id: `${writer}-${round}-${n}`, user_id: `u${n % 50}` }));

    /** Writers that send full batches until told to stop; a refused batch is sent again, as clients do. */
    function flood(datasets: readonly Dataset[]): { refused: () => number; stop(): Promise<void> } {
      let isStopped = false;
      let refused = 0;
      const writers = Array.from({ length: WRITERS }, async (_, writer) => {
        let round = 0;
        for (let events = batch(writer, round); !isStopped; ) {
          try {
            await store.events.upsert(datasets[writer % datasets.length], events);
            events = batch(writer, ++round);
          } catch (error) {
            assert.ok(error instanceof AppError && error.code === 'OVERLOADED', String(error));
            refused++;
            await new Promise((resolve) => setTimeout(resolve, 20));
          }
        }
      });
      return {
        refused: () => refused,
        async stop() {
          isStopped = true;
          await Promise.all(writers);
        },
      };
    }

    async function otherGoesOn(): Promise<void> {
      const dataset = await makeDataset(store, other, 'event');
      await onBehalfOf(other, async () => {
        for (let n = 0; n < 3; n++) {
          await store.events.upsert(dataset, [makeEvent({ event_id: `single-${n}` })]);
          assert.equal((await store.events.history(dataset.dataset_id, 'u', 100)).length, n + 1);
          assert.ok(await store.accounts.get(other));
        }
      });
    }

    test('80 writers of one account into one dataset do not keep another from writing', async () => {
      const load = flood([await makeDataset(store, flooding, 'event', 1000)]);
      await otherGoesOn().finally(load.stop);
      assert.ok(load.refused() > 0, 'they filled their share');
    });

    test('80 writers of one account into as many datasets do not either', async () => {
      const datasets = [];
      for (let n = 0; n < WRITERS; n++) datasets.push(await makeDataset(store, flooding, 'event'));
      const load = flood(datasets);
      await otherGoesOn().finally(load.stop);
    });

    test('a flood of long reads of one account does not keep another from reading', async () => {
      const items = await makeDataset(store, flooding, 'item');
      const records = Array.from({ length: 20_000 }, (_, n) => ({
        id: `i${n}`,
        attributes: { text: 'x'.repeat(200) },
      }));
      for (let from = 0; from < records.length; from += 1000)
        await store.items.upsert(items, records.slice(from, from + 1000));
      const page = { page_size: 10, page_token: null };
      const search = () => store.items.list(items.dataset_id, page, 'not to be found');
      const flooded = onBehalfOf(flooding, () => Promise.allSettled(Array.from({ length: 300 }, search)));
      const own = await makeDataset(store, other, 'item');
      await store.items.upsert(own, [{ id: 'mine', attributes: {} }]);
      await onBehalfOf(other, async () => {
        for (let n = 0; n < 3; n++) {
          assert.equal((await store.items.list(own.dataset_id, page, 'mine')).entries.length, 1);
          assert.equal((await collect(store.items.scan(own.dataset_id))).length, 1);
        }
      });
      const outcomes = await flooded;
      const refused = outcomes.filter((outcome) => outcome.status === 'rejected');
      for (const { reason } of refused) assert.equal(reason.code, 'OVERLOADED');
      assert.ok(refused.length > 0 && refused.length < outcomes.length);
    });
  });
}
