// What every implementation of EventAggregation must do, demanded to the last bit: equal to plain counting in whole numbers
// (kernel-twins/rows.ts), on small histories with everything odd in them.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { EventAggregation } from '../../src/aggregation/event-aggregation.ts';
import { seededRandom } from '../../src/base/seeded-random.ts';
import { countableWeight, fixedScale } from '../../src/dataset/fixed-point.ts';
import { cooccurrenceRows, type PlainMatrix, type PlainRows, transitionRows } from './kernel-twins/rows.ts';

export interface OpenedAggregation {
  readonly aggregation: EventAggregation;
  /** arrays that it can fill */
  u32(length: number): Uint32Array;
  f32(length: number): Float32Array;
  close(): Promise<void>;
}

export type OpenAggregation = (histories: PlainMatrix) => Promise<OpenedAggregation>;

interface MadeHistories {
  users: number;
  items: number;
  longest: number;
  weight: (random: () => number) => number;
}

function madeHistories({ users, items, longest, weight }: MadeHistories): PlainMatrix {
  const { next: random } = seededRandom(users + items);
  return {
    itemCount: items,
    users: Array.from({ length: users }, () => {
      const length = Math.floor(random() ** 2 * (longest + 1));
      // A few items are in nearly every history.
      const own = new Set(Array.from({ length }, () => Math.floor(random() ** 3 * items)));
      return { items: [...own], weights: Array.from(own, () => countableWeight(weight(random))) };
    }),
  };
}

const CASES: readonly [what: string, histories: PlainMatrix][] = [
  ['nobody', { itemCount: 3, users: [] }],
  ['users without items', { itemCount: 2, users: [{ items: [], weights: [] }] }],
  ['one user with one item', { itemCount: 4, users: [{ items: [2], weights: [1] }] }],
  ['equal weights, with many ties', madeHistories({ users: 60, items: 70, longest: 12, weight: () => 1 })],
  [
    'weights from the least to the largest',
    madeHistories({ users: 80, items: 130, longest: 20, weight: (random) => Math.exp(random() * 18 - 14) }),
  ],
  ['one heavy user among many', withHeavyUser()],
];

function withHeavyUser(): PlainMatrix {
  const { users } = madeHistories({ users: 40, items: 200, longest: 8, weight: (random) => 1 + random() });
  const items = Array.from({ length: 200 }, (_, n) => (n * 37) % 200);
  return {
    itemCount: 200,
    users: [...users, { items, weights: items.map((item) => countableWeight(1 / (1 + item))) }],
  };
}

const GAMMAS = [0.5, 1] as const;
const LAGS = [
  { forward: [0, 1], backward: [0, 0] },
  { forward: [0, 0, 1, 1, 1], backward: [0, 0, 0, 0, 0] },
  { forward: [0, 1, 1 / 2, 1 / 3, 1 / 4, 1 / 5], backward: [0, 0.7, 0.35, 0.23, 0.18, 0.14] },
];

/** `few`: where every count takes seconds, the cases that need it most. */
export function aggregationSuite(name: string, open: OpenAggregation, few = false): void {
  describe(`${name} counts events`, () => {
    for (const [what, histories] of few ? CASES.filter((_, n) => n === 0 || n > 3) : CASES) {
      test(`${what}: equal to plain counting in every bit`, async () => {
        const { aggregation, u32, f32, close } = await open(histories);
        try {
          await checkCounts(aggregation, histories);
          for (const slot of few ? [5] : [1, 5, histories.itemCount]) {
            await checkCooccurrence(aggregation, histories, { u32, f32 }, slot);
            for (const lags of few ? LAGS.slice(2) : LAGS)
              await checkTransitions(aggregation, histories, { u32, f32, lags }, slot);
          }
        } finally {
          await close();
        }
      });
    }
  });
}

type Arrays = Pick<OpenedAggregation, 'u32' | 'f32'>;

async function checkCounts(aggregation: EventAggregation, { users, itemCount }: PlainMatrix): Promise<void> {
  const counts = new Array<number>(itemCount).fill(0);
  for (const { items } of users) for (const item of items) counts[item]++;
  assert.deepEqual([...(await aggregation.counts())], counts);
  assert.equal(aggregation.itemCount, itemCount);
  assert.equal(aggregation.longest, Math.max(0, ...users.map(({ items }) => items.length)));
}

async function checkCooccurrence(aggregation: EventAggregation, histories: PlainMatrix, arrays: Arrays, slot: number) {
  const { itemCount, users } = histories;
  const into = {
    slot,
    counts: arrays.u32(itemCount),
    columns: arrays.u32(itemCount * slot),
    first: arrays.f32(itemCount * slot),
    second: arrays.f32(itemCount * slot),
    diagonals: arrays.f32(2 * itemCount),
  };
  const lengths = Array.from({ length: aggregation.longest + 1 }, (_, length) => Math.max(1, length));
  const scales = GAMMAS.map((gamma) => Uint32Array.from(lengths, (length) => fixedScale(length ** -gamma)));
  await aggregation.cooccurrence([scales[0], scales[1]], into);
  const [first, second] = scales.map((scale) =>
    cooccurrenceRows(
      histories,
      users.map(({ items }) => scale[items.length]),
      itemCount,
    ),
  );
  const kept = cooccurrenceRows(
    histories,
    users.map(({ items }) => scales[0][items.length]),
    slot,
  ).rows;
  assert.deepEqual(rowsOf(into, into.first), kept);
  // What is kept is chosen by the first scale; the second has its own value of the same pair.
  assert.deepEqual(
    rowsOf(into, into.second).values,
    kept.columns.map((columns, i) => columns.map((j) => second.rows.values[i][second.rows.columns[i].indexOf(j)])),
  );
  assert.deepEqual(
    [...into.diagonals],
    first.diagonal.flatMap((value, item) => [value, second.diagonal[item]]),
  );
}

async function checkTransitions(
  aggregation: EventAggregation,
  histories: PlainMatrix,
  { u32, f32, lags }: Arrays & { lags: (typeof LAGS)[number] },
  slot: number,
): Promise<void> {
  const { itemCount } = histories;
  const into = {
    slot,
    counts: u32(itemCount),
    columns: u32(itemCount * slot),
    values: f32(itemCount * slot),
    sums: f32(itemCount),
  };
  const [forward, backward] = [lags.forward, lags.backward].map((list) => Uint32Array.from(list, fixedScale));
  const columnScales = Float32Array.from({ length: itemCount }, (_, item) => (1 + (item % 3)) ** -0.25);
  await aggregation.transitions({ forward, backward, columnScales }, into);
  const expected = transitionRows(
    histories,
    { forward: [...forward], backward: [...backward] },
    [...columnScales],
    slot,
  );
  assert.deepEqual({ ...rowsOf(into, into.values), sums: [...into.sums] }, expected);
}

function rowsOf(
  { slot, counts, columns }: { slot: number; counts: Uint32Array; columns: Uint32Array },
  values: Float32Array,
): PlainRows {
  const rows: PlainRows = { columns: [], values: [] };
  for (const [row, count] of counts.entries()) {
    rows.columns.push([...columns.subarray(row * slot, row * slot + count)]);
    rows.values.push([...values.subarray(row * slot, row * slot + count)]);
  }
  return rows;
}
