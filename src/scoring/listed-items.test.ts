import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseFilter } from '../../test/support/parse-filter.ts';
import { toyModel } from '../../test/support/toy-model.ts';
import type { RecordlessItems } from '../artifact/g1-model.ts';
import { Catalog } from '../catalog/catalog.ts';
import { createScorer } from './create-scorer.ts';
import { G1Recommender } from './g1-recommender.ts';
import { recordlessRule } from './listed-items.ts';

const ITEMS = ['a', 'b', 'c', 'd'];
const EVENTS = ITEMS.flatMap((item) => [
  { user: 'u', item },
  { user: `of ${item}`, item },
]);

function recommenderOver(catalog: Catalog, recordlessItems?: RecordlessItems): G1Recommender {
  return new G1Recommender(toyModel(EVENTS, { recordlessItems }), catalog, createScorer);
}

async function respond(recommender: G1Recommender, filter?: string): Promise<string[]> {
  await recommender.settle();
  const allow = filter === undefined ? null : recommender.catalog.select(parseFilter(filter));
  const { items } = recommender.top({ history: [], attributes: {} }, { limit: 10, allow });
  const p = new Float32Array(recommender.itemCount);
  recommender.distribution({ history: [], attributes: {} }, p);
  for (const { item } of items) assert.ok(p[item] > 0);
  return items.map(({ item_id }) => item_id).sort();
}

test('fewer than half of the trained items with a record let all of them be recommended', () => {
  assert.equal(recordlessRule(4, 0), 'all');
  assert.equal(recordlessRule(4, 1), 'all');
  assert.equal(recordlessRule(4, 2), 'none');
  assert.equal(recordlessRule(0, 0), 'none');
});

test('the first item of an import does not displace the others', async () => {
  const catalog = new Catalog('ids');
  const recommender = recommenderOver(catalog, 'all');
  assert.deepEqual(await respond(recommender), ITEMS);
  catalog.put('new', { x: 1 });
  assert.deepEqual(await respond(recommender), [...ITEMS, 'new']);
  assert.deepEqual(await respond(recommender, 'x = 1'), ['new']);
  assert.deepEqual(await respond(recommender, 'x IS NULL'), ITEMS);
  for (const id of ITEMS) catalog.put(id, { x: 2 });
  assert.deepEqual(await respond(recommender), [...ITEMS, 'new']);
});

for (const rule of ['all', 'none'] as const) {
  test(`no deleted item comes back when the last one is deleted, with "${rule}"`, async () => {
    const catalog = new Catalog('ids');
    for (const id of ITEMS) catalog.put(id, {});
    const recommender = recommenderOver(catalog, rule);
    for (const [n, id] of ITEMS.entries()) {
      catalog.remove(id);
      assert.deepEqual(await respond(recommender), ITEMS.slice(n + 1));
    }
    catalog.put('b', {});
    assert.deepEqual(await respond(recommender), ['b']);
  });
}

test('with "none" an item without a record is never recommended, also through a filter', async () => {
  const catalog = new Catalog('ids');
  catalog.put('a', {});
  const recommender = recommenderOver(catalog, 'none');
  assert.deepEqual(await respond(recommender), ['a']);
  assert.deepEqual(await respond(recommender, "item_id IN ('a', 'b')"), ['a']);
});

test('items that only another model over the same dataset knows are not recommended', async () => {
  const catalog = new Catalog('ids');
  const recommender = recommenderOver(catalog, 'all');
  catalog.intern('of-another-model');
  assert.deepEqual(await respond(recommender), ITEMS);
});

test('a model file that does not say is judged once by its catalog, and deletions do not change the verdict', async () => {
  const catalog = new Catalog('ids');
  const withoutRecords = recommenderOver(catalog);
  for (const id of ['a', 'b', 'c']) catalog.put(id, {});
  assert.deepEqual(await respond(withoutRecords), ITEMS);
  assert.deepEqual(await respond(recommenderOver(catalog)), ['a', 'b', 'c']);
  for (const id of ['a', 'b']) catalog.remove(id);
  assert.deepEqual(await respond(recommenderOver(catalog)), ['c']);
});
