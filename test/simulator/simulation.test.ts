// What coordinates nodes and workers, simulated (test/simulator): no seed breaks an invariant, and each run is twice the same.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { noSeedBreaks } from './no-seed-breaks.ts';
import { simulate } from './simulate.ts';

test('no seed breaks an invariant', (t) => noSeedBreaks(t, { from: 1, seeds: 400, maxSeconds: 10 }));

test('a seed gives the same run each time, whatever ran before it', async () => {
  const first = new Map<number, string>();
  for (const seed of [1, 2, 3, 4, 5, 6]) first.set(seed, (await simulate(seed)).fingerprint());
  for (const seed of [6, 4, 2, 5, 3, 1]) assert.equal((await simulate(seed)).fingerprint(), first.get(seed));
});
