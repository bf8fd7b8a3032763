import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { evaluateFilter } from '../../test/support/evaluate-filter.ts';
import { fc } from '../../test/support/fast-check.ts';
import { parseFilter } from '../../test/support/parse-filter.ts';
import { makeAccount, makeDataset } from '../../test/support/store-fixtures.ts';
import { atOnce } from '../base/steps.ts';
import type { Filter, FilterLiteral, NumberExpression } from '../domain/filter/filter.ts';
import type { Attributes } from '../domain/record.ts';
import { openStore } from '../store/open-store.ts';
import type { RecordStore } from '../store/record-store.ts';
import { Catalog } from './catalog.ts';
import type { ItemBitmap } from './item-set.ts';

function idsIn(catalog: Catalog, bitmap: ItemBitmap): string[] {
  const ids: string[] = [];
  for (let item = 0; item < bitmap.words.length * 32; item++) {
    if (((bitmap.words[item >>> 5] >>> (item & 31)) & 1) === 1) ids.push(catalog.itemId(item));
  }
  assert.equal(bitmap.count, ids.length);
  return ids;
}

const literal: fc.Arbitrary<FilterLiteral> = fc.oneof(
  fc.constantFrom('a', 'b', 'ab', 'sa', '', 'é', 'i1', 'i12', '2026-11-15'),
  fc.integer({ min: -2, max: 2 }),
  fc.boolean(),
);
const value = fc.oneof(
  literal,
  fc.array(fc.oneof(literal, fc.constant(null)), { maxLength: 3 }),
  fc.constant(null),
  fc.constant({ deep: ['a'] }),
);
const attributes = fc.dictionary(fc.constantFrom('x', 'y', 'rare', '__proto__'), value);
const attribute = fc.constantFrom('x', 'y', 'rare', 'unknown', 'item_id', '__proto__');
const { computed } = fc.letrec<{ computed: NumberExpression }>((tie) => ({
  computed: fc.oneof(
    { maxDepth: 2 },
    fc.record({ kind: fc.constant('number'), value: fc.integer({ min: -2, max: 2 }) }),
    fc.record({
      kind: fc.constantFrom('attribute', 'time'),
      name: attribute.filter((name) => name !== 'item_id'),
    }),
    fc.record({
      kind: fc.constant('arithmetic'),
      operator: fc.constantFrom('+', '-', '*', '/'),
      left: tie('computed'),
      right: tie('computed'),
    }),
    fc.record({
      kind: fc.constant('distance'),
      of: fc.tuple(tie('computed'), tie('computed'), tie('computed'), tie('computed')),
    }),
  ) as fc.Arbitrary<NumberExpression>,
}));
const condition = fc.oneof(
  fc
    .record({
      kind: fc.constant('compare'),
      attribute,
      operator: fc.constantFrom('=', '!=', '<', '<=', '>', '>='),
      value: literal,
    })
    .filter(({ operator, value }) => typeof value !== 'boolean' || operator === '=' || operator === '!='),
  fc.record({ kind: fc.constant('in'), attribute, values: fc.array(literal, { minLength: 1, maxLength: 3 }) }),
  fc.record({ kind: fc.constant('contains'), attribute, value: literal }),
  fc.record({ kind: fc.constant('null'), attribute }),
  fc.record({
    kind: fc.constant('compute'),
    operator: fc.constantFrom('=', '!=', '<', '<=', '>', '>='),
    left: computed,
    right: computed,
  }),
  fc.record({ kind: fc.constant('constant'), holds: fc.boolean() }),
) as fc.Arbitrary<Filter>;
const filter = fc.oneof(
  condition,
  fc.record({ kind: fc.constantFrom('and', 'or'), operands: fc.array(condition, { minLength: 2, maxLength: 3 }) }),
  fc.record({ kind: fc.constant('not'), operand: condition }),
) as fc.Arbitrary<Filter>;

