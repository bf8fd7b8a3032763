import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ObjectiveRules, objectiveRulesOf, touchStrengths } from './objective-rules.ts';
import { NEVER, type Touch, touchesOf } from './touches.ts';
import type { SignalEvent } from './user-signal.ts';

const NOW = 1_800_000_000_000;
const DAY = 86_400_000;
const MINUTE = 60_000;
const RULES: ObjectiveRules = {
  targetEventType: 'buy',
  auto: 'discover',
  touchStrengths: { view: 1, cart: 4 },
  visitGapMs: 30 * MINUTE,
  againHalfLifeDays: 90,
};

type Did = [type: string, agoMs: number, value?: number];

/** The touch of item 1 by these events (which include others, to make visits), in any order. */
function touchOf(did: readonly Did[], rules = RULES): Touch {
  return foldOf(
    did.map((event) => [1, ...event]),
    rules,
  ).get(1)!;
}

function foldOf(did: readonly [item: number, ...Did][], rules = RULES): Map<number, Touch> {
  const events = did.map(
    ([item, event_type, agoMs, event_value = 1]): SignalEvent => ({
      item_id: String(item),
      event_type,
      event_value,
      ts: NOW - agoMs,
    }),
  );
  return touchesOf(
    events.sort((a, b) => b.ts - a.ts),
    { rules, nowMs: NOW, itemOf: ({ item_id }) => Number(item_id) },
  );
}

test('an event of any type is a touch, also one the model never saw', () => {
  const touch = touchOf([['wink', 5 * DAY]]);
  assert.equal(touch.otherTs, NOW - 5 * DAY);
  assert.equal(touch.targetTs, NEVER);
});

test('what was done since the last purchase is open, what was done before is not', () => {
  const touch = touchOf([
    ['view', 9 * DAY],
    ['cart', 8 * DAY],
    ['buy', 7 * DAY],
    ['view', 2 * DAY],
    ['cart', 1 * DAY],
  ]);
  assert.deepEqual([touch.openStrength, touch.openCount, touch.openTs], [5, 2, NOW - DAY]);
  assert.equal(touch.openType, 'cart');
  assert.equal(
    touchOf([
      ['view', 2 * DAY],
      ['buy', DAY],
    ]).openStrength,
    0,
  );
});

test('equal times are a set: a view at the time of the purchase is not after it, however they were written', () => {
  for (const did of [
    [
      ['view', DAY],
      ['buy', DAY],
    ],
    [
      ['buy', DAY],
      ['view', DAY],
    ],
  ] as Did[][]) {
    assert.equal(touchOf(did).openStrength, 0);
  }
  const later = touchOf([
    ['view', DAY],
    ['buy', 2 * DAY],
    ['view', 2 * DAY],
  ]);
  assert.equal(later.openStrength, 1);
});

test('purchases of one visit count once, a longer pause begins another visit', () => {
  const twice = touchOf([
    ['buy', 10 * MINUTE],
    ['buy', 0],
  ]);
  assert.equal(twice.visits, 1);
  const visits = foldOf([
    [1, 'buy', 3 * DAY],
    [2, 'view', 3 * DAY - 20 * MINUTE],
    [1, 'buy', 3 * DAY - 40 * MINUTE],
    [1, 'buy', 90 * DAY],
  ]).get(1)!;
  assert.equal(visits.visits, 2, 'the view between keeps the visit together');
  assert.ok(Math.abs(visits.againScore - (2 ** (-(3 * DAY - 40 * MINUTE) / (90 * DAY)) + 0.5)) < 1e-9);
  assert.equal(
    touchOf(
      [
        ['buy', 1],
        ['buy', 2],
      ],
      { ...RULES, visitGapMs: 0 },
    ).visits,
    2,
  );
});

test('views never make an item one to have again', () => {
  assert.equal(
    touchOf([
      ['view', DAY],
      ['cart', DAY],
    ]).visits,
    0,
  );
});

test('the newest value below 0 is a dislike until a newer positive event, and 0 says nothing', () => {
  const dislikedBy = (...did: Did[]) => touchOf(did).disliked;
  assert.equal(dislikedBy(['view', DAY, -1]), true);
  assert.equal(dislikedBy(['buy', 2 * DAY], ['view', DAY, -3]), true);
  assert.equal(dislikedBy(['view', 2 * DAY, -1], ['view', DAY, 1]), false);
  assert.equal(dislikedBy(['view', 2 * DAY, -1], ['view', DAY, 0]), true);
  assert.equal(dislikedBy(['view', DAY, 0]), false);
});

test('a value that is not above 0 is a touch, and neither open nor a reason to come back', () => {
  const touch = touchOf([
    ['view', DAY, 0],
    ['buy', 2 * DAY, 0],
  ]);
  assert.deepEqual([touch.openStrength, touch.visits], [0, 0]);
  assert.equal(touch.targetTs, NOW - 2 * DAY);
});

test('a time in the future counts as now, and the largest values stay finite', () => {
  const touch = touchOf([
    ['buy', -500 * DAY, 1e30],
    ['buy', -400 * DAY, 1e30],
  ]);
  assert.equal(touch.againScore, 2);
});

test('events of items nobody knows touch nothing but end no visit', () => {
  const touches = foldOf([
    [-1, 'view', DAY],
    [1, 'view', DAY],
  ]);
  assert.deepEqual([...touches.keys()], [1]);
});

test('the most frequent type besides the target is the view, the others are stronger', () => {
  const counts = { view: 900, buy: 5000, cart: 80, wish: 3 };
  assert.deepEqual(touchStrengths(counts, 'buy'), { view: 1, cart: 4, wish: 4 });
  assert.deepEqual(touchStrengths({ buy: 3 }, 'buy'), {});
});

test('a model of the first release has rules by its repeats and type weights', () => {
  const old = { targetEventType: 'buy', typeWeights: { buy: 1, view: 0.1, cart: 0.3 } };
  const rules = objectiveRulesOf({ ...old, repeats: { rate: 0.4, recommendSeen: true } });
  assert.equal(rules.auto, 'any');
  assert.deepEqual(rules.touchStrengths, { view: 1, cart: 4 });
  assert.equal(objectiveRulesOf({ ...old, repeats: { rate: 0, recommendSeen: false } }).auto, 'discover');
});
