import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RankingCache } from './ranking-cache.ts';

const ranking = (limit: number, madeMs = 0) => ({
  items: Uint32Array.from({ length: limit }, (_, n) => n),
  objective: 'discover' as const,
  relation: null,
  marks: null,
  skippedPins: [],
  meetsNone: false,
  limit,
  user: 1,
  version: 1,
  madeMs,
});

test('a ranking is found for its limit and for shorter lists', () => {
  const cache = new RankingCache(1e6);
  cache.keep('a', ranking(10));
  assert.equal(cache.find('a', 10, 0)?.items.length, 10);
  assert.equal(cache.find('a', 5, 0)?.items.length, 10);
  assert.equal(cache.find('a', 11, 0), undefined);
  assert.equal(cache.find('b', 10, 0), undefined);
});

test('a ranking is forgotten after a minute, also when the clock steps back', () => {
  const cache = new RankingCache(1e6);
  cache.keep('a', ranking(10, 1000));
  assert.ok(cache.find('a', 10, 60_000));
  assert.equal(cache.find('a', 10, 61_000), undefined);
  assert.equal(cache.find('a', 10, 1000 - 60_000), undefined);
});

test('keys and items count toward the budget, and the oldest go first', () => {
  const cache = new RankingCache(10_000);
  for (let n = 0; n < 100; n++) cache.keep(`${n}`.padEnd(1000, 'x'), ranking(10));
  assert.ok(cache.bytes <= 10_000 && cache.bytes > 7000);
  assert.equal(cache.size, 4);
  assert.ok(cache.find('99'.padEnd(1000, 'x'), 10, 0));
  cache.keep('huge'.padEnd(20_000, 'x'), ranking(10));
  assert.ok(cache.bytes <= 10_000);
});
