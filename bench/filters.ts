// Filters over a large catalog: what the user, parameters, times and distances cost compared with a plain filter.
// `node bench/filters.ts [--quick]`

import { performance } from 'node:perf_hooks';
import { seededRandom } from '../src/base/seeded-random.ts';
import { atOnce } from '../src/base/steps.ts';
import { Catalog } from '../src/catalog/catalog.ts';
import { compileFilter } from '../src/domain/filter/compile-filter.ts';
import type { FilterInputs } from '../src/domain/filter/fold-filter.ts';
import { FilterSets } from '../src/serving/filter-sets.ts';
import { quick, report } from './report.ts';

const ITEMS = quick ? 100_000 : 1_000_000;
const TURNS = 20;
const PLAIN = 'price < 20';
const { next: chance } = seededRandom(1);
const nowMs = Date.UTC(2026, 10, 15);

const catalog = new Catalog('items');
for (let n = 0; n < ITEMS; n++) {
  catalog.put(`item-${n}`, {
    price: Math.round(chance() * 10_000) / 100,
    list_price: Math.round(chance() * 15_000) / 100,
    brand: `b${Math.floor(chance() ** 2 * 300)}`,
    tags: Array.from({ length: 3 }, () => `t${Math.floor(chance() ** 2 * 500)}`),
    title: `the title of item ${n}`,
    added: nowMs - Math.floor(chance() * 400 * 86_400_000),
    published: new Date(nowMs - Math.floor(chance() * 400) * 86_400_000).toISOString().slice(0, 10),
    lat: 45 + chance() * 10,
    lon: 5 + chance() * 10,
  });
}
const inputs: FilterInputs = {
  user: { budget: 20, brands: ['b3', 'b40'] },
  params: { max: 20, lat: 52.52, lon: 13.405 },
  nowMs,
};

let keys = 0;

/** Milliseconds of processor time to select over all items: the mean, as that clock ticks coarsely. */
function selectMs(text: string): { ms: number; count: number } {
  const { filter } = compileFilter(text).fold(inputs);
  let count = 0;
  const before = process.threadCpuUsage();
  for (let turn = 0; turn < TURNS; turn++) {
    // A key that differs keeps the selection from being remembered.
    count = atOnce(catalog.selectSteps(filter, `key ${keys++}`)).count;
  }
  const { user, system } = process.threadCpuUsage(before);
  return { ms: (user + system) / 1000 / TURNS, count };
}

// Once without counting, so that the code is warm.
selectMs(PLAIN);
const plain = selectMs(PLAIN);
for (const text of [
  'price < user.budget',
  'price < $max AND user.budget > 5',
  'brand IN user.brands',
  'price < list_price * 0.5',
  'days_since(added) < 30',
  'days_since(published) < 30',
  'distance_km(lat, lon, $lat, $lon) < 25',
  'distance_km(lat, lon, $lat, $lon) > 300',
  "tags IN ('t3', 't40')",
  "title CONTAINS '77'",
  "title < 'the title of item 5'",
]) {
  const { ms, count } = selectMs(text);
  report({
    bench: 'filters',
    what: `filter ${text} over ${ITEMS} items`,
    ratio: ms / plain.ms,
    base: `the time of the plain filter ${PLAIN}`,
    figures: `${ms.toFixed(1)} ms against ${plain.ms.toFixed(1)} ms; ${count} items meet it`,
  });
}

const foldUs = (() => {
  const compiled = compileFilter('price < user.budget AND brand IN user.brands AND days_since(added) < 30');
  const turns = 20_000;
  const startMs = performance.now();
  for (let turn = 0; turn < turns; turn++) compiled.fold(inputs);
  return ((performance.now() - startMs) / turns) * 1000;
})();
const sets = new FilterSets();
const kept = compileFilter(PLAIN).fold({ nowMs: 0 });
await sets.select('a', catalog, kept);
const turns = 20_000;
const startMs = performance.now();
for (let turn = 0; turn < turns; turn++) await sets.select('a', catalog, kept);
const keptUs = ((performance.now() - startMs) / turns) * 1000;
report({
  bench: 'filters',
  what: 'folding a filter of three conditions with what a call knows',
  ratio: foldUs / keptUs,
  base: 'the time of looking up a kept item set',
  figures: `${foldUs.toFixed(1)} µs against ${keptUs.toFixed(1)} µs`,
});
