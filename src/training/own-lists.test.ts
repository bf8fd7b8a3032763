import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS } from '../base/durations.ts';
import { EventTableBuilder } from '../dataset/event-table.ts';
import type { ObjectiveRules } from '../history/objective-rules.ts';
import { ndcgsOf } from './evaluate.ts';
import { askOwn } from './own-lists.ts';

const START = 1_700_000_000_000;
const RULES: ObjectiveRules = {
  targetEventType: 'buy',
  auto: 'any',
  touchStrengths: {},
  visitGapMs: 30 * 60_000,
  againHalfLifeDays: 90,
};

/** A user who took items 0 to 3 in one visit, and item 4 ten days earlier. */
function table() {
  const builder = new EventTableBuilder();
  builder.beginUser();
  builder.add(4, 0, 1, START - 10 * DAY_MS);
  for (let item = 0; item < 4; item++) builder.add(item, 0, 1, START);
  return builder.finish({ itemIds: ['a', 'b', 'c', 'd', 'e'], typeNames: ['buy'], targetType: 0 });
}

const listOf = (popularity: number[]) => {
  const question = { user: 0, end: 5, targets: [2], nowMs: START + DAY_MS };
  return askOwn({ table: table(), rules: RULES, popularity, limit: 5 }, 'again', [question]);
};

test('of items taken in the same visit, the more popular comes first', () => {
  const { asked, lists } = listOf([0.2, 0.5, 0.9, 0.1, 1]);
  assert.deepEqual([...lists.objective.items], [2, 1, 0, 3, 4], 'what was taken earlier comes after them');
  assert.deepEqual([...ndcgsOf(lists.objective, asked, 5)], [1]);
});

test('items that nothing tells apart share their mean rank', () => {
  const { asked, lists } = listOf([0.5, 0.5, 0.5, 0.5, 1]);
  assert.deepEqual([...ndcgsOf(lists.objective, asked, 5)], [1 / Math.log2(3.5)]);
});

test('a user may turn to any number of items', () => {
  const targets = Array.from({ length: 150_000 }, (_, item) => item);
  const builder = new EventTableBuilder();
  builder.beginUser();
  for (const item of targets) builder.add(item, 0, 1, START);
  const table = builder.finish({ itemIds: [], itemCount: targets.length, typeNames: ['buy'], targetType: 0 });
  const question = { user: 0, end: table.length, targets, nowMs: START + DAY_MS };
  const { asked } = askOwn({ table, rules: RULES, popularity: [], limit: 5 }, 'again', [question]);
  assert.deepEqual(asked.targets, Uint32Array.from(targets));
});
