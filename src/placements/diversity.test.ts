import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listInputs } from '../../test/support/list-inputs.ts';
import { parseFilter } from '../../test/support/parse-filter.ts';
import { bought, TOY_ITEMS, TOY_NOW, toyRecommender } from '../../test/support/toy-catalog.ts';
import { Catalog } from '../catalog/catalog.ts';
import { isIn } from '../catalog/item-set.ts';
import type { FilterLiteral } from '../domain/filter/filter.ts';
import { diversify } from './diversity.ts';
import type { Diversity, ItemList, ListInputs } from './item-list.ts';
import { makeList } from './make-list.ts';

const generator = toyRecommender();
const inputsOf = (diversity: Diversity | null, change: Partial<ListInputs> = {}): ListInputs =>
  listInputs({ generator, objective: 'any', history: bought(1), nowMs: TOY_NOW, limit: 6, diversity, ...change });
const ids = ({ items }: ItemList) => items.map(({ item_id }) => item_id);
const categories = (list: ItemList) => list.items.map(({ item }) => generator.catalog.attribute(item, 'category'));
const countOf = (values: readonly unknown[], value: unknown) => values.filter((one) => one === value).length;

test('at most n items have the same value, and the list is still filled, in its order', () => {
  const plain = ids(makeList(inputsOf(null, { limit: TOY_ITEMS })));
  for (const most of [1, 2]) {
    const list = makeList(inputsOf({ max_per: { category: most } }));
    const values = categories(list);
    for (const value of values) assert.ok(countOf(values, value) <= most);
    assert.equal(values.length, Math.min(6, 4 * most));
    const places = ids(list).map((id) => plain.indexOf(id));
    assert.deepEqual(
      places,
      places.toSorted((a, b) => a - b),
    );
    assert.equal(places[0], 0);
  }
});

test('pinned items count first, also those of later pages', () => {
  const { catalog } = generator;
  const inA = Array.from({ length: TOY_ITEMS }, (_, item) => item).filter(
    (item) => catalog.attribute(item, 'category') === 'a',
  );
  const [first, second] = inA.slice(-2);
  const pins = [
    { item: first, position: 1 },
    { item: second, position: 20 },
  ];
  const list = makeList(inputsOf({ max_per: { category: 2 } }, { pins, exclude: new Set([first, second]) }));
  const values = categories(list);
  assert.equal(values[0], 'a');
  assert.equal(countOf(values, 'a'), 1);
});

test('it is filled from as deep as need be, though the first candidates are all alike', () => {
  // A source that gives what is best of "a" before anything else, a few at a time.
  let searches = 0;
  const inputs = inputsOf({ max_per: { category: 1 } }, { limit: 4 });
  const source: ListInputs['sources'][number] = ({ allow, exclude }) => {
    searches++;
    const items = Array.from({ length: TOY_ITEMS }, (_, item) => item)
      .filter((item) => !exclude.has(item) && (allow === null || ((allow.words[0] >>> item) & 1) === 1))
      .slice(0, 3);
    const scored = items.map((item) => ({ item, item_id: `i${item}`, score: -item }));
    return { basis: 'history', restsOnAttributes: false, items: scored };
  };
  const many: ListInputs = { ...inputs, sources: Array.from({ length: 17 }, () => source) };
  assert.deepEqual(categories(makeList(many)), ['a', 'b', 'c', 'd']);
  assert.ok(searches > 3);
});

test('the search continues among items without the values that are full, and looks for each value once', () => {
  const looked: unknown[] = [];
  class WatchedCatalog extends Catalog {
    override itemsWithAny(attribute: string, values: readonly FilterLiteral[]) {
      looked.push(...values.map((value) => JSON.stringify([attribute, value])));
      return super.itemsWithAny(attribute, values);
    }
  }
  const catalog = new WatchedCatalog('items');
  const items = Array.from({ length: 300 }, (_, n) => catalog.intern(`i${n}`));
  for (const item of items) catalog.put(`i${item}`, { brand: `b${Math.floor(item / 80)}`, tags: [item % 2, 'all'] });
  const source: ListInputs['sources'][number] = ({ room, allow, exclude }) => {
    const open = items.filter((item) => !exclude.has(item) && (allow === null || isIn(allow, item))).slice(0, room);
    const scored = open.map((item) => ({ item, item_id: catalog.itemId(item), score: -item }));
    return { basis: 'history', restsOnAttributes: false, items: scored };
  };
  const listed = (maxPer: Record<string, number>) => {
    const inputs = inputsOf({ max_per: maxPer }, { catalog, listed: catalog.stored(), exclude: new Set() });
    looked.length = 0;
    const list = makeList({ ...inputs, sources: [source] });
    assert.equal(new Set(looked).size, looked.length);
    return ids(list);
  };
  assert.deepEqual(listed({ brand: 1 }), ['i0', 'i80', 'i160', 'i240']);
  assert.deepEqual(listed({ brand: 2, item_id: 1 }), ['i0', 'i1', 'i80', 'i81', 'i160', 'i161']);
  assert.deepEqual(listed({ brand: 3, tags: 3 }), ['i0', 'i1', 'i2']);
  assert.ok(looked.length > 0);
});

test('several values of an item count each, items without the attribute are never capped, a filter holds', () => {
  const tags = makeList(inputsOf({ max_per: { tags: 1 } }));
  assert.equal(tags.items.length, 2, 'one odd and one even');
  assert.equal(makeList(inputsOf({ max_per: { nothing: 1 } })).items.length, 6);
  const allow = generator.catalog.select(parseFilter('n >= 4'));
  const list = makeList(inputsOf({ max_per: { category: 1, n: 1 } }, { allow }));
  assert.deepEqual(categories(list).toSorted(), ['a', 'b', 'c', 'd']);
});

test('a number moves what is like the items above it down, and 0 changes nothing', () => {
  const items = Array.from({ length: 6 }, (_, item) => ({ item, item_id: `i${item}`, score: 1 - item / 10 }));
  const list: ItemList = { isMet: true, basis: 'history', restsOnAttributes: false, items };
  // 0, 1 and 2 are alike, the others are all different.
  const likeness = (a: number, b: number) => (a < 3 && b < 3 ? 1 : 0);
  const spread = (diversity: number) => ids(diversify(list, { ...inputsOf(diversity), likeness }));
  assert.deepEqual(spread(0), ids(list));
  assert.deepEqual(spread(0.5), ['i0', 'i3', 'i4', 'i5', 'i1', 'i2']);
  assert.deepEqual(spread(0.05), ids(list), 'a little variety does not outweigh relevance');
  assert.equal(spread(1)[0], 'i0', 'the best item stays');
});

test('what fills a list stays behind what meets it', () => {
  const history = bought(0, 3, 6, 9);
  const inputs = listInputs({ generator, objective: 'again', history, nowMs: TOY_NOW, limit: 8, diversity: 0.9 });
  const { items } = makeList(inputs);
  assert.deepEqual(
    items.map(({ filled }) => filled === true),
    [false, false, false, false, true, true, true, true],
  );
});

test('items of a model are as alike as their vectors', () => {
  assert.ok(Math.abs(generator.likeness(2, 2) - 1) < 1e-6);
  assert.equal(generator.likeness(2, 5), generator.likeness(5, 2));
  assert.ok(Math.abs(generator.likeness(2, 5)) <= 1);
  assert.equal(generator.likeness(2, generator.catalog.intern('unknown')), 0);
});
