// "Only what changed", through the whole way: events in a store, a training that writes its histories for Spark, one event more, the
// next training. Each training gives users and items new numbers.
import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { madeEvents } from '../../bench/made-events.ts';
import type { HistoryFiles } from '../../src/aggregation/spark/history-files.ts';
import { SparkAggregation } from '../../src/aggregation/spark/spark-aggregation.ts';
import { seededRandom } from '../../src/base/seeded-random.ts';
import type { StoreNumbers } from '../../src/dataset/read-store.ts';
import type { AlgorithmParameters } from '../../src/domain/algorithm-parameters.ts';
import type { Dataset } from '../../src/domain/dataset.ts';
import type { EventRecord } from '../../src/domain/record.ts';
import { openBlobStore } from '../../src/store/blob/open-blob-store.ts';
import { openStore } from '../../src/store/open-store.ts';
import type { Store } from '../../src/store/store.ts';
import { trainModel } from '../../src/training/train-model.ts';
import { makeAccount, makeDataset, makeEvent } from '../support/store-fixtures.ts';
import { DIALECTS, newTestPlace, type TestPlace } from '../support/test-database.ts';

const [EVENTS, USERS, ITEMS] = [2500, 250, 60];
const late = { ts: 1_800_000_000_000, event_value: 4711 };

for (const dialect of DIALECTS) {
  describe(`histories for Spark of events on ${dialect}`, () => {
    let place: TestPlace;
    let store: Store;
    let account: string;
    let runs = 0;
    before(async () => {
      place = await newTestPlace(dialect);
      store = await openStore(place);
      account = await makeAccount(store);
    });
    after(async () => {
      await store?.close();
      await rm(join(place.dataDir, 'artifacts'), { recursive: true, force: true });
      await place?.remove();
    });

    const eventOf = (event: Pick<EventRecord, 'event_id' | 'user_id' | 'item_id' | 'ts' | 'event_value'>) =>
      makeEvent({ ...event, event_type: 'buy' });

    async function filled(): Promise<Dataset> {
      const dataset = await makeDataset(store, account, 'event', 4);
      const table = madeEvents(EVENTS, USERS, ITEMS);
      const { next: random } = seededRandom(5);
      const rows = Array.from({ length: table.userCount }, (_, user) =>
        Array.from(table.item.subarray(table.userOffsets[user], table.userOffsets[user + 1]), (item, n) => {
          const ts = table.ts[table.userOffsets[user] + n];
          const price = Math.round(100 * (5 + 40 * random())) / 100;
          return eventOf({
            event_id: `${user}-${n}`,
            user_id: `u${user}`,
            item_id: `i${item}`,
            ts,
            event_value: price,
          });
        }),
      ).flat();
      for (let at = 0; at < rows.length; at += 1000) await store.events.upsert(dataset, rows.slice(at, at + 1000));
      return dataset;
    }

    /** A training up to where Spark would count. */
    async function put(dataset: Dataset, parameters: AlgorithmParameters, partEvents?: number) {
      let put: { files: HistoryFiles; numbers: StoreNumbers } | undefined;
      const done = new Error('The histories are there.');
      const { dataDir } = place;
      const [blobs, settings] = [openBlobStore({ dataDir }), { master: 'local', submit: 'none' }];
      const training = trainModel({
        store,
        parameters,
        eventShards: dataset.num_shards,
        threads: 1,
        scratchDir: dataDir,
        ...(partEvents && { partEvents }),
        project: {
          account_id: account,
          item_dataset_id: 'none',
          user_dataset_id: 'none',
          target_event_type: 'buy',
          event_dataset_id: dataset.dataset_id,
        },
        aggregate: (numbers) => async (histories) => {
          const aggregation = await SparkAggregation.create(
            {
              settings,
              blobs,
              blobsUrl: '',
              scratchDir: dataDir,
              runId: `run-${runs++}`,
              fileEntries: 200,
              kept: { name: `${dataset.dataset_id}/algorithm` },
            },
            histories,
            numbers,
          );
          put = { files: aggregation.files, numbers };
          await aggregation.close();
          throw done;
        },
      });
      await assert.rejects(training, done);
      return put!;
    }

    const rules: readonly AlgorithmParameters[] = [
      {},
      { value_weighting: 'linear', half_life_days: 90 },
      { value_weighting: 'relative', half_life_days: 30 },
    ];
    for (const parameters of rules) {
      test(`one event more changes one file, with ${JSON.stringify(parameters)}`, async () => {
        const dataset = await filled();
        const first = await put(dataset, parameters);
        assert.ok(first.files.keys.length >= 8, `${first.files.keys.length} files`);
        assert.deepEqual(first.files.written, first.files.keys);
        await store.events.upsert(dataset, [eventOf({ ...late, event_id: 'more', user_id: 'u17', item_id: 'i3' })]);
        const second = await put(dataset, parameters, 400);
        assert.equal(second.files.written.length, 1);
        for (const kind of ['userNumbers', 'itemNumbers'] as const) {
          const isMoved = second.numbers[kind].filter((number, n) => number !== first.numbers[kind][n]);
          assert.ok(isMoved.length > 0.9 * second.numbers[kind].length, `the training gives ${kind} new numbers`);
        }
        await store.events.upsert(dataset, [
          eventOf({ ...late, event_id: 'new', user_id: 'somebody', item_id: 'something' }),
        ]);
        const third = await put(dataset, parameters);
        assert.equal(third.files.written.length, 1, 'also for a new user with a new item');
        assert.deepEqual((await put(dataset, parameters)).files.written, []);
      });
    }
  });
}
