import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '../../test/support/fast-check.ts';
import { TopItems } from './top-items.ts';

test('the heap keeps what a full sort would, ties by the smaller number or as the search orders them', () => {
  const top = new TopItems();
  const scoresOfItems = fc.array(fc.integer({ min: -3, max: 3 }));
  const largestFirst = (item: number, other: number) => other - item;
  fc.assert(
    fc.property(scoresOfItems, fc.nat({ max: 40 }), fc.constantFrom(null, largestFirst), (scores, limit, tieBreak) => {
      top.start(limit, tieBreak);
      for (const [item, score] of scores.entries()) {
        if (top.admits(score, item)) top.offer(score, item);
      }
      const kept: [number, number][] = [];
      top.drain((score, item) => kept.push([score, item]));
      const sorted = scores
        .map((score, item): [number, number] => [score, item])
        .sort((a, b) => b[0] - a[0] || (tieBreak?.(a[1], b[1]) ?? a[1] - b[1]));
      assert.deepEqual(kept, sorted.slice(0, limit));
    }),
  );
});

test('a score below the threshold cannot enter', () => {
  const top = new TopItems();
  top.start(2);
  assert.equal(top.threshold, Number.NEGATIVE_INFINITY);
  top.offer(5, 1);
  assert.deepEqual([top.size, top.threshold], [1, Number.NEGATIVE_INFINITY]);
  top.offer(3, 2);
  assert.deepEqual([top.size, top.threshold], [2, 3]);
  top.offer(4, 3);
  assert.deepEqual([top.size, top.threshold], [2, 4]);
  assert.deepEqual([top.admits(4, 2), top.admits(4, 4), top.admits(3.9, 0)], [true, false, false]);
  top.start(0);
  assert.deepEqual([top.size, top.threshold, top.admits(1e9, 0)], [0, Number.POSITIVE_INFINITY, false]);
});

test('what is not asked first is still kept only when it ranks high enough', () => {
  const top = new TopItems();
  for (const limit of [0, 1, 3, 40]) {
    top.start(limit);
    for (let item = 0; item < 50; item++) top.offer((item * 7) % 50, item);
    const kept: number[] = [];
    top.drain((score) => kept.push(score));
    assert.deepEqual(
      kept,
      Array.from({ length: limit }, (_, n) => 49 - n),
    );
    assert.equal(top.size, 0);
  }
});
