import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { longestStretch, threadMs } from '../../test/support/short-stretch.ts';
import { Catalog } from '../catalog/catalog.ts';
import { compileFilter } from '../domain/filter/compile-filter.ts';
import { MAX_FILTER_CONDITIONS } from '../domain/filter/filter.ts';
import { FilterSets } from './filter-sets.ts';

const foldedOf = (text: string) => compileFilter(text).fold({ nowMs: 0 });

function catalogOf(items: number): Catalog {
  const catalog = new Catalog('items');
  const text = 'a'.repeat(500);
  for (let n = 0; n < items; n++) catalog.put(`item-${n}`, { t: `title ${n}`, text: text + n, price: n });
  return catalog;
}

const many = (condition: (n: number) => string) =>
  foldedOf(Array.from({ length: MAX_FILTER_CONDITIONS }, (_, n) => condition(n)).join(' OR '));

test('the worst filters of many calls never block the event loop, and a small one is served meanwhile', async () => {
  const share = await longestStretch(longestTurnOfWorstFilters);
  assert.ok(share <= 1, `a turn took ${share.toFixed(1)} times the longest allowed`);
});

async function longestTurnOfWorstFilters(): Promise<number> {
  const catalog = catalogOf(50_000);
  const sets = new FilterSets();
  const worst = Array.from({ length: 2 }, (_, k) => [
    many((n) => `t < '${k}.${n}'`),
    foldedOf(`text CONTAINS '${'a'.repeat(400)}b${k}${'a'.repeat(400)}'`),
    foldedOf(`text CONTAINS '${'a'.repeat(6)}b${k}'`),
  ]).flat();
  const running = Promise.all(worst.map((filter) => sets.select('greedy', catalog, filter)));
  let hasResponse = false;
  let longestMs = 0;
  let turnsUntilResponse = 0;
  void sets.select('modest', catalog, foldedOf('price < 10')).then(({ count }) => {
    assert.equal(count, 10);
    hasResponse = true;
  });
  while (sets.waiting > 0) {
    const before = threadMs();
    await nextTurn();
    longestMs = Math.max(longestMs, threadMs() - before);
    if (!hasResponse) turnsUntilResponse++;
  }
  const found = await running;
  assert.ok(turnsUntilResponse < 10, `the small filter waited for ${turnsUntilResponse} turns`);
  assert.deepEqual(
    found.map(({ count }) => count),
    worst.map((filter) => catalog.select(filter.filter).count),
  );
  return longestMs;
}

test('calls that wait for the same filter share the work', async () => {
  const catalog = catalogOf(20_000);
  const sets = new FilterSets();
  const filter = many((n) => `t < '${n}'`);
  const all = Array.from({ length: 50 }, () => sets.select('a', catalog, filter));
  assert.equal(sets.waiting, 1);
  const found = await Promise.all(all);
  assert.ok(found.every((set) => set === found[0]));
});
