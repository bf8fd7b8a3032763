// Streams of messages: a batch and the position after it are one.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { StreamStep } from '../../src/store/stream-store.ts';
import { countOf, makeDataset, makeEvent } from './store-fixtures.ts';
import type { OpenedStore } from './store-suite-parts.ts';

const step = (change: Partial<StreamStep>): StreamStep => ({
  stream: 'group:clicks',
  partition: 0,
  from: null,
  next: 2,
  messages: 2,
  skipped: 0,
  tombstones: 0,
  lost: 0,
  ...change,
});

export function describeStreams(parts: () => OpenedStore): void {
  test('a batch of a stream is stored once, with the position after it', async () => {
    const { store, account, reopen } = parts();
    const events = await makeDataset(store, account, 'event');
    const batch = [makeEvent({ event_id: 'a' }), makeEvent({ event_id: 'b' })];
    assert.deepEqual(await store.streams.appendEvents(events, batch, step({})), ['stored', 'stored']);
    assert.equal(await store.streams.appendEvents(events, [makeEvent({ event_id: 'c' })], step({})), null);
    assert.equal(await countOf(store, events), 2, 'what another reader has stored is not stored again');

    const other = await reopen();
    try {
      const [{ dataset_id, ...position }] = await other.streams.positions(events.dataset_id);
      assert.equal(dataset_id, events.dataset_id);
      const counts = { messages: 2, skipped: 0, tombstones: 0, lost: 0 };
      const stored = { stream: 'group:clicks', partition: 0, next_offset: 2, ...counts };
      assert.deepEqual(position, stored);
    } finally {
      await other.close();
    }
  });

  test('positions are told in the order of streams and partitions', async () => {
    const { store, account } = parts();
    const [events, others] = [await makeDataset(store, account, 'event'), await makeDataset(store, account, 'event')];
    const names = ['group:b 0', 'group:a 1', 'group:b 1', 'group:a 0'];
    for (const [n, name] of names.entries()) {
      const [stream, partition] = name.split(' ');
      for (const [of, dataset] of [events, others].entries()) {
        const at = step({ stream: `${stream} ${of}`, partition: Number(partition) });
        await store.streams.appendEvents(dataset, [makeEvent({ event_id: `e${n}` })], at);
      }
    }
    const told = (await store.streams.positions(others.dataset_id)).map((one) => `${one.stream} ${one.partition}`);
    assert.deepEqual(told, ['group:a 1 0', 'group:a 1 1', 'group:b 1 0', 'group:b 1 1']);
  });

  test('of two readers with the same batch one stores it', async () => {
    const { store, account } = parts();
    const events = await makeDataset(store, account, 'event');
    const results = await Promise.all(
      ['x', 'y', 'z'].map((event_id) => store.streams.appendEvents(events, [makeEvent({ event_id })], step({}))),
    );
    assert.equal(results.filter((outcomes) => outcomes !== null).length, 1);
    assert.equal(await countOf(store, events), 1);
  });

  test('a position moves without records, counts what was skipped and ends with its dataset', async () => {
    const { store, account } = parts();
    const items = await makeDataset(store, account, 'item', 1);
    const record = { id: 'i', attributes: { price: 1 } };
    assert.deepEqual(await store.streams.appendRecords(items, [record], step({ skipped: 1 })), ['stored']);
    const empty = step({ from: 2, next: 9, messages: 3, skipped: 3, tombstones: 1, lost: 4 });
    assert.deepEqual(await store.streams.appendRecords(items, [], empty), []);
    const [{ stream: _, partition: __, dataset_id: ___, ...counts }] = await store.streams.positions(items.dataset_id);
    assert.deepEqual(counts, { next_offset: 9, messages: 5, skipped: 4, tombstones: 1, lost: 4 });
    await store.datasets.delete(account, 'item', items.dataset_id);
    assert.deepEqual(await store.streams.positions(items.dataset_id), []);
  });
}
