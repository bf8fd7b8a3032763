import assert from 'node:assert/strict';
import { test } from 'node:test';
import { objectiveRulesOf } from './objective-rules.ts';
import { withSession } from './session-events.ts';
import type { SignalEvent } from './user-signal.ts';

const NOW = 1_800_000_000_000;
const HOUR = 3_600_000;
const rules = objectiveRulesOf({
  targetEventType: 'buy',
  typeWeights: { buy: 1, view: 1, cart: 2 },
  repeats: { rate: 0, recommendSeen: false },
});
const options = { rules, nowMs: NOW, itemOf: (id: string) => Number(id.slice(1)) };
const stored = (item_id: string, ts: number): SignalEvent => ({ item_id, event_type: 'buy', event_value: 1, ts });
const itemsOf = (events: readonly SignalEvent[]) => events.map(({ item_id }) => item_id);

test('events of a call are the newest, whatever their times are compared with stored ones', () => {
  const events = withSession(
    [stored('i1', NOW), stored('i2', NOW - HOUR)],
    [{ item_id: 'i3', ts: NOW - 2 * HOUR }, { item_id: 'i4' }],
    options,
  );
  assert.deepEqual(itemsOf(events), ['i4', 'i3', 'i1', 'i2']);
});

test('times in the future count as now', () => {
  const events = withSession(
    [stored('i1', NOW + HOUR), stored('i2', NOW)],
    [{ item_id: 'i3' }, { item_id: 'i4', ts: NOW + 2 * HOUR }],
    options,
  );
  assert.deepEqual(itemsOf(events), ['i4', 'i3', 'i1', 'i2']);
  assert.ok(events.every(({ ts }) => ts === NOW));
});

test('alone they keep their times, and what is left out is a view of now', () => {
  const events = withSession(
    [],
    [{ item_id: 'i3', ts: NOW - HOUR, event_type: 'cart', event_value: 2 }, { item_id: 'i4' }],
    options,
  );
  assert.deepEqual(events, [
    { item_id: 'i4', item: 4, event_type: 'view', event_value: 1, ts: NOW },
    { item_id: 'i3', item: 3, event_type: 'cart', event_value: 2, ts: NOW - HOUR },
  ]);
});
