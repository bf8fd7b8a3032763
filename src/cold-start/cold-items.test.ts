import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Catalog } from '../catalog/catalog.ts';
import { NEIGHBORS } from './alike-search.ts';
import { ColdItems } from './cold-items.ts';

function warmCatalog(count: number, attributes: (n: number) => Record<string, unknown>) {
  const catalog = new Catalog('items');
  const warmItems = new Uint32Array(count);
  for (let n = 0; n < count; n++) {
    catalog.put(`warm-${n}`, attributes(n));
    warmItems[n] = catalog.indexOf(`warm-${n}`);
  }
  return { catalog, cold: new ColdItems(catalog, warmItems, (item) => warmItems.includes(item)) };
}

test('an item is scored by the mean of the warm items most like it', async () => {
  const { catalog, cold } = warmCatalog(60, (n) => ({ genre: `g${n % 3}`, language: 'en', tags: [`t${n % 2}`] }));
  catalog.put('new', { genre: 'g1', language: 'en', tags: ['t0'] });
  await cold.settle();
  const group = cold.groupOf(catalog.indexOf('new'));
  const neighbors = [...cold.groups.neighborsOf(group)];
  assert.equal(neighbors.length, NEIGHBORS);
  // ten items agree in all three, then the rarer feature (genre) counts more than the common ones
  assert.ok(
    neighbors.slice(0, 10).every((n) => n % 3 === 1 && n % 2 === 0),
    String(neighbors),
  );
  assert.ok(
    neighbors.slice(10).every((n) => n % 3 === 1),
    String(neighbors),
  );
  const scores = Float32Array.from({ length: 60 }, (_, n) => n % 3);
  assert.equal(cold.groups.scoreOf(group, scores, -1), 1);
});

test('likeness is the cosine of IDF-weighted features, as computed plainly', async () => {
  const attributes = (n: number) => ({ a: `a${n % 7}`, b: [`b${n % 5}`, `b${n % 11}`], price: (n * 37) % 100 });
  const { catalog, cold } = warmCatalog(150, attributes);
  catalog.put('new', { a: 'a3', b: ['b2', 'b10'], price: 37 });
  await cold.settle();
  const featuresOf = (item: { a: string; b: string[] }) => new Set([item.a, ...item.b]);
  const df = new Map<string, number>();
  for (let n = 0; n < 150; n++)
    for (const feature of featuresOf(attributes(n))) df.set(feature, (df.get(feature) ?? 0) + 1);
  const idf = (feature: string) => Math.log(1 + 150 / df.get(feature)!);
  const wanted = featuresOf({ a: 'a3', b: ['b2', 'b10'] });
  // the bins of price are left out here: whoever is nearest must at least share a category
  const neighbors = [...cold.groups.neighborsOf(cold.groupOf(catalog.indexOf('new')))];
  const likeness = (n: number) => {
    const features = featuresOf(attributes(n));
    const shared = [...features]
      .filter((feature) => wanted.has(feature))
      .reduce((sum, feature) => sum + idf(feature) ** 2, 0);
    return shared / Math.sqrt([...features].reduce((sum, feature) => sum + idf(feature) ** 2, 0));
  };
  const best = [...Array(150).keys()].sort((a, b) => likeness(b) - likeness(a)).slice(0, 3);
  for (const n of best) assert.ok(neighbors.includes(n), `${n} is among ${neighbors}`);
});

test('items with the same features share a group, unlike ones have no neighbors', async () => {
  const { catalog, cold } = warmCatalog(30, (n) => ({ genre: `g${n % 3}` }));
  catalog.put('one', { genre: 'g2', nobody: 'has this' });
  catalog.put('two', { genre: 'g2' });
  catalog.put('stranger', { color: 'green' });
  catalog.put('plain', {});
  await cold.settle();
  const groupOf = (id: string) => cold.groupOf(catalog.indexOf(id));
  assert.equal(groupOf('one'), groupOf('two'));
  assert.notEqual(groupOf('one'), 0);
  assert.equal(groupOf('stranger'), 0);
  assert.equal(groupOf('plain'), 0);
  assert.equal(cold.groups.scoreOf(0, new Float32Array(30).fill(1), -3), -3);
});

