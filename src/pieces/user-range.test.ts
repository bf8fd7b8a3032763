import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cutUsers, type UserRange } from './user-range.ts';

const all = (knownUsers: number, shards: number): UserRange => ({
  shards: { from: 0, to: shards },
  records: true,
  knownUsers,
  users: knownUsers + 5,
});

const edgesOf = (ranges: readonly UserRange[]) => ranges.map(({ shards, users }) => [shards.from, shards.to, users]);

test('ranges follow each other and are of all shards, the last of users without events', () => {
  const ranges = cutUsers(all(1000, 10), { users: 300, most: 100 });
  assert.deepEqual(edgesOf(ranges), [
    [0, 3, 300],
    [3, 5, 200],
    [5, 8, 300],
    [8, 10, 200],
    [10, 10, 5],
  ]);
  assert.deepEqual(
    ranges.map(({ records }) => records),
    [false, false, false, false, true],
  );
  assert.equal(cutUsers(all(1000, 10), { users: 1, most: 100 }).length, 11);
  assert.equal(cutUsers(all(1000, 10), { users: 1, most: 5 }).length, 5);
  assert.deepEqual(cutUsers(all(1000, 10), { users: 1000, most: 100 }), [all(1000, 10)]);
  assert.deepEqual(cutUsers(all(0, 10), { users: 300, most: 100 }), [all(0, 10)]);
});

test('the first range has as many users as requested, or all', () => {
  assert.deepEqual(edgesOf(cutUsers(all(1000, 10), { users: 350, most: 100, leading: 250 })), [
    [0, 3, 300],
    [3, 7, 400],
    [7, 10, 300],
    [10, 10, 5],
  ]);
  const rough = cutUsers(all(1e9, 10), { users: 1e9, most: 100, leading: 1 });
  assert.deepEqual(edgesOf(rough), [
    [0, 1, 1e8],
    [1, 10, 9e8],
    [10, 10, 5],
  ]);
  assert.equal(cutUsers(all(1000, 10), { users: 1, most: 5, leading: 250 }).length, 5);
  for (const whole of [all(1000, 10), all(10, 10), all(0, 10)]) {
    assert.deepEqual(cutUsers(whole, { users: 300, most: 100, leading: 1000 }), [whole]);
  }
});
