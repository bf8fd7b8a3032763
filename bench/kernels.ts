// Hot kernels against their plain TypeScript twins and against what the machine can do: multiply-adds a second of a loop that
// stays in registers, bytes a second of a sum over memory. And scoring one user, in microseconds.
import { buildInteractions } from '../src/dataset/interactions.ts';
import { KernelPool } from '../src/kernels/kernel-pool.ts';
import { cooccurrenceRows, localRidgeRow } from '../src/kernels/reference/rows.ts';
import { buildGram } from '../src/models/gram.ts';
import { localRidgeColumns } from '../src/models/local-ridge.ts';
import { createScorer } from '../src/models/scorer.ts';
import { fitModel } from '../src/training/fit-model.ts';
import { TrainingClock } from '../src/training/training-clock.ts';
import { madeEvents } from './made-events.ts';
import { quick, report } from './report.ts';

const pool = new KernelPool(1);
const { memory } = pool;

async function timeOf(work: () => unknown | Promise<unknown>): Promise<number> {
  let best = Number.POSITIVE_INFINITY;
  for (let turn = 0; turn < 3; turn++) {
    const started = performance.now();
    await work();
    best = Math.min(best, (performance.now() - started) / 1000);
  }
  return best;
}

/** Multiply-adds a second: a product of matrices that stay in the first cache. */
async function multiplyAddRate(): Promise<number> {
  const mark = memory.mark();
  const width = 64;
  const rows = 4096;
  const tall = memory.f32(rows * width).fill(0.5);
  const small = memory.f32(width * width).fill(0.25);
  const out = memory.f32(rows * width);
  const seconds = await timeOf(() => pool.run('tallTimesUpper', [tall, width, small, out], rows, 64));
  memory.release(mark);
  return (rows * width * width) / seconds;
}

const items = quick ? 2000 : 6000;
const table = madeEvents(items * 40, items * 2, items);
const rules = { typeWeights: [1], valueWeighting: 'log', historyCap: 500, halfLifeMs: null } as const;
const x = buildInteractions(memory, table, rules);
const rate = await multiplyAddRate();

let pairs = 0;
for (let user = 0; user < x.userCount; user++) pairs += (x.userOffsets[user + 1] - x.userOffsets[user]) ** 2;
const mark = memory.mark();
const gram = await buildGram(pool, x, [0.5, 1]);
const gramSeconds = await timeOf(async () => {
  const inner = memory.mark();
  await buildGram(pool, x, [0.5, 1]);
  memory.release(inner);
});
const share = 200;
const plainMatrix = {
  itemCount: Math.ceil(items / share),
  users: Array.from({ length: x.userCount }, (_, user) => {
    const from = x.userOffsets[user];
    const to = x.userOffsets[user + 1];
    return { items: [...x.items.subarray(from, to)], weights: [...x.weights.subarray(from, to)] };
  }),
};
const scales = plainMatrix.users.map((user) => user.items.length ** -0.5);
const plainGram = (await timeOf(() => cooccurrenceRows(plainMatrix, scales, gram.first.slot))) * share;
report({
  bench: 'kernels',
  what: 'gram rows',
  ratio: plainGram / gramSeconds,
  base: 'plain TypeScript twin',
  figures: `${((pairs * 2) / gramSeconds / 1e6).toFixed(0)} M multiply-adds/s of ${(rate / 1e6).toFixed(0)} M/s in cache (random access bound), ${((pairs * 20) / gramSeconds / 1e9).toFixed(1)} GB/s touched`,
});

const neighbours = 100;
const ridgeSeconds = await timeOf(async () => {
  const inner = memory.mark();
  await localRidgeColumns(pool, gram, items, neighbours, [5]);
  memory.release(inner);
});
const dense = Array.from({ length: items }, () => new Float32Array(items));
for (let i = 0; i < items; i++) {
  dense[i][i] = gram.diagonals[2 * i];
  for (let k = 0; k < gram.first.counts[i]; k++)
    dense[i][gram.first.columns[i * gram.first.slot + k]] = gram.first.values[i * gram.first.slot + k];
}
const pick = Array.from({ length: items }, (_, i) => gram.diagonals[2 * i] ** -0.3);
const plainRidge =
  (await timeOf(() => {
    for (let j = 0; j < items; j += share) {
      const base = j * gram.first.slot;
      const rhs = {
        columns: [...gram.first.columns.subarray(base, base + gram.first.counts[j])],
        values: [...gram.first.values.subarray(base, base + gram.first.counts[j])],
      };
      localRidgeRow(dense as unknown as number[][], rhs, pick, neighbours, 5);
    }
  })) * share;
report({
  bench: 'kernels',
  what: `local ridge, ${neighbours} neighbours`,
  ratio: plainRidge / ridgeSeconds,
  base: 'plain TypeScript twin',
  figures: `${((items * neighbours ** 3) / 6 / ridgeSeconds / 1e6).toFixed(0)} M multiply-adds/s of ${(rate / 1e6).toFixed(0)} M/s, look-ups of the gram included`,
});
memory.release(mark);

const servedItems = quick ? 5000 : 40_000;
const served = madeEvents(servedItems * 15, servedItems, servedItems);
const { model } = await fitModel(pool, served, { time_budget_seconds: 30, validation_users: 300 }, new TrainingClock());
const scorer = createScorer(model);
const length = 50;
const histories = Array.from({ length: 64 }, (_, n) => ({
  length,
  items: Uint32Array.from({ length }, (_, l) => (n * 977 + l * 131 + (l % 3) * 7) % servedItems),
  weights: new Float32Array(length).fill(1),
  seen: new Uint8Array(length).fill(1),
}));
const outItems = new Uint32Array(20);
const outScores = new Float32Array(20);
const serve = (calls: number) => {
  for (let n = 0; n < calls; n++)
    scorer.top(histories[n & 63], 20, { allow: null, excludeSeen: true }, outItems, outScores);
};
serve(2000);
const before = process.memoryUsage().heapUsed;
const calls = 5000;
const servedSeconds = await timeOf(() => serve(calls));
const allocated = Math.max(0, process.memoryUsage().heapUsed - before) / (3 * calls);
report({
  bench: 'kernels',
  what: `one user, history of ${length}, ${servedItems} items, top 20, ${model.experts.length} experts`,
  ratio: null,
  base: '',
  figures: `${((servedSeconds / calls) * 1e6).toFixed(0)} µs a call, about ${allocated.toFixed(0)} bytes allocated a call`,
});
await pool.close();