test('new items, changed attributes and many changes are followed', async () => {
  const { catalog, cold } = warmCatalog(30, (n) => ({ genre: `g${n % 3}` }));
  assert.equal(cold.follow(0), true);
  catalog.put('new', { genre: 'g0' });
  await cold.settle();
  const groupOf = () => cold.groupOf(catalog.indexOf('new'));
  assert.ok(cold.groups.neighborsOf(groupOf()).every((n) => n % 3 === 0));
  catalog.put('new', { genre: 'g1' });
  await cold.settle();
  assert.ok(cold.groups.neighborsOf(groupOf()).every((n) => n % 3 === 1));
  for (let n = 0; n < 30; n++) catalog.put(`warm-${n}`, { genre: `g${(n + 1) % 3}` });
  await cold.settle();
  assert.equal(cold.groups.neighborsOf(groupOf()).length, 10);
  assert.ok(cold.groups.neighborsOf(groupOf()).every((n) => n % 3 === 0));
});

test('the items most like an item are found again when it changes, and when many others do', async () => {
  const { catalog, cold } = warmCatalog(30, (n) => ({ genre: `g${n % 3}` }));
  catalog.put('new', { genre: 'g0' });
  await cold.settle();
  const alike = () => cold.alikeItems(catalog.indexOf('new'));
  assert.equal(alike(), alike(), 'they are kept');
  assert.deepEqual([...alike().warm], [0, 3, 6, 9, 12, 15, 18, 21, 24, 27], 'of equal ones the first');
  assert.ok(alike().likeness.every((likeness) => likeness > 0.999 && likeness < 1.001));
  catalog.put('new', { genre: 'g1' });
  cold.follow(0);
  assert.ok(alike().warm.every((warm) => warm % 3 === 1));
  for (let n = 0; n < 30; n++) catalog.put(`warm-${n}`, { genre: `g${(n + 1) % 3}` });
  await cold.settle();
  assert.ok(alike().warm.every((warm) => warm % 3 === 0));
});

test('items are compared again when the dataset says that numbers are categories', async () => {
  const { catalog, cold } = warmCatalog(30, (n) => ({ size: 100 + n / 2 }));
  catalog.put('new', { size: 105 });
  await cold.settle();
  const neighbors = () => [...cold.groups.neighborsOf(cold.groupOf(catalog.indexOf('new')))];
  assert.ok(neighbors().length > 1, 'of nearly the same size');
  catalog.takeSchema({ size: 'CATEGORICAL' });
  await cold.settle();
  assert.deepEqual(neighbors(), [10]);
  const known = catalog.attributeSchema;
  catalog.takeSchema({ size: 'CATEGORICAL' });
  assert.equal(catalog.attributeSchema, known);
});

test('work is done in short steps and finished in the end', async () => {
  const { catalog, cold } = warmCatalog(300, (n) => ({ genre: `g${n % 3}`, n }));
  for (let n = 0; n < 2000; n++) catalog.put(`new-${n}`, { genre: `g${n % 3}`, n: n % 300 });
  let steps = 0;
  while (!cold.follow(0)) steps++;
  assert.ok(steps > 10);
  assert.equal(cold.count, 2000);
  for (let place = 0; place < cold.count; place++) assert.notEqual(cold.groupAt(place), 0);
});

test('an item is compared by its rarest features, however many it has', async () => {
  const tags = Array.from({ length: 300 }, (_, n) => `t${n}`);
  const { catalog, cold } = warmCatalog(40, (n) => ({ tags: n === 0 ? tags : tags.slice(200) }));
  catalog.put('all', { tags });
  catalog.put('rare', { tags: tags.slice(0, 200) });
  await cold.settle();
  assert.equal(cold.groupOf(catalog.indexOf('all')), cold.groupOf(catalog.indexOf('rare')));
});

test('the features that groups are found by count as memory', async () => {
  const tags = Array.from({ length: 100 }, (_, n) => `t${n}`);
  const bytesWith = async (tagsOf: (n: number) => string[]) => {
    const { catalog, cold } = warmCatalog(100, (n) => ({ tags: n === 0 ? tags : [`t${n}`] }));
    for (let n = 0; n < 64; n++) catalog.put(`new-${n}`, { tags: tagsOf(n) });
    await cold.settle();
    return cold.memoryBytes();
  };
  const few = await bytesWith((n) => [`t${n}`]);
  assert.ok((await bytesWith((n) => tags.slice(n, n + 36))) > few + 64 * 36 * 2);
});
