import assert from 'node:assert/strict';
import { test } from 'node:test';
import { IdTable } from '../base/id-table.ts';
import { EventTableBuilder } from '../dataset/event-table.ts';
import { KernelMemory } from '../kernels/kernel-memory.ts';
import { gatherJudges } from './judges.ts';

const memory = new KernelMemory();
const ITEMS = IdTable.from(['a', 'b', 'c', 'd', 'e', 'f']);
const RULES = { typeWeights: [1, 0], valueShape: 'log' as const, valueUnit: 1, historyCap: 2, halfLifeMs: null };

/** Each event is [item, type]. */
function judge(objective: 'discover' | 'any', events: readonly (readonly [number, number])[], end: number) {
  const builder = new EventTableBuilder();
  builder.beginUser();
  for (const [ts, [item, type]] of events.entries()) builder.add(item, type, 1, ts);
  const table = builder.finish({ itemIds: ITEMS, typeNames: ['buy', 'view'], targetType: 0 });
  const source = { table, rules: RULES, objective, gapMs: 0, hidden: null };
  const judges = gatherJudges(memory, source, [{ user: 0, end, targets: [5] }]);
  return {
    history: [...judges.items],
    marked: [...judges.seen],
    excluded: [...judges.excluded].sort(),
    targets: [...judges.targets],
  };
}

const EVENTS = [
  [0, 0],
  [1, 0],
  [4, 1],
  [2, 0],
  [5, 0],
] as const;

test('a history ends where its question is asked, newest first', () => {
  const { history, targets } = judge('any', EVENTS, 4);
  assert.deepEqual(history, [2, 1]);
  assert.deepEqual(targets, [5]);
});

test('to discover, nothing that was touched may be recommended: also what weighs nothing or is beyond the cap', () => {
  const { marked, excluded } = judge('discover', EVENTS, 4);
  assert.deepEqual(marked, [1, 1]);
  assert.deepEqual(excluded, [0, 4]);
});

test('where users come back to items, nothing is excluded', () => {
  const { marked, excluded } = judge('any', EVENTS, 4);
  assert.deepEqual(marked, [0, 0]);
  assert.deepEqual(excluded, []);
});

test('a user may have any number of targets', () => {
  const targets = Array.from({ length: 200_000 }, (_, item) => item);
  const builder = new EventTableBuilder();
  builder.beginUser();
  builder.add(0, 0, 1, 0);
  const table = builder.finish({ itemIds: ITEMS, typeNames: ['buy', 'view'], targetType: 0 });
  const source = { table, rules: RULES, objective: 'any', gapMs: 0, hidden: null } as const;
  const judges = gatherJudges(memory, source, [{ user: 0, end: 1, targets }]);
  assert.deepEqual(judges.targets, Uint32Array.from(targets));
});
