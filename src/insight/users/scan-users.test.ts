import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { plantedProject } from '../../../test/support/planted-project.ts';
import type { G1Model } from '../../artifact/g1-model.ts';
import { allUsers, type UserRange } from '../../pieces/user-range.ts';
import type { EventStore, InternedKind } from '../../store/event-store.ts';
import { eventNumbers } from './event-numbers.ts';
import { HistoryBatch } from './history-batch.ts';
import { UserScan } from './scan-users.ts';

let planted: Awaited<ReturnType<typeof plantedProject>>;
before(async () => {
  planted = await plantedProject({ groups: 3, usersPerGroup: 10, itemsPerGroup: 6, eventsPerUser: 5, loyalty: 0.8 });
});
after(() => planted.close());

async function scan({
  events = planted.store.events,
  range = {} as Partial<UserRange>,
  model = planted.model as G1Model,
  nowMs = Date.now(),
} = {}) {
  const eventDatasetId = planted.project.event_dataset_id;
  return new UserScan({
    events,
    users: planted.store.users,
    eventDatasetId,
    userDatasetId: planted.project.user_dataset_id,
    blocks: planted.store.events.scan(planted.project.event_dataset_id, {
      from: 0,
      to: planted.datasets.events.num_shards,
    }),
    range: { ...(await allUsers(planted.store, planted.project)), ...range },
    model,
    historyLimit: 100,
    nowMs,
    numbers: await eventNumbers({ events, eventDatasetId, model, coldIndexOf: () => -1 }),
  });
}

test('small batches hold what one large batch holds, also while the next is being filled', async () => {
  const whole = new HistoryBatch(100, 1000);
  const one = await scan();
  for await (const batch of one.histories([whole])) assert.equal(batch, whole);
  assert.equal(whole.count, 30);
  const many = await scan();
  await many.readIds();
  const small = [new HistoryBatch(4, 100), new HistoryBatch(4, 100)];
  let users = 0;
  /** A consumer that reads a batch only after the next one was asked for. */
  const check = (batch: HistoryBatch) => {
    assert.equal(batch.first, users);
    for (let n = 0; n < batch.count; n++, users++) {
      const expected = whole.items.slice(whole.offsets[users], whole.offsets[users + 1]);
      assert.deepEqual(batch.items.slice(batch.offsets[n], batch.offsets[n + 1]), expected);
      assert.equal(many.directory.at(users), one.directory.at(users));
    }
  };
  let before: HistoryBatch | null = null;
  for await (const batch of many.histories(small)) {
    await nextTurn();
    if (before !== null) check(before);
    before = batch;
  }
  check(before!);
  assert.equal(users, 30);
});

test('a part of all users is named without reading the ids of all, batch by batch', async () => {
  const one = await scan();
  for await (const _ of one.histories([new HistoryBatch(100, 1000)]));
  const asked: number[] = [];
  const events = new Proxy(planted.store.events, {
    get: (store, name: keyof EventStore) => {
      if (name === 'internedIds')
        return (id: string, kind: InternedKind) =>
          kind === 'user' ? assert.fail('all were read') : store.internedIds(id, kind);
      if (name !== 'idsOf') return (store[name] as (...args: unknown[]) => unknown).bind(store);
      return (...args: Parameters<EventStore['idsOf']>) => {
        asked.push(...args[2]);
        return store.idsOf(...args);
      };
    },
  });
  const part = await scan({ events, range: { records: false } });
  let users = 0;
  for await (const { first, count } of part.histories([new HistoryBatch(4, 100)])) {
    await Promise.all([part.readIds(), part.readIds()]);
    for (; users < first + count; users++) assert.equal(part.directory.at(users), one.directory.at(users));
  }
  assert.equal(users, 30);
  assert.deepEqual([asked.length, new Set(asked).size], [30, 30], 'each once');
});

test('times in the future count as now', async () => {
  const weightsOf = async (half_life_days: number | null, nowMs?: number) => {
    const model = { ...planted.model, settings: { ...planted.model.settings, half_life_days } };
    const batch = new HistoryBatch(100, 1000);
    for await (const _ of (await scan({ model, nowMs })).histories([batch]));
    return batch.weights.slice(0, batch.offsets[batch.count]);
  };
  assert.deepEqual(await weightsOf(1e-9, 0), await weightsOf(null), 'all events are of the same moment');
  assert.notDeepEqual(await weightsOf(1e-9), await weightsOf(null));
});

test('users whose events were deleted are gone; users of the dataset come after those with events', async () => {
  await planted.store.events.deleteOfUser(planted.datasets.events, 'u-0-0');
  const later = await scan();
  for await (const _ of later.histories([new HistoryBatch(50, 1000)]));
  assert.equal(later.directory.length, 29);
  const others = await Array.fromAsync(later.others());
  assert.deepEqual(
    others.flat().map(({ user, userId }) => [user, userId]),
    [29, 30, 31].map((user, n) => [user, others.flat()[n].userId]),
  );
  assert.deepEqual(new Set(others.flat().map(({ userId }) => userId)), new Set(['new-1', 'new-2', 'new-3']));
});
