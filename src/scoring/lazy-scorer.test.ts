import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toyModel } from '../../test/support/toy-model.ts';
import { Catalog } from '../catalog/catalog.ts';
import { G1Recommender } from './g1-recommender.ts';
import { createLazyScorer } from './lazy-scorer.ts';
import type { Scorer } from './scorer.ts';

test('a recommender with a lazy scorer takes no memory for it until it is asked', async () => {
  const model = toyModel([
    { user: 'u', item: 'a' },
    { user: 'u', item: 'b' },
    { user: 'v', item: 'b' },
  ]);
  const catalog = new Catalog('items');
  for (const id of ['a', 'b', 'cold']) catalog.put(id, { genre: 'drama' });
  let scorer: Scorer | undefined;
  const recommender = new G1Recommender(model, catalog, (given) => {
    scorer = createLazyScorer(given);
    return scorer;
  });
  await recommender.settle();
  recommender.itemLayout.coldItems.follow(1);
  assert.equal(scorer!.memoryBytes(), 0);
  const history = [{ item_id: 'a', event_type: model.targetEventType, event_value: 1, ts: 1 }];
  recommender.top({ history, attributes: {} }, { limit: 1 });
  assert.ok(scorer!.memoryBytes() > 0);
});
