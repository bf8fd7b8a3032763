import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cutUsers, sampleOfUsers, type UserRange } from './user-range.ts';

const all = (knownUsers: number, shards: number): UserRange => ({
  ...{ shards: { from: 0, to: shards }, records: true, knownUsers, users: knownUsers + 5 },
});

test('a sample takes as many shards as its users need, at most all', () => {
  assert.deepEqual(sampleOfUsers(all(1000, 10), 250), {
    ...{ shards: { from: 0, to: 3 }, records: false, knownUsers: 1000, users: 300 },
  });
  assert.deepEqual(sampleOfUsers(all(1000, 10), 1000).shards, { from: 0, to: 10 });
  assert.deepEqual(sampleOfUsers(all(10, 10), 1000).shards, { from: 0, to: 10 });
  assert.deepEqual(sampleOfUsers(all(0, 10), 1000).shards, { from: 0, to: 10 });
  assert.deepEqual(sampleOfUsers(all(1e9, 10), 1).shards, { from: 0, to: 1 });
});

test('ranges follow each other and are of all shards, the last of users without events', () => {
  const ranges = cutUsers(all(1000, 10), 300, 100);
  assert.deepEqual(
    ranges.map(({ shards }) => [shards.from, shards.to]),
    [
      [0, 3],
      [3, 5],
      [5, 8],
      [8, 10],
      [10, 10],
    ],
  );
  assert.deepEqual(
    ranges.map(({ records }) => records),
    [false, false, false, false, true],
  );
  assert.deepEqual(cutUsers(all(1000, 10), 1000, 100), [all(1000, 10)]);
});
