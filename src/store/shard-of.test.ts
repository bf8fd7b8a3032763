import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shardOf } from './shard-of.ts';

test('a shard never changes: events are stored under it', () => {
  const ids = ['u-1', 'user-42', 'ümläut', '\u{1f600}', 'x'.repeat(256)];
  assert.deepEqual(
    ids.map((id) => shardOf(id, 1000)),
    [737, 798, 58, 206, 837],
  );
});

test('users spread evenly over any number of shards', () => {
  for (const shards of [2, 10, 64, 1000]) {
    const counts = new Array(shards).fill(0);
    for (let i = 0; i < shards * 200; i++) counts[shardOf(`user-${i}`, shards)]++;
    assert.ok(Math.min(...counts) > 100, `${shards} shards: the smallest has ${Math.min(...counts)}`);
    assert.ok(Math.max(...counts) < 320, `${shards} shards: the largest has ${Math.max(...counts)}`);
  }
});
