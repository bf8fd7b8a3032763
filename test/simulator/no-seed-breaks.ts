// Seeds as a test, in processes of their own: Node's test runner follows every promise of its process, and a seed then takes half as
// long again.
import assert from 'node:assert/strict';
import { availableParallelism } from 'node:os';
import type { TestContext } from 'node:test';
import { missingOf } from './counts.ts';
import { simulateParallel } from './simulate-parallel.ts';

/** of processor time: on a slow machine there are fewer seeds */
const MAX_SECONDS = 40;

export async function noSeedBreaks(t: TestContext, { from, seeds }: { from: number; seeds: number }): Promise<void> {
  const broken: string[] = [];
  const processes = Math.min(2, availableParallelism());
  const run = await simulateParallel({
    from,
    seeds,
    processes,
    maxSeconds: MAX_SECONDS,
    tell: (line) => broken.push(line),
  });
  const why = run.isTimeUp ? `, because ${MAX_SECONDS} s of processor time were over` : '';
  t.diagnostic(`${run.seeds} of ${seeds} seeds were run${why}`);
  assert.deepEqual(broken, []);
  assert.ok(run.seeds === seeds || run.isTimeUp, `only ${run.seeds} seeds were run`);
  // A simulation in which nothing happens breaks nothing.
  assert.deepEqual(missingOf(run.sum), []);
}
