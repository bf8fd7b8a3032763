import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildInteractions } from '../../test/support/build-interactions.ts';
import { fc } from '../../test/support/fast-check.ts';
import { timeScaleOf } from '../history/visits.ts';
import { KernelMemory } from '../kernels/kernel-memory.ts';
import { type EventTable, EventTableBuilder } from './event-table.ts';
import { type InteractionRules, interactionBytes } from './interactions.ts';

/** [item, type, value, ts] by user; type 0 is the target. */
function tableOf(users: readonly (readonly [number, number, number, number])[][], itemCount = 10): EventTable {
  const builder = new EventTableBuilder();
  for (const events of users) {
    builder.beginUser();
    for (const [item, type, value, ts] of events) builder.add(item, type, value, ts);
  }
  const itemIds = Array.from({ length: itemCount }, (_, item) => `i${item}`);
  return builder.finish({ itemIds, typeNames: ['buy', 'view'], targetType: 0 });
}

const RULES: InteractionRules = {
  typeWeights: [1, 0.5],
  valueShape: 'log',
  valueUnit: 1,
  historyCap: 100,
  halfLifeMs: null,
};

test('an item appears once, at the position of its newest event, with the weight of all its events', () => {
  const table = tableOf([
    [
      [1, 0, 1, 1],
      [2, 1, 2, 2],
      [1, 0, 2, 3],
    ],
  ]);
  const x = buildInteractions(new KernelMemory(), table, RULES);
  assert.deepEqual([...x.items], [2, 1]);
  assert.deepEqual([...x.weights], [Math.log2(2), Math.log2(4)]);
  assert.deepEqual([...x.entries], [1, 0]);
  assert.deepEqual([...x.itemOffsets].slice(0, 4), [0, 0, 1, 2]);
});

test('the history cap keeps the newest items, and hidden events, types without weight and other users are left out', () => {
  const many = Array.from({ length: 8 }, (_, n) => [n, 0, 1, n] as const);
  const table = tableOf([[...many], [[9, 1, 1, 0]], [[3, 0, 1, 0]]]);
  const capped = buildInteractions(new KernelMemory(), table, { ...RULES, historyCap: 3, typeWeights: [1, 0] });
  assert.deepEqual([...capped.items], [5, 6, 7, 3]);
  assert.deepEqual([...capped.userOffsets], [0, 3, 3, 4]);
  const hidden = new Uint8Array(table.length);
  hidden.fill(1, 4);
  const users = Uint32Array.from([2, 0]);
  const part = buildInteractions(new KernelMemory(), table, RULES, { hidden, users });
  assert.deepEqual([...part.items], [0, 1, 2, 3]);
  assert.deepEqual([...part.userOffsets], [0, 0, 4]);
});

test('the memory a matrix takes is known before it is taken', () => {
  const table = tableOf([Array.from({ length: 8 }, (_, n) => [n, 0, 1, n] as const)]);
  const memory = new KernelMemory();
  const before = memory.mark();
  buildInteractions(memory, table, RULES);
  assert.ok(memory.mark() - before <= interactionBytes(1, 10, 8));
});

test('events without a positive value leave no trace, and a user with nothing else leaves no row', () => {
  const table = tableOf([[[1, 0, 0, 1]], [[2, 0, -1, 1]], [[3, 0, Number.NaN, 1]], [[4, 0, 5, 1]]]);
  assert.equal(table.userCount, 1);
  assert.deepEqual([...table.item], [4]);
});

test('whatever events say, an entry weighs something finite: kernels get no zero, no NaN and no infinity', () => {
  const value = fc.oneof(fc.double(), fc.constantFrom(Number.MIN_VALUE, 1e-30, 1, 1e6, Number.MAX_VALUE));
  const ts = fc.oneof(fc.integer({ min: 0, max: 1000 }), fc.constantFrom(0, 8.64e15));
  const event = fc.tuple(fc.nat(9), fc.nat(1), value, ts);
  const rules = fc.record({
    typeWeights: fc.tuple(fc.constant(1), fc.constantFrom(0, 1e-9, 1)),
    valueShape: fc.constantFrom('log' as const, 'linear' as const, 'relative' as const),
    valueUnit: fc.constantFrom(1, 1e-3, 1e5),
    historyCap: fc.constantFrom(1, 3, 100),
    halfLifeMs: fc.constantFrom(null, 864_000, 1e12),
  });
  fc.assert(
    fc.property(fc.array(fc.array(event, { maxLength: 30 }), { maxLength: 6 }), rules, (users, how) => {
      const x = buildInteractions(new KernelMemory(1 << 20), tableOf(users), how);
      for (const weight of x.weights) assert.ok(weight >= Math.fround(1e-6) && weight <= 64, `${weight}`);
    }),
    { numRuns: 200 },
  );
});

test('order is seen only where times differ', () => {
  const scale = (...events: [number, number, number, number][]) => {
    const table = tableOf([events]);
    return timeScaleOf(table.ts, table.userOffsets);
  };
  assert.equal(scale([1, 0, 1, 0], [1, 0, 1, 0], [2, 0, 1, 0]), 'set');
  assert.equal(scale([1, 0, 1, 0], [2, 0, 1, 1]), 'order');
});
