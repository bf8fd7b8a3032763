import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EventTableBuilder } from './event-table.ts';

const NAMES = { itemIds: ['a', 'b', 'c'], typeNames: ['buy'], targetType: 0 };

test('dislikes of users who stay are kept next to the events, user by user in the order of adding', () => {
  const builder = new EventTableBuilder();
  const add = (...events: readonly [item: number, value: number, ts: number][]) => {
    builder.beginUser();
    for (const [item, value, ts] of events) builder.add(item, 0, value, ts);
  };
  add([0, -1, 1], [1, 1, 2], [2, -3, 3]);
  add([0, -1, 4], [1, 0, 5]);
  add([2, 2.5, 6], [1, -1, 7]);
  add([0, -1, 8]);
  builder.endUser();
  assert.equal(builder.size, 5, 'two events and three dislikes');
  const { userCount, length, dislikes } = builder.finish(NAMES);
  assert.deepEqual([userCount, length], [2, 2]);
  assert.deepEqual(dislikes, {
    user: Uint32Array.of(0, 0, 1),
    item: Uint32Array.of(0, 2, 1),
    ts: Float64Array.of(1, 3, 7),
  });
});

test('a million dislikes take no room on the heap of JavaScript', () => {
  const builder = new EventTableBuilder();
  const before = process.memoryUsage().heapUsed;
  for (let user = 0; user < 1000; user++) {
    builder.beginUser();
    builder.add(0, 0, 1, 0);
    for (let n = 0; n < 1000; n++) builder.add(n, 0, -1, n);
  }
  const { dislikes } = builder.finish(NAMES);
  const heapBytes = process.memoryUsage().heapUsed - before;
  assert.equal(dislikes?.user.length, 1e6);
  assert.ok(heapBytes < 30e6, `${heapBytes} bytes`);
});
