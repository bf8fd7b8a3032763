// The kernels that training spends its time in, on made events: first those on sparse rows.
import { BuiltInAggregation } from '../../src/aggregation/built-in.ts';
import { fixedScale } from '../../src/dataset/fixed-point.ts';
import { buildHistories } from '../../src/dataset/history-blocks.ts';
import { buildGram } from '../../src/experts/gram.ts';
import { localRidgeColumns } from '../../src/experts/local-ridge.ts';
import type { SlotRows } from '../../src/experts/slot-rows.ts';
import { TRANSITION_SHAPES, transitionRows } from '../../src/experts/transitions.ts';
import { walkRows } from '../../src/experts/walk.ts';
import type { KernelPool } from '../../src/kernels/kernel-pool.ts';
import { buildInteractions } from '../../test/support/build-interactions.ts';
import {
  cooccurrenceRows,
  localRidgeRow,
  type PlainMatrix,
  type PlainRows,
  transitionRows as plainTransitionRows,
  scaleSelectRows,
} from '../../test/support/kernel-twins/rows.ts';
import { madeEvents } from '../made-events.ts';
import { denseCases } from './dense-cases.ts';
import { type KernelCase, released } from './measure.ts';

const NEIGHBORS = 100;
/** Rows that the slow twins make. */
const FEW = 40;

const sumOf = (values: Iterable<number>) => [...values].reduce((sum, value) => sum + value, 0);

export async function* trainingCases(pool: KernelPool, items: number): AsyncGenerator<KernelCase> {
  const { memory } = pool;
  const rules = { typeWeights: [1], valueShape: 'log', valueUnit: 1, historyCap: 500, halfLifeMs: null } as const;
  const table = madeEvents(items * 40, items * 2, items);
  const x = buildInteractions(memory, table, rules);
  const users = Array.from({ length: x.userCount }, (_, user) => {
    const [from, to] = [x.userOffsets[user], x.userOffsets[user + 1]];
    return { items: [...x.items.subarray(from, to)], weights: [...x.weights.subarray(from, to)] };
  });
  const few: PlainMatrix = { itemCount: FEW, users };
  const degrees = Float32Array.from({ length: items }, (_, i) => x.itemOffsets[i + 1] - x.itemOffsets[i]);
  /** Sums f over the places of the first `rows` items. */
  const overPlaces = (rows: number, f: (ahead: number, behind: number) => number) => {
    let sum = 0;
    for (const [at, place] of x.entries.subarray(0, x.itemOffsets[rows]).entries()) {
      const user = x.entryUsers[at];
      sum += f(x.userOffsets[user + 1] - 1 - place, place - x.userOffsets[user]);
    }
    return sum;
  };

  const pairs = (rows: number) => overPlaces(rows, (ahead, behind) => ahead + behind + 1);
  const histories = await buildHistories(memory, table, rules);
  const aggregation = new BuiltInAggregation(pool, histories);
  const gram = await buildGram(pool, aggregation, [0.5, 1]);
  const scales = users.map((user) => fixedScale(Math.max(1, user.items.length) ** -0.5));
  yield {
    what: 'gram, two scalings at once',
    limit: 'scattered adds',
    span: items,
    kernel: { run: released(pool, () => buildGram(pool, aggregation, [0.5, 1])), work: pairs(items) },
    twin: { run: () => cooccurrenceRows(few, scales, gram.first.slot), work: pairs(FEW) },
  };

  const shape = TRANSITION_SHAPES.window;
  const lags = (rows: number) =>
    overPlaces(rows, (ahead, behind) => Math.min(ahead, shape.maxLag) + Math.min(behind, shape.maxLag));
  const forward = Array.from({ length: shape.maxLag + 1 }, (_, lag) => (lag === 0 ? 0 : fixedScale(shape.omega(lag))));
  const plainShape = { forward, backward: forward.map((omega) => Math.round(omega * shape.reverse)) };
  const ones = new Array<number>(items).fill(1);
  yield {
    what: `transitions, window of ${shape.maxLag}`,
    limit: 'scattered adds',
    span: items,
    kernel: {
      run: released(pool, () => transitionRows(pool, { aggregation, degrees }, 'window', NEIGHBORS)),
      work: lags(items),
    },
    twin: { run: () => plainTransitionRows(few, plainShape, ones, NEIGHBORS), work: lags(FEW) },
  };

  const entries = (rows: number) => sumOf(gram.first.counts.subarray(0, rows));
  const walk = { gamma: 0.5, beta: 0.5, delta: 0.25 };
  const fewRows = plainRows(gram.first, FEW);
  const plainScales = [...degrees].map((degree) => Math.max(1, degree) ** -0.25);
  yield {
    what: `walk: rows scaled, the ${NEIGHBORS} largest kept`,
    limit: 'bytes',
    span: 8 * entries(items),
    kernel: {
      run: released(pool, () => walkRows(pool, { gram, degrees }, walk, NEIGHBORS)),
      work: 8 * entries(items),
    },
    twin: { run: () => scaleSelectRows(fewRows, plainScales, plainScales, NEIGHBORS), work: 8 * entries(FEW) },
  };

  // As if all items had many users: all of them have as many neighbors as the twin gives them.
  const many = degrees.map(() => 1e6);
  const [ridge] = await localRidgeColumns(pool, { gram, degrees: many }, NEIGHBORS, [5]);
  const cubes = (rows: number) => sumOf(ridge.counts.subarray(0, rows).map((n) => n ** 3 / 6 + n ** 2));
  const dense = denseRows(gram.first, gram.diagonals, items);
  const pick = [...gram.diagonals].filter((_, n) => n % 2 === 0).map((own) => (own > 0 ? own ** -0.3 : 0));
  yield {
    what: `local ridge, ${NEIGHBORS} neighbors, look-ups included`,
    limit: 'multiply-adds',
    kernel: {
      run: released(pool, () => localRidgeColumns(pool, { gram, degrees: many }, NEIGHBORS, [5])),
      work: cubes(items),
    },
    twin: {
      run: () =>
        fewRows.columns.map((columns, j) =>
          localRidgeRow(dense, { columns, values: fewRows.values[j] }, pick, NEIGHBORS, 5),
        ),
      work: cubes(FEW),
    },
  };

  yield* denseCases(pool, { x, users, degrees, gram, near: fewRows.columns });
}

function plainRows({ slot, counts, columns, values }: SlotRows, rows: number): PlainRows {
  const row = <T extends Uint32Array | Float32Array>(all: T, i: number) => [
    ...all.subarray(i * slot, i * slot + counts[i]),
  ];
  return {
    columns: Array.from({ length: rows }, (_, i) => row(columns, i)),
    values: Array.from({ length: rows }, (_, i) => row(values, i)),
  };
}

function denseRows({ slot, counts, columns, values }: SlotRows, diagonals: Float32Array, items: number): number[][] {
  const dense = Array.from({ length: items }, () => new Float32Array(items));
  for (let i = 0; i < items; i++) {
    dense[i][i] = diagonals[2 * i];
    for (let at = i * slot; at < i * slot + counts[i]; at++) dense[i][columns[at]] = values[at];
  }
  return dense as unknown as number[][];
}
