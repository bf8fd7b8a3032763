import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '../../test/support/fast-check.ts';
import { seededRandom } from '../base/seeded-random.ts';
import { BestOfAll, MAX_BEST } from './best-of-all.ts';

/** Few distinct scores: many are equal. */
const scores = fc.array(fc.integer({ min: -3, max: 6 }), { minLength: 1, maxLength: 200 });

test('the best of all items are those of a full sort, with the filter and without hidden ones', () => {
  fc.assert(
    fc.property(
      scores,
      fc.integer({ min: 0, max: 30 }),
      fc.func(fc.boolean()),
      fc.array(fc.nat(199)),
      (values, limit, isAllowed, hidden) => {
        const best = new BestOfAll(values.length);
        // The second search must find nothing of the first.
        for (const all of [values, values.map((value) => -value)]) {
          const allow = new Uint32Array((all.length + 31) >>> 5);
          for (const n of all.keys()) if (isAllowed(n)) allow[n >>> 5] |= 1 << (n & 31);
          const expected = [...all.keys()]
            .filter((n) => isAllowed(n) && !hidden.includes(n))
            .sort((a, b) => all[b] - all[a] || a - b)
            .slice(0, limit);
          const known = hidden.filter((n) => n < all.length);
          assert.deepEqual([...best.find(Float32Array.from(all), { limit, allow, hidden: known })], expected);
          const any = best.find(Float32Array.from(all), { limit: 1, allow: null, hidden: [] });
          assert.deepEqual([...any], [all.indexOf(Math.max(...all))]);
        }
      },
    ),
  );
});

test('a catalog of any size has room', () => {
  for (const items of [1, 31, 16_383, 16_384, 20_000, 1_000_000]) {
    const scores = Float32Array.from({ length: items }, (_, n) => n % 1000);
    const found = new BestOfAll(items).find(scores, { limit: MAX_BEST, allow: null, hidden: [] });
    assert.equal(found.length, Math.min(MAX_BEST, items));
    assert.equal(scores[found[0]], Math.min(999, items - 1));
  }
});

test('all that score enough are found, in their order, unless they are many', () => {
  const random = seededRandom(4);
  for (const items of [1, 3, 4, 5, 1000, 1003]) {
    const scores = Float32Array.from({ length: items }, () => random.below(50));
    const all = new BestOfAll(items);
    for (const least of [-1, 0, 20, 49, 50]) {
      const expected = [...scores.keys()].filter((n) => scores[n] >= least);
      assert.deepEqual([...all.above(scores, least)!], expected, `${items} items, ${least}`);
    }
  }
  const many = new BestOfAll(MAX_BEST + 10);
  assert.equal(many.above(new Float32Array(MAX_BEST + 10), 0), null);
});
