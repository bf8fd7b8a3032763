// What coordinates nodes and workers, simulated (test/simulator): as many seeds as fit into some seconds, and each run twice the same.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { simulate } from './simulate.ts';
import { simulateMany } from './simulate-many.ts';

const MAX_SECONDS = 15;

test('no seed breaks an invariant', async () => {
  const broken: string[] = [];
  const { seeds } = await simulateMany({
    ...{ from: 1, seeds: 10_000, maxSeconds: MAX_SECONDS },
    onBroken: (run) => broken.push(`npm run simulate -- --seed ${run.seed}: ${run.broken.join('; ')}`),
  });
  assert.deepEqual(broken, []);
  assert.ok(seeds > 20, `only ${seeds} seeds were run`);
});

test('a seed gives the same run each time', async () => {
  for (const seed of [1, 2, 3]) {
    const { fingerprint, steps } = await simulate(seed);
    assert.deepEqual(await simulate(seed).then((run) => [run.fingerprint, run.steps]), [fingerprint, steps]);
  }
});
