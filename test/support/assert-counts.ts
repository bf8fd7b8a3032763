import assert from 'node:assert/strict';
import type { Dataset } from '../../src/domain/dataset.ts';
import { windowBefore, windowBeforeWindow } from '../../src/store/event-window.ts';
import type { Store } from '../../src/store/store.ts';
import { collect, scanAll } from './store-fixtures.ts';

const TYPES = ['view', 'buy', null];

/** Holds what the counts say against the events. */
export async function assertCounts(store: Store, dataset: Dataset, nowMs = Date.now()): Promise<number> {
  const events = await scanAll(store, dataset);
  const itemIds = await collect(store.events.internedIds(dataset.dataset_id, 'item'));
  const windows = [1, 2, 5, 24, 26, 100, 720].map((hours) => windowBefore(nowMs, hours));
  windows.push(windowBeforeWindow(windows[0], 24), windowBeforeWindow(windows[3], 168));
  const typeIds = await collect(store.events.internedIds(dataset.dataset_id, 'type'));
  let counted = 0;
  for (const window of windows) {
    const ofTypes: Record<string, number> = {};
    for (const { ts, event_type, event_value } of events) {
      const minute = Math.floor(ts / 60_000);
      const isMeant = event_value > 0 && minute >= window.from && minute < window.to;
      if (isMeant) ofTypes[event_type] = (ofTypes[event_type] ?? 0) + 1;
    }
    const types = await store.events.typeCounts(dataset.dataset_id, window);
    assert.deepEqual(Object.fromEntries(Array.from(types, ([type, count]) => [typeIds[type], count])), ofTypes);
    for (const type of TYPES) {
      const expected: Record<string, number> = {};
      for (const { ts, item_id, event_type, event_value } of events) {
        const minute = Math.floor(ts / 60_000);
        const isMeant = event_value > 0 && (type === null || type === event_type);
        if (isMeant && minute >= window.from && minute < window.to) expected[item_id] = (expected[item_id] ?? 0) + 1;
      }
      const found = await store.events.itemCounts(dataset.dataset_id, window, type);
      const byId = Object.fromEntries(Array.from(found, ([item, count]) => [itemIds[item], count]));
      assert.deepEqual(byId, expected, `${type} from ${window.from} to ${window.to}`);
      counted += found.size;
    }
  }
  return counted;
}
