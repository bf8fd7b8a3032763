import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FairQueue } from './fair-queue.ts';

function queueOf(...entries: string[]): FairQueue<string> {
  const queue = new FairQueue<string>();
  for (const entry of entries) queue.add(entry[0], entry);
  return queue;
}

test('accounts take turns, and within an account the first comes first', () => {
  const queue = queueOf('a1', 'a2', 'a3', 'b1', 'c1', 'c2');
  assert.deepEqual([queue.size, queue.sizeOf('a'), queue.sizeOf('c'), queue.sizeOf('x')], [6, 3, 2, 0]);
  const order = Array.from({ length: 6 }, () => queue.next());
  assert.deepEqual(order, ['a1', 'b1', 'c1', 'a2', 'c2', 'a3']);
  assert.deepEqual([queue.size, queue.next()], [0, undefined]);
});

test('an account that may have nothing now keeps its turn', () => {
  const queue = queueOf('a1', 'a2', 'b1', 'b2');
  assert.equal(
    queue.next((account) => account !== 'a'),
    'b1',
  );
  assert.equal(
    queue.next(() => false),
    undefined,
  );
  assert.equal(queue.size, 3);
  assert.deepEqual([queue.next(), queue.next(), queue.next()], ['a1', 'b2', 'a2']);
});

test('all entries can be taken out at once', () => {
  const queue = queueOf('a1', 'b1', 'a2');
  assert.deepEqual(queue.drain().sort(), ['a1', 'a2', 'b1']);
  assert.deepEqual([queue.size, queue.sizeOf('a'), queue.next()], [0, 0, undefined]);
});
