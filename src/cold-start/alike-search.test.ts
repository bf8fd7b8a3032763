import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '../../test/support/fast-check.ts';
import { seededRandom } from '../base/seeded-random.ts';
import { AlikeSearch, NEIGHBORS, type Postings } from './alike-search.ts';

/** Items with features; the first features are rare, the last ones nearly everybody's. */
const world = fc
  .record({ items: fc.integer({ min: 1, max: 400 }), features: fc.integer({ min: 1, max: 14 }), seed: fc.nat() })
  .map(({ items, features, seed }) => {
    const random = seededRandom(seed);
    // Some worlds have few kinds of items, so that many items are equally similar.
    const kinds = random.chance(0.3) ? 5 : items;
    const ofKind = Array.from({ length: kinds }, () =>
      Array.from({ length: features }, (_, f) => f).filter((f) => random.chance(((f + 1) / features) ** 2)),
    );
    return Array.from({ length: items }, (_, n) => ofKind[n % kinds]);
  });

function postingsOf(items: readonly (readonly number[])[]): Postings {
  const count = Math.max(0, ...items.flat()) + 1;
  const lists = Array.from({ length: count }, (_, f) => [...items.keys()].filter((n) => items[n].includes(f)));
  const offsets = Uint32Array.from([0, ...lists.map((_, f) => lists.slice(0, f + 1).flat().length)]);
  const idf = Float32Array.from(lists, ({ length }) => Math.log(1 + items.length / Math.max(1, length)));
  const norms = Float32Array.from(items, (own) => Math.sqrt(own.reduce((sum, f) => sum + idf[f] ** 2, 0)));
  return { offsets, items: Uint32Array.from(lists.flat()), idf, norms };
}

function searchOf(postings: Postings): AlikeSearch {
  const steps = AlikeSearch.make(postings);
  let step = steps.next();
  while (!step.done) step = steps.next();
  return step.value;
}

/** The expected result, found by comparing with every item. */
function expected(items: readonly (readonly number[])[], { idf, norms }: Postings, features: readonly number[]) {
  const length = Math.sqrt(features.reduce((sum, f) => sum + idf[f] ** 2, 0));
  const alike = items.map((own, warm) => {
    let sum = 0;
    for (const f of features) if (own.includes(f)) sum = Math.fround(sum + idf[f] ** 2);
    return { warm, sum, likeness: sum / (norms[warm] * length) };
  });
  return alike
    .filter(({ sum }) => sum > 0)
    .sort((a, b) => b.likeness - a.likeness || a.warm - b.warm)
    .slice(0, NEIGHBORS);
}

test('the most alike items are those that a look at every item finds, whatever is left out on the way', () => {
  fc.assert(
    fc.property(world, (items) => {
      const postings = postingsOf(items);
      const search = searchOf(postings);
      // Searches several times, to show that one search leaves nothing behind for the next.
      for (const own of items.slice(0, 5)) {
        const features = [...own].sort((a, b) => postings.idf[b] - postings.idf[a] || a - b);
        const { warm, likeness } = search.nearest(features);
        const wanted = expected(items, postings, features);
        assert.deepEqual(
          Array.from(warm),
          wanted.map((item) => item.warm),
        );
        assert.deepEqual(
          Array.from(likeness),
          wanted.map((item) => item.likeness),
        );
      }
    }),
    { numRuns: 200 },
  );
});

test('the features of an item with thousands are read a few times each', () => {
  const count = 3000;
  const postings = {
    offsets: Uint32Array.from({ length: count + 1 }, (_, n) => n),
    items: Uint32Array.from({ length: count }, (_, n) => n),
    idf: new Float32Array(count).fill(1),
    norms: new Float32Array(count).fill(1),
  };
  let reads = 0;
  const get = (features: number[], key: string | symbol) => {
    reads++;
    return Reflect.get(features, key);
  };
  const { warm } = searchOf(postings).nearest(new Proxy([...postings.items], { get }));
  assert.equal(warm.length, NEIGHBORS);
  assert.ok(reads < 30 * count, `${reads} reads`);
});
