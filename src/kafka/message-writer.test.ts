import assert from 'node:assert/strict';
import { test } from 'node:test';
import { jobPlaces } from '../../test/support/job-run.ts';
import type { AttributeHandling } from '../domain/dataset.ts';
import { systemRuntime } from '../domain/runtime.ts';
import { createLogger } from '../observability/logger.ts';
import { DeadLetters } from './dead-letters.ts';
import { findKafkaTarget } from './kafka-target.ts';
import { MessageWriter } from './message-writer.ts';

const newPlace = jobPlaces();

test('messages are checked by the attribute schema that the dataset has when they are stored', async () => {
  const { store, project } = await newPlace();
  const { account_id: accountId, project_id: projectId, item_dataset_id: datasetId } = project;
  const account = await store.accounts.get(accountId);
  const setSchema = (size: AttributeHandling) =>
    store.datasets.update(accountId, 'item', datasetId, { attribute_schema: { size } });
  await setSchema('NUMERICAL');
  const runtime = systemRuntime;
  const log = createLogger('silent');
  const writer = new MessageWriter({
    ...{ streams: store.streams, topics: new Map([['goods', 'item']]), group: 'g', log, runtime },
    target: await findKafkaTarget(store, { account: account!.name, projectId }),
    deadLetters: new DeadLetters(log, null, runtime),
    send: async () => {},
    oldestOffset: async () => 0,
    signal: new AbortController().signal,
  });
  await writer.positions();
  const write = (offset: number) => {
    const value = Buffer.from(`{"item_id":"i${offset}","attributes":{"size":"L"}}`);
    return writer.write([{ topic: 'goods', partition: 0, offset, timestamp: 0, value }]);
  };
  await write(0);
  await setSchema('CATEGORICAL');
  await write(1);
  assert.equal(await store.items.get(datasetId, 'i0'), null);
  assert.deepEqual((await store.items.get(datasetId, 'i1'))?.attributes, { size: 'L' });
});