test('a filter over the catalog selects exactly what it means item by item, before and after changes', () => {
  const items = fc.array(fc.tuple(fc.integer({ min: 0, max: 90 }), fc.option(attributes)), { maxLength: 120 });
  fc.assert(
    fc.property(items, items, fc.array(filter, { minLength: 1, maxLength: 4 }), (first, later, filters) => {
      const catalog = new Catalog('ids');
      const truth = new Map<string, Attributes>();
      const check = () => {
        for (const made of filters) {
          const expected = [...truth].filter(([id, item]) => evaluateFilter(made, id, item)).map(([id]) => id);
          if (truth.size > 0) assert.deepEqual(idsIn(catalog, catalog.select(made)).sort(), expected.sort());
        }
      };
      for (const changes of [first, later]) {
        for (const [n, item] of changes) {
          const id = `i${n}`;
          if (item === null) {
            catalog.remove(id);
            truth.delete(id);
          } else {
            catalog.put(id, item);
            truth.set(id, item);
          }
        }
        check();
      }
      for (const [id, item] of truth) {
        const present = Object.entries(item).filter(([, value]) => value !== null);
        assert.deepEqual(Object.entries(catalog.attributesOf(catalog.indexOf(id))).sort(), present.sort());
      }
    }),
    { numRuns: 150 },
  );
});

test('a filter selects what the catalog holds at its last step, whatever changed between steps', () => {
  const change = fc.tuple(fc.integer({ min: 0, max: 40 }), fc.option(attributes));
  fc.assert(
    fc.property(
      fc.array(change, { minLength: 1, maxLength: 60 }),
      fc.array(change, { maxLength: 40 }),
      fc.array(filter, { minLength: 1, maxLength: 3 }),
      fc.array(fc.nat({ max: 2 }), { minLength: 1 }),
      (first, changes, filters, whoseTurn) => {
        const catalog = new Catalog('ids');
        const truth = new Map<string, Attributes>([['always', {}]]);
        const apply = ([n, item]: [number, Attributes | null]) => {
          if (item === null) catalog.remove(`i${n}`);
          else catalog.put(`i${n}`, item);
          if (item === null) truth.delete(`i${n}`);
          else truth.set(`i${n}`, item);
        };
        catalog.put('always', {});
        for (const one of first) apply(one);
        // Each filter is run twice: the second run uses the set that the first one cached or is still updating.
        const runs = [...filters, ...filters].map((made) => ({
          made,
          steps: catalog.selectSteps(made),
          isDone: false,
        }));
        const pending = [...changes];
        for (let turn = 0; runs.some(({ isDone }) => !isDone); turn++) {
          const waiting = runs.filter(({ isDone }) => !isDone);
          const run = waiting[whoseTurn[turn % whoseTurn.length] % waiting.length];
          const { done, value } = run.steps.next();
          if (done) {
            run.isDone = true;
            const expected = [...truth].filter(([id, item]) => evaluateFilter(run.made, id, item)).map(([id]) => id);
            assert.deepEqual(idsIn(catalog, value).sort(), expected.sort());
          }
          const next = pending.shift();
          if (next !== undefined) apply(next);
        }
      },
    ),
    { numRuns: 300 },
  );
});

test('a column that many items have is laid out densely and means the same', () => {
  const catalog = new Catalog('ids');
  const truth: [string, Attributes][] = [];
  for (let n = 0; n < 5000; n++) {
    const item: Attributes = {
      price: n % 97,
      genre: `g${n % 11}`,
      tags: [`t${n % 5}`, `t${n % 7}`, n % 3],
      title: `the title no ${n}`,
      stock: n % 7,
      added: `2026-11-${10 + (n % 20)}`,
      place: (n % 100) - 5,
    };
    if (n % 10 === 0) item.price = `from ${n}`;
    if (n % 13 === 0) delete item.genre;
    if (n % 1000 === 0) item[`only-${n}`] = n;
    catalog.put(`item-${n}`, item);
    truth.push([`item-${n}`, item]);
  }
  for (const text of [
    "genre = 'g3'",
    "genre != 'g3'",
    'genre IS NULL',
    'price < 20',
    'price >= 96',
    "price > 'from 2'",
    'price IN (1, 2, 3)',
    "tags = 't4' AND tags IN ('t6', 2)",
    'tags CONTAINS 2',
    "tags CONTAINS 't'",
    'tags < 1',
    "title CONTAINS ' 42'",
    "title CONTAINS 'e'",
    "title > 'the title no 5'",
    '"only-1000" = 1000 OR "only-2000" IS NOT NULL',
    "item_id CONTAINS '99'",
    "item_id < 'item-2'",
    "NOT (item_id IN ('item-1', 'item-2'))",
    'price * 2 + 1 < 40',
    'price / stock >= 3',
    'price - stock != 0',
    'stock + 1 IS NULL',
    "days_since('2026-11-15') - days_since(added) < 7",
    "time(added) > time('2026-11-20') AND time(price) < 50",
    'distance_km(place, price, 10, 20) < 2000',
    '"only-1000" * 2 = 2000 OR "unknown" * 2 = 2000',
  ]) {
    const made = parseFilter(text);
    const expected = truth.filter(([id, item]) => evaluateFilter(made, id, item)).map(([id]) => id);
    assert.deepEqual(idsIn(catalog, catalog.select(made)), expected, text);
  }
  for (const [id, item] of truth.slice(0, 100)) assert.deepEqual(catalog.attributesOf(catalog.indexOf(id)), item);
});

