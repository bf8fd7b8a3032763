// Pages are pieces of one list.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { listInputs, type ToyListInputs } from '../../test/support/list-inputs.ts';
import { parseFilter } from '../../test/support/parse-filter.ts';
import { bought, TOY_ITEMS, TOY_NOW, toyRecommender } from '../../test/support/toy-catalog.ts';
import type { Diversity, ListInputs } from './item-list.ts';
import { makeList } from './make-list.ts';

/**
 * With these weights the order of some items depends on the scale of taste next to popularity, and so on which other items are
 * searched for.
 */
const generator = toyRecommender({ blend: { weights: [1, 0.3], transform: { kind: 'log', c: 0.3 } } });
const objective = fc.constantFrom('discover', 'continue', 'again', 'any');
const diversity = fc.constantFrom<(Diversity | null)[]>(
  null,
  { max_per: { category: 1 } },
  { max_per: { category: 2 } },
);
const boosts = fc.constantFrom<ListInputs['boosts'][]>(
  [],
  [{ items: generator.catalog.select(parseFilter('n >= 6')), factor: 3 }],
);

function pageOf(change: Partial<ToyListInputs> & Pick<ToyListInputs, 'objective'>): number[] {
  return makeList(listInputs({ generator, history: bought(0, 3, 5), nowMs: TOY_NOW, ...change })).items.map(
    ({ item }) => item,
  );
}

test('joined they are the whole list, whatever their sizes', () => {
  fc.assert(
    fc.property(
      objective,
      diversity,
      boosts,
      fc.array(fc.integer({ min: 1, max: 4 })),
      (objective, diversity, boosts, sizes) => {
        const call = { objective, diversity, boosts };
        const shown = new Set<number>();
        for (const limit of [...sizes, TOY_ITEMS]) {
          const page = pageOf({ ...call, limit, shown, offset: shown.size });
          for (const item of page) {
            assert.ok(!shown.has(item));
            shown.add(item);
          }
        }
        assert.deepEqual([...shown], pageOf({ ...call, limit: TOY_ITEMS }));
      },
    ),
  );
});

test('chosen for variety or ordered by a ranker they still have every item once, whatever their sizes', () => {
  const ranker = toyRecommender({ blend: { weights: [-1, 0.001], transform: { kind: 'linear' } } });
  fc.assert(
    fc.property(
      objective,
      fc.constantFrom({ diversity: 0.5 }, { ranker }, { diversity: 0.9, ranker }),
      fc.array(fc.integer({ min: 1, max: 4 })),
      (objective, choice, sizes) => {
        const joined: number[] = [];
        for (const limit of [...sizes, TOY_ITEMS]) {
          joined.push(...pageOf({ ...choice, objective, limit, shown: new Set(joined), offset: joined.length }));
        }
        const whole = pageOf({ ...choice, objective, limit: TOY_ITEMS });
        assert.deepEqual([...joined].sort(), [...whole].sort());
      },
    ),
  );
});

test('what is like the items of earlier pages moves down on later ones', () => {
  const call = {
    objective: 'any' as const,
    limit: 1,
    likeness: (item: number, other: number) => Number(item % 2 === other % 2),
  };
  const plain = pageOf({ ...call, limit: TOY_ITEMS });
  const alike = plain.findIndex((item, n) => n > 0 && item % 2 === plain[0] % 2);
  const shown = new Set(plain.slice(0, alike));
  const [next] = pageOf({ ...call, diversity: 0.9, shown: new Set([plain[0]]), offset: 1 });
  assert.notEqual(next % 2, plain[0] % 2);
  assert.equal(pageOf({ ...call, shown, offset: shown.size })[0], plain[alike]);
});
