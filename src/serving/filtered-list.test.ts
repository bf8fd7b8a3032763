import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ItemBitmap } from '../catalog/item-set.ts';
import type { FoldedFilter } from '../domain/filter/compile-filter.ts';
import type { FilterSets } from './filter-sets.ts';
import { questionSets } from './filtered-list.ts';
import type { RankingModels } from './ranking-models.ts';

/** A catalog that changes during the first selections, and sets that tell of which filter and version they are. */
function stage(changes: number) {
  const catalog = { version: 1 };
  const seen = { selections: 0 };
  let left = changes;
  const filterSets = {
    select: async (accountId: string, _: unknown, { key }: FoldedFilter) => {
      assert.equal(accountId, 'acc_1');
      seen.selections++;
      const set = `${key} of ${catalog.version}`;
      await new Promise(setImmediate);
      if (key === 'first' && left-- > 0) catalog.version++;
      return set as unknown as ItemBitmap;
    },
  };
  const models = { project: { account_id: 'acc_1' }, generator: { catalog } } as unknown as RankingModels;
  const filterOf = (key: string) => ({ key }) as FoldedFilter;
  const sets = (filter: string | null, boosts: string[]) =>
    questionSets(filterSets as unknown as FilterSets, models, {
      filter: filter === null ? null : filterOf(filter),
      boosts: boosts.map((key, n) => ({ factor: n + 2, filter: filterOf(key) })),
    });
  return { sets, seen };
}

test('a question without filters selects nothing', async () => {
  const { sets, seen } = stage(0);
  assert.deepEqual(await sets(null, []), { allow: null, boosts: [] });
  assert.equal(seen.selections, 0);
});

test('the filter and the boosts of a question have the items of their own filters', async () => {
  const { sets, seen } = stage(0);
  assert.deepEqual(await sets('first', ['b', 'c']), {
    allow: 'first of 1',
    boosts: [
      { items: 'b of 1', factor: 2 },
      { items: 'c of 1', factor: 3 },
    ],
  });
  assert.equal(seen.selections, 3, 'each once');
  assert.deepEqual(await sets(null, ['b']), { allow: null, boosts: [{ items: 'b of 1', factor: 2 }] });
});

test('sets of one question are of the same moment: a change of the catalog selects them again', async () => {
  const { sets, seen } = stage(1);
  const { allow, boosts } = await sets('first', ['b']);
  assert.deepEqual([allow, boosts[0].items], ['first of 2', 'b of 2']);
  assert.equal(seen.selections, 4);
});

test('a catalog that changes all the time is not followed forever, and one set needs no second look', async () => {
  const busy = stage(100);
  await busy.sets('first', ['b']);
  assert.equal(busy.seen.selections, 6, 'three times both');
  const single = stage(100);
  await single.sets('first', []);
  assert.equal(single.seen.selections, 1);
});
