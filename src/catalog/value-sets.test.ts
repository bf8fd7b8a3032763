import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseFilter } from '../../test/support/parse-filter.ts';
import { atOnce } from '../base/steps.ts';
import type { FilterLiteral } from '../domain/filter/filter.ts';
import { Catalog } from './catalog.ts';
import { eachIn } from './item-set.ts';

const ITEMS = 3000;

const itemOf = (n: number) => ({
  genre: `g${n % 11}`,
  tags: [`t${n % 5}`, `t${n % 7}`, n % 3, n % 2 === 0],
  maker: `m${n % 500}`,
  year: 2000 + (n % 9),
  mixed: n % 4 === 0 ? 4 : `x${n % 3}`,
  ...(n % 100 === 0 && { rare: ['r', n % 2] }),
});

function catalogOf(items = ITEMS): Catalog {
  const catalog = new Catalog('ids');
  for (let n = 0; n < items; n++) catalog.put(`i${n}`, itemOf(n));
  return catalog;
}

function together(catalog: Catalog, attribute: string, values: readonly FilterLiteral[]): number[] {
  const found = new Set<number>();
  for (const set of catalog.itemsWithAny(attribute, values)) eachIn(set, (item) => found.add(item));
  return [...found].sort((a, b) => a - b);
}

const ASKED: readonly (readonly [string, readonly FilterLiteral[]])[] = [
  ['genre', ['g1', 'g7', 'no such', 3]],
  ['tags', ['t4', 2, true]],
  ['maker', ['m3', 'm499', 'fresh']],
  ['year', [2004, 2001]],
  ['mixed', [4, 'x1']],
  ['rare', ['r', 1]],
  ['item_id', ['i5', 'i6']],
  ['unknown', ['a']],
];

test('the sets of values are what a filter says, before and after changes', () => {
  const catalog = catalogOf();
  const check = (when: string) => {
    for (const [attribute, values] of ASKED) {
      const expected: number[] = [];
      eachIn(catalog.select({ kind: 'in', attribute, values }), (item) => expected.push(item));
      assert.deepEqual(together(catalog, attribute, values), expected, `${attribute} ${when}`);
    }
  };
  check('at first');
  for (let n = 0; n < 300; n++) catalog.put(`i${n}`, itemOf(n + 1));
  for (let n = 300; n < 400; n++) catalog.remove(`i${n}`);
  for (let n = 0; n < 40; n++) catalog.put(`new${n}`, { genre: ['g1', 'g1', `g${n % 3}`], maker: 'fresh' });
  check('after changes');
  for (let n = 0; n < ITEMS; n++) catalog.put(`i${n}`, { ...itemOf(n), tags: ['t4', 2], genre: 'g7' });
  atOnce(catalog.tidy());
  check('after many');
  for (let n = 0; n < 200; n++) catalog.put(`i${n}`, { genre: `other${n}`, mixed: 4 });
  check('with many distinct values');
});

test('a column with few distinct values is passed over once, one with many keeps no sets', () => {
  const catalog = catalogOf();
  const bytes = catalog.memoryBytes();
  const [first] = catalog.itemsWithAny('genre', ['g1']);
  assert.equal(catalog.itemsWithAny('genre', ['g2', 'g1'])[1], first);
  const withGenres = catalog.memoryBytes();
  assert.ok(withGenres > bytes && withGenres < bytes + 10_000);
  catalog.itemsWithAny('maker', ['m1']);
  assert.equal(catalog.memoryBytes(), withGenres);
});

test('only the columns used last keep sets', () => {
  const catalog = new Catalog('ids');
  for (let n = 0; n < ITEMS; n++) {
    catalog.put(`i${n}`, Object.fromEntries(Array.from({ length: 20 }, (_, a) => [`a${a}`, `${n % 30}`])));
  }
  const bytes = catalog.memoryBytes();
  for (let a = 0; a < 20; a++) catalog.itemsWithAny(`a${a}`, ['1']);
  const perColumn = (30 * ITEMS) / 8;
  // Sets have room for more items.
  assert.ok(catalog.memoryBytes() - bytes < 2 * 5 * perColumn, `${catalog.memoryBytes() - bytes}`);
});

test('an attribute beyond those with a column is gathered once, until the catalog changes', () => {
  const catalog = new Catalog('ids');
  const names = Array.from({ length: 1000 }, (_, n) => [`name-${n}`, n]);
  catalog.put('first', Object.fromEntries(names));
  for (let n = 0; n < ITEMS; n++) catalog.put(`i${n}`, { late: n % 2, later: n });
  const stepsOf = (text: string) => {
    let taken = 0;
    for (const steps = catalog.selectSteps(parseFilter(text)); !steps.next().done; ) taken++;
    return taken;
  };
  const first = stepsOf('late = 1');
  assert.ok(stepsOf('late = 0') < first);
  catalog.put('i0', { late: 1 });
  assert.equal(stepsOf('late > 0'), first);
  assert.deepEqual(together(catalog, 'late', [1]).length, ITEMS / 2 + 1);
});
