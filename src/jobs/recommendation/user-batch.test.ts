import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { UserRun } from '../../insight/users/user-runs.ts';
import { BatchFiller, transferOf, type UserBatch, usersPerBatch } from './user-batch.ts';

const newFiller = (historyLimit: number) =>
  new BatchFiller({ users: usersPerBatch(5), historyLimit }, async (users) => users.map((user) => `u${user}`));

/** Event n of a user is about item n. */
function runOf(user: number, length: number): UserRun {
  const number = (_: unknown, n: number) => n;
  const columns = {
    user: Uint32Array.from({ length }, () => user),
    item: Uint32Array.from({ length }, number),
    type: Uint32Array.from({ length }, (_, n) => n % 3),
    ts: Float64Array.from({ length }, (_, n) => 1000 + n),
    value: Float64Array.from({ length }, (_, n) => n / 2),
  };
  return { user, columns, from: 0, to: length };
}

/** The events of each user in the batch, as [item, type, ts, value]. */
function eventsOf({ userIds, events }: UserBatch): Record<string, number[][]> {
  const { offsets, item, type, ts, value } = events!;
  return Object.fromEntries(
    userIds.map((userId, n) => [
      userId,
      [...item.slice(offsets[n], offsets[n + 1])].map((one, at) => {
        const place = offsets[n] + at;
        return [one, type[place], ts[place], value[place]];
      }),
    ]),
  );
}

test('a batch has the newest events of each user, and the next one starts empty', async () => {
  const filler = newFiller(2);
  assert.equal(await filler.take(), null);
  filler.add(runOf(7, 3));
  filler.add({ ...runOf(8, 5), from: 3, to: 4 });
  const batch = (await filler.take())!;
  assert.deepEqual(eventsOf(batch), {
    u7: [
      [1, 1, 1001, 0.5],
      [2, 2, 1002, 1],
    ],
    u8: [[3, 0, 1003, 1.5]],
  });
  assert.equal(transferOf(batch).length, 5);
  assert.deepEqual(transferOf({ userIds: ['u7'], events: null }), []);
  assert.equal(await filler.take(), null);
  filler.add(runOf(9, 1));
  assert.deepEqual(eventsOf((await filler.take())!), { u9: [[0, 0, 1000, 0]] });
});

test('a batch is full with 512 users or 32,768 events, and keeps all events of one user with more', async () => {
  const filler = newFiller(100_000);
  for (let user = 0; user < 511; user++) filler.add(runOf(user, 1));
  assert.equal(filler.isFull, false);
  filler.add(runOf(511, 1));
  assert.equal(filler.isFull, true);
  assert.equal((await filler.take())!.userIds.length, 512);
  assert.equal(filler.isFull, false);

  filler.add(runOf(1, 32_767));
  assert.equal(filler.isFull, false);
  filler.add(runOf(2, 40_000));
  assert.equal(filler.isFull, true);
  const { u1, u2 } = eventsOf((await filler.take())!);
  assert.deepEqual([u1.length, u1[0], u1[1000]], [32_767, [0, 0, 1000, 0], [1000, 1, 2000, 500]]);
  assert.deepEqual([u2.length, u2[39_999]], [40_000, [39_999, 0, 40_999, 19_999.5]]);
});

test('a batch of long lists has fewer users, so that its lists take no more memory', () => {
  assert.deepEqual([1, 100, 200, 500].map(usersPerBatch), [512, 512, 256, 102]);
});
