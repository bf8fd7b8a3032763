import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { makeAccount, makeDataset, makeEvent } from '../../test/support/store-fixtures.ts';
import { openTestStore } from '../../test/support/test-database.ts';
import type { Project } from '../domain/project.ts';
import type { Store } from '../store/store.ts';
import { CountedLists } from './counted-lists.ts';

let store: Store;
let close: () => Promise<void>;
before(async () => {
  ({ store, close } = await openTestStore('sqlite'));
});
after(() => close());

/** An item that gets events, and a clock that is moved by hand. */
async function watchedItem() {
  const events = await makeDataset(store, await makeAccount(store), 'event');
  const project = { event_dataset_id: events.dataset_id } as Project;
  let passedMs = 0;
  let stored = 0;
  const lists = new CountedLists({ store, now: () => Date.now() + passedMs });
  return {
    addEvent: () => store.events.upsert(events, [makeEvent({ event_id: `e${stored++}`, ts: Date.now() })]),
    count: async () => {
      const { scores } = await lists.list(project, { by: 'popular', windowHours: 24, eventType: null });
      return scores[0];
    },
    pass: (ms: number) => {
      passedMs += ms;
    },
  };
}

test('calls share a list while it is fresh', async () => {
  const { addEvent, count, pass } = await watchedItem();
  await addEvent();
  assert.deepEqual(await Promise.all([count(), count(), count()]), [1, 1, 1]);
  await addEvent();
  pass(10_000);
  assert.equal(await count(), 1);
});

test('a list that ages is made again while calls run, and no call gets one that is a minute old', async () => {
  const { addEvent, count, pass } = await watchedItem();
  await addEvent();
  await count();
  await addEvent();
  pass(20_000);
  assert.equal(await count(), 1, 'the kept one');
  while ((await count()) !== 2) await new Promise(setImmediate);
  await addEvent();
  pass(46_000);
  assert.equal(await count(), 3);
});

test('a list is made again when the clock steps back', async () => {
  const { addEvent, count, pass } = await watchedItem();
  await addEvent();
  pass(600_000);
  assert.equal(await count(), 1);
  await addEvent();
  pass(-300_000);
  assert.equal(await count(), 2);
});

test('the best of many items are found in short stretches, in their order', async () => {
  const items = 100_000;
  const counts = new Map(Array.from({ length: items }, (_, item) => [item, (item * 7) % 1000]));
  const idsOf = async (_: string, __: string, numbers: readonly number[]) => numbers.map((item) => `i${item}`);
  const events = { itemCounts: async () => counts, idsOf };
  const lists = new CountedLists({ store: { events } as unknown as Store });
  let turns = 0;
  let next = setImmediate(function count() {
    turns++;
    next = setImmediate(count);
  });
  const list = await lists.list({} as Project, { by: 'popular', windowHours: 24, eventType: null });
  clearImmediate(next);
  assert.ok(turns >= items / 20_000, `other work had ${turns} turns`);
  const sorted = [...counts].sort(([a, x], [b, y]) => y - x || a - b).slice(0, 20_000);
  assert.deepEqual(
    list.itemIds,
    sorted.map(([item]) => `i${item}`),
  );
  assert.deepEqual(
    list.scores,
    sorted.map(([, count]) => count),
  );
});
