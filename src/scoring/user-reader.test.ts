import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toyModel } from '../../test/support/toy-model.ts';
import { atOnce } from '../base/steps.ts';
import { Catalog } from '../catalog/catalog.ts';
import type { SignalEvent } from '../history/user-signal.ts';
import { createScorer } from './create-scorer.ts';
import { ScoreTerms } from './score-terms.ts';
import { UserReader } from './user-reader.ts';
import { itemNumberSteps } from './warm-items.ts';

test('every item with a target event is seen: whatever its value, beyond the cap, new to the model', () => {
  const model = toyModel(
    ['a', 'b', 'c', 'd'].map((item, n) => ({ user: `u${n}`, item })),
    { historyCap: 2, typeWeights: { buy: 1, view: 0.5 } },
  );
  const catalog = new Catalog('items');
  const itemOfWarm = atOnce(itemNumberSteps(model, catalog));
  catalog.put('new', {});
  const reader = new UserReader(model, catalog, itemOfWarm, new ScoreTerms(model, createScorer(model)));
  const event = (item_id: string, event_type = 'buy', event_value = 1): SignalEvent => ({
    item_id,
    event_type,
    event_value,
    ts: 1,
  });
  const history = [event('a'), event('a'), event('b', 'buy', -1), event('c', 'view'), event('d', 'buy', Number.NaN)];
  const seen = reader.seenBy({ history: [...history, event('new'), event('nowhere')], attributes: {} });
  assert.deepEqual([...seen].map((item) => catalog.itemId(item)).sort(), ['a', 'b', 'd', 'new']);
});
