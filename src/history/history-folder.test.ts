import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toyModel } from '../../test/support/toy-model.ts';
import { HistoryFolder, type HistoryModel } from './history-folder.ts';
import type { SignalEvent } from './user-signal.ts';

const MODEL = toyModel(
  ['a', 'b', 'c', 'd'].map((item, n) => ({ user: `u${n}`, item })),
  { historyCap: 3, typeWeights: { buy: 1, view: 0.5, hover: 0 } },
);

function event(item_id: string, event_type = 'buy', event_value = 1, ts = 1): SignalEvent {
  return { item_id, event_type, event_value, ts };
}

function fold(events: readonly SignalEvent[], model: HistoryModel = MODEL) {
  const { length, items, weights, seen } = new HistoryFolder(model).fold(events);
  return [...items.slice(0, length)].map((item, n) => [MODEL.itemIds.at(item), weights[n], seen[n]]);
}

test('distinct items come newest first, with the weight of their events together', () => {
  const entries = fold([event('b', 'view'), event('a'), event('b', 'view', 2), event('a', 'view', 4)]);
  assert.deepEqual(entries, [
    ['b', Math.fround(Math.log2(2.5)), 0],
    ['a', 2, 1],
  ]);
});

test('types without weight, unknown types and unknown items are passed over', () => {
  const entries = fold([event('a', 'hover'), event('b', 'what'), event('zzz'), event('c', 'view')]);
  assert.deepEqual(entries, [['c', Math.fround(Math.log2(1.5)), 0]]);
});

test('a value that is no positive signal brings no item into the history', () => {
  for (const value of [0, -5, Number.NaN]) assert.deepEqual(fold([event('a', 'buy', value)]), []);
});

test('values count by their logarithm and never without bound', () => {
  assert.deepEqual(fold([event('a', 'buy', 3), event('b', 'view', 6), event('c', 'buy', 1e300)]), [
    ['a', 2, 1],
    ['b', 2, 0],
    ['c', Math.fround(Math.log2(1 + 1e6)), 1],
  ]);
  const plain = { ...MODEL, settings: { value_weighting: 'none' } };
  assert.deepEqual(fold([event('a', 'buy', 3)], plain), [['a', 1, 1]]);
});

test('old events count less when the model has a half-life', () => {
  const day = 86_400_000;
  const model = { ...MODEL, settings: { half_life_days: 2 } };
  const entries = fold(
    [event('a', 'buy', 3, 100 * day), event('b', 'buy', 6, 98 * day), event('c', 'buy', 1, 0)],
    model,
  );
  assert.deepEqual(entries.slice(0, 2), [
    ['a', 2, 1],
    ['b', 2, 1],
  ]);
  assert.ok(Number(entries[2][1]) > 0 && Number(entries[2][1]) < 1e-5);
});

test('an event in the future counts as now and leaves others their age', () => {
  const day = 86_400_000;
  const model = { ...MODEL, settings: { half_life_days: 2 } };
  const weightsAt = (ts: number) => {
    const events = [event('a', 'buy', 3, ts), event('b', 'buy', 6, 98 * day)];
    return [...new HistoryFolder(model).fold(events, 100 * day).weights.subarray(0, 2)];
  };
  assert.deepEqual(weightsAt(500 * day), weightsAt(100 * day));
});

test('only the newest distinct items up to the cap count', () => {
  const entries = fold([event('a'), event('a'), event('b'), event('c'), event('d')]);
  assert.deepEqual(
    entries.map(([id]) => id),
    ['a', 'b', 'c'],
  );
});

test('a folder forgets the last user', () => {
  const folder = new HistoryFolder(MODEL);
  folder.fold([event('a'), event('b')]);
  assert.equal(folder.fold([event('b')]).length, 1);
  assert.equal(folder.fold([]).length, 0);
});

test('the store’s numbers of items lead to the same history as their ids', () => {
  const folder = new HistoryFolder(MODEL);
  const numbered = (item_id: string, item_no: number) => ({ ...event(item_id), item_no });
  const entriesOf = (events: readonly SignalEvent[]) => {
    const { length, items } = folder.fold(events);
    return { items: [...items.slice(0, length)], indices: events.map((one) => folder.indexOf(one)) };
  };
  const plain = entriesOf([event('c'), event('zzz'), event('a'), event('c')]);
  // Twice: the second time from what was remembered of the first.
  for (let turn = 0; turn < 2; turn++) {
    const events = [numbered('c', 5000), numbered('zzz', 7), numbered('a', 0), numbered('c', 5000)];
    assert.deepEqual(entriesOf(events), plain);
  }
});

test('numbers of the catalog lead to the same history as ids', () => {
  const catalog = ['d', 'c', 'new', 'b', 'a'];
  const indexOfItem = (item: number) => MODEL.itemIds.indexOf(catalog[item]);
  const numbered = (item_id: string) => ({ ...event(item_id), item: catalog.indexOf(item_id) });
  const ids = ['c', 'zzz', 'new', 'a', 'c'];
  assert.deepEqual(fold(ids.map(numbered), { ...MODEL, indexOfItem }), fold(ids.map((id) => event(id))));
});