test('overwriting values again and again does not grow the catalog without bound', () => {
  const catalog = new Catalog('ids');
  for (let n = 0; n < 3000; n++) catalog.put(`item-${n}`, { note: `first ${n}`, tags: ['a', `b${n}`] });
  const before = catalog.memoryBytes();
  for (let turn = 0; turn < 60; turn++) {
    for (let n = 0; n < 3000; n++)
      catalog.put(`item-${n}`, { note: `turn ${turn} of ${n}`, tags: [`t${turn}`, `b${n}`] });
    atOnce(catalog.tidy());
  }
  assert.ok(catalog.memoryBytes() < before * 4 + 8_000_000, `${before} → ${catalog.memoryBytes()}`);
  assert.deepEqual(catalog.attributesOf(7), { note: 'turn 59 of 7', tags: ['t59', 'b7'] });
});

test('large values that were overwritten are given back, texts and lists', () => {
  const catalog = new Catalog('ids');
  for (let n = 0; n < 1500; n++) catalog.put(`item-${n}`, { note: `note ${n}`, tags: [n] });
  const text = 'x'.repeat(100_000);
  for (let turn = 0; turn < 40; turn++) {
    for (let n = 0; n < 10; n++) {
      const note = `${turn} of ${n} ${text}`;
      catalog.put(`item-${n}`, { note, tags: [turn, note] });
    }
    atOnce(catalog.tidy());
  }
  assert.ok(catalog.memoryBytes() < 40_000_000, String(catalog.memoryBytes()));
  assert.deepEqual(catalog.attributesOf(7), { note: `39 of 7 ${text}`, tags: [39, `39 of 7 ${text}`] });
  assert.deepEqual(catalog.attributesOf(1400), { note: 'note 1400', tags: [1400] });
});

test('attribute names without end are kept and filtered, at the cost of what they hold', () => {
  const catalog = new Catalog('ids');
  for (let n = 0; n < 3000; n++) catalog.put(`i${n}`, { [`name-${n}`]: n, shared: n % 2 });
  assert.ok(catalog.memoryBytes() < 3_000_000, String(catalog.memoryBytes()));
  assert.deepEqual(catalog.attributesOf(2999), { 'name-2999': 2999, shared: 1 });
  assert.equal(catalog.attribute(2999, 'name-2999'), 2999);
  assert.deepEqual(idsIn(catalog, catalog.select(parseFilter('"name-2999" > 5'))), ['i2999']);
  assert.equal(catalog.select(parseFilter('"name-2999" IS NULL')).count, 2999);
  catalog.put('i2999', { shared: 1 });
  assert.equal(catalog.select(parseFilter('"name-2999" IS NULL')).count, 3000);
  assert.deepEqual(catalog.attributesOf(2999), { shared: 1 });
});

