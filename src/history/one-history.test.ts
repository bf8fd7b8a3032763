// Training, serving, insight and `evaluate` must weigh the same events alike: one property over all of them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '../../test/support/fast-check.ts';
import type { G1Model } from '../artifact/g1-model.ts';
import { EventTableBuilder } from '../dataset/event-table.ts';
import { buildInteractions } from '../dataset/interactions.ts';
import { HistoryBatch } from '../insight/users/history-batch.ts';
import { KernelMemory } from '../kernels/kernel-memory.ts';
import { EventFolder, UNKNOWN_ITEM } from './fold-events.ts';
import { HistoryFolder } from './history-folder.ts';
import { historyRulesOf } from './history-rules.ts';
import type { SignalEvent } from './user-signal.ts';

const TYPES = ['buy', 'view', 'hover'];
const WARM = 8;
const COLD = 2;
const DAY = 86_400_000;

const event = fc.record({
  item: fc.integer({ min: 0, max: WARM - 1 }),
  type: fc.integer({ min: 0, max: 2 }),
  value: fc.constantFrom(1, 1, 5, 0.2, 1e30),
  afterMs: fc.constantFrom(0, 1000, DAY, 40 * DAY),
});
const rules = fc.record({
  value_weighting: fc.constantFrom('log', 'linear', 'relative', 'none'),
  value_unit: fc.constantFrom(1, 4),
  half_life_days: fc.constantFrom(null, 3, 30),
  historyCap: fc.constantFrom(2, 5, 100),
});

function modelWith({ historyCap, ...settings }: { historyCap: number; [name: string]: unknown }): G1Model {
  const itemIds = Array.from({ length: WARM }, (_, item) => `i${item}`);
  const typeWeights = { buy: 1, view: 0.3, hover: 0 };
  return {
    itemIds,
    warmItemCount: WARM,
    targetEventType: 'buy',
    typeWeights,
    historyCap,
    settings,
  } as unknown as G1Model;
}

const numbersOf = (itemOf: Uint32Array | null) => ({
  ...{ warmItemCount: WARM, itemOf, typeWeight: [1, 0.3, 0], targetType: 0 },
});

test('training, serving and insight make the same weighted history of the same events', () => {
  fc.assert(
    fc.property(fc.array(event, { minLength: 1, maxLength: 25 }), rules, (events, settings) => {
      const model = modelWith(settings);
      let ts = 1_700_000_000_000;
      const timed = events.map((one) => {
        ts += one.afterMs;
        return { ...one, ts };
      });
      const columns = {
        item: Uint32Array.from(timed, ({ item }) => item),
        type: Uint32Array.from(timed, ({ type }) => type),
        ts: Float64Array.from(timed, (one) => one.ts),
        value: Float64Array.from(timed, ({ value }) => value),
      };

      const stored: SignalEvent[] = timed
        .map((one) => ({
          ...{ item_id: `i${one.item}`, event_type: TYPES[one.type], event_value: one.value, ts: one.ts },
        }))
        .reverse();
      const served = new HistoryFolder(model).fold(stored);
      const servedEntries = Array.from({ length: served.length }, (_, n) => [
        ...[served.items[n], served.weights[n], served.seen[n]],
      ]);

      const batch = new HistoryBatch(1, 100);
      const folder = new EventFolder(historyRulesOf(model), numbersOf(null));
      const length = folder.fold({ columns, from: 0, to: events.length }, columns.ts.at(-1)!, batch, 0);
      const bulk = Array.from({ length }, (_, n) => [batch.items[n], batch.weights[n], batch.seen[n]]);
      assert.deepEqual(bulk, servedEntries);

      const builder = new EventTableBuilder();
      builder.beginUser();
      for (const one of timed) builder.add(one.item, one.type, one.value, one.ts);
      const table = builder.finish({ itemIds: model.itemIds, typeNames: TYPES, targetType: 0 });
      const x = buildInteractions(new KernelMemory(), table, { ...historyRulesOf(model), typeWeights: [1, 0.3, 0] });
      const trained = Array.from(x.items, (item, n) => [item, x.weights[n]]).reverse();
      assert.deepEqual(
        trained.map(([item]) => item),
        servedEntries.map(([item]) => item),
      );
      for (const [n, [, weight]] of trained.entries()) {
        // The table keeps values as 32-bit floats, and training counts weights in units of 2^−16 (dataset/fixed-point.ts).
        const tolerance = 2 ** -16 + 1e-5 * servedEntries[n][1];
        assert.ok(Math.abs(weight - servedEntries[n][1]) <= tolerance, `${weight} at ${n}`);
      }
    }),
    { numRuns: 300 },
  );
});

test('items that are not part of the history but had a target event are told apart from it', () => {
  const itemOf = Uint32Array.from({ length: WARM + COLD + 1 }, (_, item) => (item < WARM + COLD ? item : UNKNOWN_ITEM));
  const folder = new EventFolder(historyRulesOf(modelWith({ historyCap: 2 })), numbersOf(itemOf));
  const bought = [0, 1, 2, WARM, WARM + COLD, 3, 1];
  const values = [1, 1, 1, 1, 1, -1, 1];
  const columns = {
    item: Uint32Array.from(bought),
    type: new Uint32Array(bought.length),
    ts: new Float64Array(bought.length).fill(1),
    value: Float64Array.from(values),
  };
  const batch = new HistoryBatch(1, 100);
  const length = folder.fold({ columns, from: 0, to: bought.length }, 1, batch, 0);
  assert.deepEqual([...batch.items.subarray(0, length)], [1, 2], 'the newest two that count');
  assert.deepEqual(
    [...folder.others].sort(),
    [0, 3, WARM],
    'beyond the cap, disliked, cold; the unknown one is nowhere',
  );
});

test('a dislike that is newer than a view marks the item as seen', () => {
  const folder = new EventFolder(historyRulesOf(modelWith({ historyCap: 5 })), numbersOf(null));
  const columns = {
    item: Uint32Array.of(4, 4),
    type: Uint32Array.of(1, 0),
    ts: Float64Array.of(1, 2),
    value: Float64Array.of(1, -1),
  };
  const batch = new HistoryBatch(1, 100);
  assert.equal(folder.fold({ columns, from: 0, to: 2 }, 2, batch, 0), 1);
  assert.equal(batch.seen[0], 1);
  assert.equal(folder.others.length, 0);
});
