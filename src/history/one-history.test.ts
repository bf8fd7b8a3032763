// Training, serving, insight and `evaluate` must weigh the same events alike: one property over all of them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildInteractions } from '../../test/support/build-interactions.ts';
import { fc } from '../../test/support/fast-check.ts';
import type { G1Model } from '../artifact/g1-model.ts';
import { type EventTable, EventTableBuilder } from '../dataset/event-table.ts';
import type { InteractionRules } from '../dataset/interactions.ts';
import type { Question } from '../dataset/questions.ts';
import { eventNumbers } from '../insight/users/event-numbers.ts';
import { HistoryBatch } from '../insight/users/history-batch.ts';
import { UserScan } from '../insight/users/scan-users.ts';
import { KernelMemory } from '../kernels/kernel-memory.ts';
import type { UserRange } from '../pieces/user-range.ts';
import type { EventStore, InternedKind } from '../store/event-store.ts';
import type { RecordStore } from '../store/record-store.ts';
import { gatherJudges, type Judges } from '../training/judges.ts';
import { EventFolder, type FoldedArrays, OWN_NUMBERS, typeWeights, UNKNOWN_ITEM } from './fold-events.ts';
import { HistoryFolder } from './history-folder.ts';
import { historyRulesOf } from './history-rules.ts';
import type { ScoringHistory, SignalEvent } from './user-signal.ts';

const TYPES = ['buy', 'view', 'hover'];
const TYPE_WEIGHTS = { buy: 1, view: 0.3, hover: 0 };
const WARM = 8;
const COLD = 2;
const DAY = 86_400_000;

const event = fc.record({
  item: fc.integer({ min: 0, max: WARM + COLD - 1 }),
  type: fc.integer({ min: 0, max: 2 }),
  value: fc.constantFrom(1, 1, 5, 0.2, 1e30, 0, -1),
  afterMs: fc.constantFrom(0, 1000, 0.7 * DAY, DAY, 40 * DAY),
});
const rules = fc.record({
  value_weighting: fc.constantFrom('log', 'linear', 'relative', 'none'),
  value_unit: fc.constantFrom(1, 4),
  half_life_days: fc.constantFrom(null, 3, 30),
  historyCap: fc.constantFrom(2, 5, 100),
});

function modelWith({ historyCap, ...settings }: { historyCap: number; [name: string]: unknown }): G1Model {
  const itemIds = Array.from({ length: WARM }, (_, item) => `i${item}`);
  return {
    itemIds,
    warmItemCount: WARM,
    targetEventType: 'buy',
    typeWeights: TYPE_WEIGHTS,
    historyCap,
    settings,
    objectives: { auto: 'any', visitGapMs: DAY },
  } as unknown as G1Model;
}

const numbersOf = (itemOf: Uint32Array | null) => ({
  warmItemCount: WARM,
  itemOf,
  ...typeWeights(TYPES, TYPE_WEIGHTS),
  targetType: 0,
});

type Entry = [item: number, weight: number, seen: number];

function entriesOf({ items, weights, seen }: FoldedArrays, length: number): Entry[] {
  return Array.from({ length }, (_, n) => [items[n], weights[n], seen[n]]);
}

interface TimedEvent {
  item: number;
  type: number;
  value: number;
  ts: number;
}

function timedOf(events: readonly (Omit<TimedEvent, 'ts'> & { afterMs: number })[]): TimedEvent[] {
  let ts = 1_700_000_000_000;
  return events.map(({ afterMs, ...one }) => {
    ts += afterMs;
    return { ...one, ts };
  });
}

function served(model: G1Model, events: readonly TimedEvent[]): ScoringHistory {
  const stored: SignalEvent[] = events
    .map(({ item, type, value, ts }) => ({ item_id: `i${item}`, event_type: TYPES[type], event_value: value, ts }))
    .reverse();
  return new HistoryFolder(model).fold(stored);
}

function servedHistory(model: G1Model, events: readonly TimedEvent[]): Entry[] {
  const history = served(model, events);
  return entriesOf(history, history.length);
}

function columnsOf(events: readonly TimedEvent[]) {
  return {
    user: new Uint32Array(events.length),
    item: Uint32Array.from(events, ({ item }) => item),
    type: Uint32Array.from(events, ({ type }) => type),
    ts: Float64Array.from(events, ({ ts }) => ts),
    value: Float64Array.from(events, ({ value }) => value),
  };
}

const STORED_ITEMS = Array.from({ length: WARM + COLD }, (_, item) => `i${item}`);

function historyOfJobs(model: G1Model, events: readonly TimedEvent[]): Entry[] {
  const run = { columns: columnsOf(events), from: 0, to: events.length };
  const history = new HistoryFolder(model).foldStored(run, { items: STORED_ITEMS, types: TYPES });
  return entriesOf(history, history.length);
}

