import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '../../test/support/fast-check.ts';
import { TopItems } from './top-items.ts';

test('the heap keeps what a full sort would, ties by the smaller number', () => {
  const top = new TopItems();
  fc.assert(
    fc.property(fc.array(fc.integer({ min: -3, max: 3 })), fc.nat({ max: 40 }), (scores, limit) => {
      top.start(limit);
      for (const [item, score] of scores.entries()) {
        if (top.admits(score, item)) top.offer(score, item);
      }
      const kept: [number, number][] = [];
      top.drain((score, item) => kept.push([score, item]));
      const sorted = scores
        .map((score, item): [number, number] => [score, item])
        .sort((a, b) => b[0] - a[0] || a[1] - b[1]);
      assert.deepEqual(kept, sorted.slice(0, limit));
    }),
  );
});
