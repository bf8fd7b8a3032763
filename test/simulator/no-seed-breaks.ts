// Seeds as a test, in processes of their own: Node's test runner follows every promise of its process, and a seed then takes half as
// long again.
import assert from 'node:assert/strict';
import { availableParallelism } from 'node:os';
import type { TestContext } from 'node:test';
import { missingOf } from './counts.ts';
import { simulateParallel } from './simulate-parallel.ts';

export interface SeedRange {
  readonly from: number;
  readonly seeds: number;
  /** of processor time in each process: on a slow machine there are fewer seeds */
  readonly maxSeconds: number;
}

export async function noSeedBreaks(t: TestContext, { from, seeds, maxSeconds }: SeedRange): Promise<void> {
  const broken: string[] = [];
  const processes = Math.min(2, availableParallelism());
  const run = await simulateParallel({
    from,
    seeds,
    processes,
    maxSeconds,
    tell: (line) => broken.push(line),
  });
  const why = run.isTimeUp ? `, because ${maxSeconds} s of processor time were over` : '';
  t.diagnostic(`${run.seeds} of ${seeds} seeds were run${why}`);
  assert.deepEqual(broken, []);
  assert.ok(run.seeds === seeds || run.isTimeUp, `only ${run.seeds} seeds were run`);
  // A simulation in which nothing happens breaks nothing.
  assert.deepEqual(missingOf(run.sum), []);
}