async function historyOfInsight(model: G1Model, events: readonly TimedEvent[]): Promise<Entry[]> {
  const names = { item: STORED_ITEMS, type: TYPES, user: ['u'] };
  const stored = {
    async *internedIds(_: string, kind: InternedKind) {
      yield names[kind];
    },
    internedCount: async (_: string, kind: InternedKind) => names[kind].length,
  } as unknown as EventStore;
  const scan = new UserScan({
    events: stored,
    numbers: await eventNumbers({ events: stored, eventDatasetId: 'e', model, coldIndexOf: () => -1 }),
    blocks: (async function* () {
      yield { length: events.length, ...columnsOf(events) };
    })(),
    range: { knownUsers: 1, records: true } as UserRange,
    users: {} as RecordStore,
    eventDatasetId: 'e',
    userDatasetId: 'u',
    model,
    historyLimit: 100,
    nowMs: Number.POSITIVE_INFINITY,
  });
  const batch = new HistoryBatch(1, 100);
  for await (const { offsets, count } of scan.histories([batch])) if (count > 0) return entriesOf(batch, offsets[1]);
  return [];
}

/** The events in the form of training and `evaluate`: those with a positive value, of items that the model knows. */
function tableOf(model: G1Model, events: readonly TimedEvent[]): EventTable {
  const builder = new EventTableBuilder();
  builder.beginUser();
  for (const { item, type, value, ts } of events) if (item < WARM) builder.add(item, type, value, ts);
  return builder.finish({ itemIds: model.itemIds, typeNames: TYPES, targetType: 0 });
}

function judgesOf(table: EventTable, rules: InteractionRules): Judges {
  const source = { table, rules, objective: 'any', gapMs: DAY, hidden: null } as const;
  return gatherJudges(new KernelMemory(), source, [{ user: 0, end: table.length, targets: [] } as unknown as Question]);
}

function judgedHistory(table: EventTable, rules: InteractionRules): Entry[] {
  const judges = judgesOf(table, rules);
  return entriesOf(judges, judges.offsets[1]);
}

/** The table keeps values as 32-bit floats, and training counts weights in units of 2^−16 (dataset/fixed-point.ts). */
function assertAlike(actual: readonly Entry[], expected: readonly Entry[]): void {
  assert.deepEqual(
    actual.map(([item]) => item),
    expected.map(([item]) => item),
  );
  for (const [n, [, weight]] of actual.entries()) {
    const tolerance = 2 ** -16 + 1e-5 * expected[n][1];
    assert.ok(Math.abs(weight - expected[n][1]) <= tolerance, `${weight} at ${n} instead of ${expected[n][1]}`);
  }
}

test('training, serving, jobs, insight and evaluate make the same weighted history of the same events', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(event, { minLength: 1, maxLength: 25 }), rules, async (events, settings) => {
      const model = modelWith(settings);
      const timed = timedOf(events);
      const served = servedHistory(model, timed);
      assert.deepEqual(historyOfJobs(model, timed), served);
      assert.deepEqual(await historyOfInsight(model, timed), served);
      const table = tableOf(model, timed);
      if (table.userCount === 0) return assert.deepEqual(served, []);
      const tableRules = { ...historyRulesOf(model), typeWeights: Object.values(TYPE_WEIGHTS) };
      assertAlike(judgedHistory(table, tableRules), served);
      const x = buildInteractions(new KernelMemory(), table, tableRules);
      const trained = Array.from(x.items, (item, n): Entry => [item, x.weights[n], 0]).reverse();
      // Training leaves out users of whom nothing counts.
      const counts = timed.some(({ item, type, value }) => item < WARM && type < 2 && value > 0);
      assertAlike(trained, counts ? served : []);
    }),
    { numRuns: 300 },
  );
});

test('training and serving say the same of what a user did with an item', () => {
  fc.assert(
    fc.property(fc.array(event, { minLength: 1, maxLength: 25 }), rules, (events, settings) => {
      const model = modelWith(settings);
      const timed = timedOf(events);
      const { own, length } = served(model, timed);
      const table = tableOf(model, timed);
      if (table.userCount === 0) return;
      const judges = judgesOf(table, { ...historyRulesOf(model), typeWeights: Object.values(TYPE_WEIGHTS) });
      assert.deepEqual(own!.subarray(0, length * OWN_NUMBERS), judges.own!.slice());
    }),
    { numRuns: 300 },
  );
});

test('a dislike does not make the events before it older', () => {
  const events = [
    { item: 0, type: 0, value: 1, ts: 0 },
    { item: 1, type: 0, value: 1, ts: DAY },
  ];
  const model = modelWith({ half_life_days: 30, historyCap: 5 });
  const disliked = [...events, { item: 2, type: 0, value: -1, ts: 91 * DAY }];
  assert.deepEqual(servedHistory(model, disliked), servedHistory(model, events));
});

test('a visitor who only did what does not count has a history of that', () => {
  const hovers = [3, 4].map((item) => ({ item, type: 2, value: 1, ts: DAY }));
  assert.deepEqual(
    servedHistory(modelWith({ historyCap: 5 }), hovers).map(([item]) => item),
    [4, 3],
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
  const length = folder.fold({ columns, from: 0, to: bought.length }, batch, 0);
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
  assert.equal(folder.fold({ columns, from: 0, to: 2 }, batch, 0), 1);
  assert.equal(batch.seen[0], 1);
  assert.equal(folder.others.length, 0);
});
