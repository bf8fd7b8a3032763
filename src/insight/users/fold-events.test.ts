import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { G1Model } from '../../artifact/g1-model.ts';
import { HistoryFolder } from '../../history/history-folder.ts';
import type { SignalEvent } from '../../history/user-signal.ts';
import { SeededRandom } from '../clustering/seeded-random.ts';
import { EventFolder, UNKNOWN_ITEM } from './fold-events.ts';
import { HistoryBatch } from './history-batch.ts';

const TYPES = ['buy', 'view', 'unknown'];
const WARM = 12;
const COLD = 3;

function model(valueWeighting: string): G1Model {
  const itemIds = Array.from({ length: WARM }, (_, item) => `i${item}`);
  return {
    itemIds,
    warmItemCount: WARM,
    targetEventType: 'buy',
    typeWeights: { buy: 1, view: 0.3 },
    historyCap: 6,
    settings: { value_weighting: valueWeighting, half_life_days: valueWeighting === 'log' ? 3 : null },
  } as unknown as G1Model;
}

test('folding in bulk gives the histories and seen items that folding one user gives', () => {
  const random = new SeededRandom(11);
  for (const weighting of ['log', 'none']) {
    const single = new HistoryFolder(model(weighting));
    // store numbers 0 … 11 are warm, then three cold items, then one that nobody knows
    const itemOf = Uint32Array.from({ length: WARM + COLD + 1 }, (_, item) =>
      item < WARM + COLD ? item : UNKNOWN_ITEM,
    );
    const numbers = { itemOf, typeWeight: Float64Array.of(1, 0.3, 0), targetType: 0 };
    const bulk = new EventFolder(numbers, { ...model(weighting), historyLimit: 10_000 }, COLD);
    const batch = new HistoryBatch(300, 10_000);
    for (let user = 0; user < 200; user++) {
      const stored: SignalEvent[] = [];
      const count = random.below(30);
      const block = {
        length: count,
        user: new Uint32Array(count),
        item: new Uint32Array(count),
        type: new Uint32Array(count),
        ts: new Float64Array(count),
        value: new Float64Array(count),
      };
      for (let at = 0; at < count; at++) {
        block.ts[at] = at * 86_400_000;
        block.item[at] = random.below(WARM + COLD + 1);
        block.type[at] = random.below(3);
        block.value[at] = [1, -1, 0, 5, 2][random.below(5)];
        stored.unshift({
          item_id: block.item[at] < WARM ? `i${block.item[at]}` : `other${block.item[at]}`,
          event_type: TYPES[block.type[at]],
          event_value: block.value[at],
          ts: block.ts[at],
        });
      }
      const seen = new Set<number>();
      const expected = single.fold(stored, (itemId, index) => {
        const item = index >= 0 ? index : Number(itemId.slice('other'.length));
        if (item < WARM + COLD) seen.add(item);
      });
      assert.equal(bulk.fold(block, 0, count, batch), expected.length);
      const [from, to] = [batch.offsets[user], batch.offsets[user + 1]];
      assert.deepEqual(batch.items.slice(from, to), expected.items.slice(0, expected.length));
      assert.deepEqual(batch.weights.slice(from, to), expected.weights.slice(0, expected.length));
      assert.deepEqual(batch.seen.slice(from, to), expected.seen.slice(0, expected.length));
      const marked = new Set(batch.items.slice(from, to).filter((_, n) => batch.seen[from + n] === 1));
      const extras = batch.extras.slice(batch.extraOffsets[user], batch.extraOffsets[user + 1]);
      assert.deepEqual(new Set([...marked, ...extras]), seen);
      assert.ok(extras.every((item) => !marked.has(item)));
    }
  }
});
