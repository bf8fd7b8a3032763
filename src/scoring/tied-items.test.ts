// New items with equal scores come in the same order on every node, whenever each node learned of them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { catalogOf, checkerboard, signal } from '../../test/support/checkerboard.ts';
import { parseFilter } from '../../test/support/parse-filter.ts';
import { toyModel } from '../../test/support/toy-model.ts';
import { createScorer } from './create-scorer.ts';
import { G1Recommender } from './g1-recommender.ts';

/** Half of the new items are like the even ones of the board, and half like none. */
const NEW_ITEMS = Array.from({ length: 60 }, (_, n) => `new-${n}`);

async function nodeWith(newItems: readonly string[]): Promise<G1Recommender> {
  const board = checkerboard();
  const model = toyModel(board);
  const [walk] = model.experts;
  assert.ok(walk.kind === 'item-to-item');
  const recommender = new G1Recommender(
    { ...model, relations: { similar: walk.rows } },
    catalogOf(board),
    createScorer,
  );
  await recommender.settle();
  for (const id of newItems) {
    recommender.catalog.put(id, Number(id.slice(4)) % 2 === 0 ? { side: 'even', tags: ['t1'] } : { color: 'green' });
    await recommender.settle();
  }
  return recommender;
}

for (const filter of [null, "color = 'green'", "side = 'even'"]) {
  test(`lists of two nodes are the same, ${filter === null ? 'without a filter' : `with ${filter}`}`, async () => {
    const nodes = [await nodeWith(NEW_ITEMS), await nodeWith(NEW_ITEMS.toReversed())];
    for (const limit of [10, 40, 200]) {
      for (const boosted of [null, "tags = 't1'"]) {
        const [one, other] = nodes.map((node) => {
          const { catalog } = node;
          const search = {
            limit,
            allow: filter === null ? node.listed() : catalog.select(parseFilter(filter)),
            boosts: boosted === null ? [] : [{ items: catalog.select(parseFilter(boosted)), factor: 3 }],
          };
          const from = { ...search, items: [catalog.indexOf('i2')], relation: 'similar' } as const;
          const lists = [
            node.top(signal(['i2', 'i4']), search),
            node.top(signal([]), search),
            node.related(from),
            node.related({ ...from, user: signal(['i2', 'i4']) }),
          ];
          return lists.map(({ items }) => items.map(({ item_id, score }) => [item_id, score]));
        });
        assert.deepEqual(one, other);
        const isNew = ([id]: (string | number)[]) => String(id).startsWith('new');
        if (limit === 200) for (const list of one) assert.ok(list.filter(isNew).length >= 30);
      }
    }
  });
}
