// Seeds as a test, in processes of their own: Node's test runner follows every promise of its process, and a seed then takes half as
// long again.
import assert from 'node:assert/strict';
import { availableParallelism } from 'node:os';
import { simulateParallel } from './simulate-parallel.ts';

/** of processor time: on a slow machine there are fewer seeds */
const MAX_SECONDS = 60;

export async function noSeedBreaks({ from, seeds }: { from: number; seeds: number }): Promise<void> {
  const broken: string[] = [];
  const processes = Math.min(2, availableParallelism());
  const run = await simulateParallel({
    from,
    seeds,
    processes,
    maxSeconds: MAX_SECONDS,
    tell: (line) => broken.push(line),
  });
  assert.deepEqual(broken, []);
  assert.ok(run.seeds > seeds / 25, `only ${run.seeds} seeds were run`);
}
