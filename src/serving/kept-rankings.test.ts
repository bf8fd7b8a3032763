import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KEPT_ITEMS, KeptRankings } from './kept-rankings.ts';

const source = { deployment: 1, generator: 2, ranker: null, catalogVersion: 5 };
const found = (items: Uint32Array | null) => items && [...items];

test('a ranking is given again only while everything it was made from is the same', () => {
  const kept = new KeptRankings(100_000);
  const epoch = kept.epochOf('p', source);
  kept.keep('u1', epoch, 3, 4, [7, 5, 9, 1]);
  assert.deepEqual(found(kept.find('u1', kept.epochOf('p', { ...source }), 3, 4)), [7, 5, 9, 1]);
  assert.equal(kept.find('u2', epoch, 3, 4), null);
  assert.equal(kept.find('u1', epoch, 4, 4), null);
  for (const change of [{ deployment: 2 }, { generator: 3 }, { ranker: 2 }, { catalogVersion: 6 }]) {
    assert.equal(kept.find('u1', kept.epochOf('p', { ...source, ...change }), 3, 4), null);
  }
  assert.notEqual(kept.epochOf('p', source), epoch, 'what was left behind does not come back');
});

test('a shorter ranking is the head of a longer one; a longer one is known only where there are no more items', () => {
  const kept = new KeptRankings(100_000);
  const epoch = kept.epochOf('p', source);
  kept.keep('more', epoch, 1, 3, [1, 2, 3]);
  assert.deepEqual(found(kept.find('more', epoch, 1, 2)), [1, 2]);
  assert.equal(kept.find('more', epoch, 1, 4), null);
  kept.keep('all', epoch, 1, 10, [1, 2, 3]);
  assert.deepEqual(found(kept.find('all', epoch, 1, 10)), [1, 2, 3]);
  kept.keep('none', epoch, 1, 10, []);
  assert.deepEqual(found(kept.find('none', epoch, 1, 10)), []);
  const long = Array.from({ length: 80 }, (_, n) => n);
  kept.keep('long', epoch, 1, 80, long);
  assert.deepEqual(found(kept.find('long', epoch, 1, KEPT_ITEMS)), long.slice(0, KEPT_ITEMS));
  assert.equal(kept.find('long', epoch, 1, KEPT_ITEMS + 1), null);
});

test('when all room is taken the ranking kept longest goes', () => {
  const kept = new KeptRankings(200_000);
  const epoch = kept.epochOf('p', source);
  const count = kept.capacity + 10;
  for (let n = 0; n < count; n++) kept.keep(`u${n}`, epoch, 1, 10, [n, n + 1]);
  assert.equal(kept.size, kept.capacity);
  assert.ok(kept.bytes <= 200_000);
  for (let n = 0; n < count; n++) {
    assert.deepEqual(found(kept.find(`u${n}`, epoch, 1, 2)), n < 10 ? null : [n, n + 1]);
  }
});
