import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EventBlock } from '../../store/event-store.ts';
import { UserRuns } from './user-runs.ts';

/** Users 7, 3, 3, 3, 9, 9, 1 …; the item is the event's number. */
const USERS = [7, 3, 3, 3, 9, 9, 1, 1, 1, 1, 1, 1, 1, 4];

function block(from: number, to: number): EventBlock {
  const numbers = Array.from({ length: to - from }, (_, n) => from + n);
  return {
    length: to - from,
    user: Uint32Array.from(numbers, (n) => USERS[n]),
    item: Uint32Array.from(numbers),
    type: new Uint32Array(to - from),
    ts: Float64Array.from(numbers),
    value: new Float64Array(to - from),
  };
}

test('users come out whole and in order however the scan cuts its blocks', () => {
  const expected = [
    [7, [0]],
    [3, [1, 2, 3]],
    [9, [4, 5]],
    [1, [6, 7, 8, 9, 10, 11, 12]],
    [4, [13]],
  ];
  for (let size = 1; size <= USERS.length + 1; size++) {
    const runs = new UserRuns();
    const found: unknown[] = [];
    const take = (users: ReturnType<UserRuns['of']>) => {
      for (const { user, columns, from, to } of users) found.push([user, [...columns.item.subarray(from, to)]]);
    };
    for (let from = 0; from < USERS.length; from += size)
      take(runs.of(block(from, Math.min(USERS.length, from + size))));
    take(runs.rest());
    assert.deepEqual(found, expected, `blocks of ${size}`);
  }
});
