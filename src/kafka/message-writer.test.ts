import assert from 'node:assert/strict';
import { test } from 'node:test';
import { jobPlaces } from '../../test/support/job-run.ts';
import { systemRuntime } from '../base/runtime.ts';
import type { TopicKind } from '../config/kafka-config.ts';
import type { AttributeHandling } from '../domain/dataset.ts';
import { createLogger } from '../observability/logger.ts';
import { DeadLetters } from './dead-letters.ts';
import { findKafkaTarget } from './kafka-target.ts';
import { MessageWriter } from './message-writer.ts';

const newPlace = jobPlaces();

async function newWriter(
  { store, project }: Awaited<ReturnType<typeof newPlace>>,
  topic: string,
  kind: TopicKind,
): Promise<MessageWriter> {
  const account = await store.accounts.get(project.account_id);
  const runtime = systemRuntime;
  const log = createLogger('silent');
  return new MessageWriter({
    streams: store.streams,
    topics: new Map([[topic, kind]]),
    group: 'g',
    log,
    runtime,
    target: await findKafkaTarget(store, { account: account!.name, projectId: project.project_id }),
    deadLetters: new DeadLetters(log, null, runtime),
    send: async () => {},
    oldestOffset: async () => 0,
    signal: new AbortController().signal,
  });
}

test('the first reader decides where a partition without a position starts, and a restart continues there', async () => {
  const place = await newPlace();
  const startsAt = (...offsets: bigint[]) =>
    offsets.map((offset, partition) => ({ topic: 'clicks', partition, offset }));
  const first = await newWriter(place, 'clicks', 'event');
  await first.storeStarts(startsAt(40n, 7n));
  const second = await newWriter(place, 'clicks', 'event');
  await second.storeStarts(startsAt(45n, 9n, 3n));
  assert.deepEqual(await second.positions(), startsAt(40n, 7n, 3n));
  const [{ messages, skipped, tombstones, lost }] = await place.store.streams.positions(place.project.event_dataset_id);
  assert.deepEqual({ messages, skipped, tombstones, lost }, { messages: 0, skipped: 0, tombstones: 0, lost: 0 });
});

test('messages are checked by the attribute schema that the dataset has when they are stored', async () => {
  const place = await newPlace();
  const { store, project } = place;
  const { account_id: accountId, item_dataset_id: datasetId } = project;
  const setSchema = (size: AttributeHandling) =>
    store.datasets.update(accountId, 'item', datasetId, { attribute_schema: { size } });
  await setSchema('NUMERICAL');
  const writer = await newWriter(place, 'goods', 'item');
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