test('an item without a record is neither stored nor deleted, whatever happens to others', () => {
  const catalog = new Catalog('ids');
  catalog.intern('from-events');
  const filter = parseFilter('x IS NULL');
  const sets = () => [catalog.stored(), catalog.undeleted(), catalog.select(filter)].map((set) => idsIn(catalog, set));
  assert.deepEqual(sets(), [[], ['from-events'], ['from-events']]);
  catalog.put('stored', { x: 1 });
  assert.deepEqual(sets(), [['stored'], ['from-events', 'stored'], ['from-events']]);
  catalog.remove('stored');
  assert.deepEqual(sets(), [[], ['from-events'], ['from-events']]);
  catalog.remove('from-events');
  assert.deepEqual(sets(), [[], [], []]);
  catalog.put('stored', {});
  assert.deepEqual(sets(), [['stored'], ['stored'], ['stored']]);
});

test('an item that was deleted before a model names it stays deleted until it is written again', () => {
  const catalog = new Catalog('ids');
  catalog.remove('gone');
  assert.equal(catalog.itemCount, 0, 'a deleted id costs no item number');
  const item = catalog.intern('gone');
  assert.equal(catalog.undeleted().has(item), false);
  assert.equal(catalog.deletedHereCount, 0);
  catalog.put('gone', {});
  assert.equal(catalog.undeleted().has(item), true);
  catalog.remove('gone');
  assert.equal(catalog.deletedHereCount, 1);
  catalog.put('gone', {});
  assert.equal(catalog.deletedHereCount, 0);
});

test('the catalog follows its dataset by changes, or reads it again when changes are not known any more', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'kindred-catalog-'));
  const store = await openStore({ dataDir: folder });
  try {
    const dataset = await makeDataset(store, await makeAccount(store), 'item');
    const put = (id: string, attributes: Attributes) => store.items.upsert(dataset, [{ id, attributes }]);
    await put('a', { x: 1 });
    await put('b', { x: 2 });
    const catalog = await Catalog.load(store.items, dataset.dataset_id);
    const few = parseFilter('x < 3');
    assert.deepEqual(idsIn(catalog, catalog.select(few)), ['a', 'b']);
    assert.equal(await catalog.follow(store.items), false);
    await store.items.delete(dataset, ['a']);
    await put('c', { x: 1 });
    await put('b', { x: 9 });
    assert.equal(await catalog.follow(store.items), true);
    assert.equal(await catalog.follow(store.items), false);
    assert.deepEqual(idsIn(catalog, catalog.select(few)), ['c']);
    assert.equal(catalog.indexOf('b'), 1);
    const forgetful: RecordStore = Object.create(store.items, {
      version: { value: (id: string) => store.items.version(id) },
      scan: { value: (id: string) => store.items.scan(id, 1) },
      changesSince: { value: async () => null },
      deletedIds: { value: (id: string) => store.items.deletedIds(id) },
      knowsAllDeletions: { value: (id: string) => store.items.knowsAllDeletions(id) },
    });
    await store.items.delete(dataset, ['c']);
    await put('d', { x: 0 });
    assert.equal(await catalog.follow(forgetful), true);
    assert.deepEqual(idsIn(catalog, catalog.select(few)), ['d']);
    assert.deepEqual(idsIn(catalog, catalog.stored()), ['b', 'd']);
    assert.deepEqual(idsIn(catalog, catalog.undeleted()), ['b', 'd']);
    const fresh = await Catalog.load(store.items, dataset.dataset_id);
    for (const id of ['a', 'c', 'never-deleted']) fresh.intern(id);
    assert.deepEqual(idsIn(fresh, fresh.undeleted()), ['b', 'd', 'never-deleted']);
  } finally {
    await store.close();
    await rm(folder, { recursive: true });
  }
});

test('a change made while the catalog is following counts for who asks after it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'kindred-catalog-'));
  const store = await openStore({ dataDir: folder });
  try {
    const dataset = await makeDataset(store, await makeAccount(store), 'item');
    const catalog = await Catalog.load(store.items, dataset.dataset_id);
    await Promise.all(
      Array.from({ length: 50 }, async (_, n) => {
        await store.items.upsert(dataset, [{ id: `i${n}`, attributes: { n } }]);
        await catalog.follow(store.items);
        assert.equal(catalog.attribute(catalog.indexOf(`i${n}`), 'n'), n);
      }),
    );
    assert.equal(catalog.stored().count, 50);
  } finally {
    await store.close();
    await rm(folder, { recursive: true });
  }
});
