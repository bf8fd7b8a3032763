import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EventTableBuilder } from '../dataset/event-table.ts';
import { buildInteractions } from '../dataset/interactions.ts';
import { IdTable } from '../domain/id-table.ts';
import { KernelMemory } from '../kernels/kernel-memory.ts';
import type { JudgeUsers } from '../scoring/blend.ts';
import { gatherJudges } from './judges.ts';

const memory = new KernelMemory();
const ITEMS = IdTable.from(['a', 'b', 'c', 'd', 'e', 'f']);
const RULES = { typeWeights: [1], valueShape: 'none' as const, valueUnit: 1, historyCap: 10, halfLifeMs: null };

function interactionsOf(users: readonly (readonly number[])[]) {
  const builder = new EventTableBuilder();
  for (const items of users) {
    builder.beginUser();
    for (const [ts, item] of items.entries()) builder.add(item, 0, 1, ts);
  }
  return buildInteractions(memory, builder.finish({ itemIds: ITEMS, typeNames: ['view'], targetType: 0 }), RULES);
}

function questions(judges: JudgeUsers): { history: number[]; wanted: number[] }[] {
  return Array.from({ length: judges.count }, (_, n) => ({
    history: [...judges.items.subarray(judges.offsets[n], judges.offsets[n + 1])],
    wanted: [...judges.targets.subarray(judges.targetOffsets[n], judges.targetOffsets[n + 1])],
  }));
}

const X = interactionsOf([
  [0, 1],
  [2, 3],
]);
const TARGETS = { offsets: Uint32Array.of(0, 2, 3), items: Uint32Array.of(4, 5, 4) };

test('asked together, a user is one judge with its history newest first', () => {
  assert.deepEqual(questions(gatherJudges(memory, X, TARGETS, [1, 0])), [
    { history: [3, 2], wanted: [4] },
    { history: [1, 0], wanted: [4, 5] },
  ]);
});

test('asked one by one, every held-out item is looked for after those before it, each user once first', () => {
  assert.deepEqual(questions(gatherJudges(memory, X, TARGETS, [0, 1], 'one by one')), [
    { history: [1, 0], wanted: [4] },
    { history: [3, 2], wanted: [4] },
    { history: [4, 1, 0], wanted: [5] },
  ]);
});

test('an item that comes back stands once in the history, at its newest place', () => {
  const back = { offsets: Uint32Array.of(0, 2, 2), items: Uint32Array.of(0, 5) };
  assert.deepEqual(questions(gatherJudges(memory, X, back, [0], 'one by one')).at(-1), {
    history: [0, 1],
    wanted: [5],
  });
});
