// What coordinates nodes and workers, simulated (test/simulator): no seed breaks an invariant, and each run is twice the same.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { simulate } from './simulate.ts';
import { simulateMany } from './simulate-many.ts';

const SEEDS = 500;
/** of processor time: on a slow machine there are fewer seeds */
const MAX_SECONDS = 15;

test('no seed breaks an invariant', async () => {
  const broken: string[] = [];
  const { seeds } = await simulateMany({
    ...{ from: 1, seeds: SEEDS, maxSeconds: MAX_SECONDS },
    onBroken: (run) => broken.push(`npm run simulate -- --seed ${run.seed}: ${run.broken.join('; ')}`),
  });
  assert.deepEqual(broken, []);
  assert.ok(seeds > 20, `only ${seeds} seeds were run`);
});

test('a seed gives the same run each time, whatever ran before it', async () => {
  const first = new Map<number, string>();
  for (const seed of [1, 2, 3, 4, 5, 6]) first.set(seed, (await simulate(seed)).fingerprint);
  for (const seed of [6, 4, 2, 5, 3, 1]) assert.equal((await simulate(seed)).fingerprint, first.get(seed));
});
