// Known bugs, put back one at a time (test/simulator/mutations.ts): the simulation finds them, and a seed that finds one breaks the
// same invariant each time.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS } from '../../src/base/durations.ts';
import { findMutation, findMutations } from '../simulator/find-mutations.ts';
import { MUTATIONS } from '../simulator/mutations.ts';

const MAX_SEEDS = 4000;
const PROCESSES = 2;
/** All of them take minutes: a third is looked for each day. */
const DAYS = 3;

test('the simulation finds the known bugs of this day', async () => {
  const missed: string[] = [];
  const today = Math.floor(Date.now() / DAY_MS) % DAYS;
  await findMutations({
    mutations: MUTATIONS.filter((_, n) => n % DAYS === today),
    maxSeeds: MAX_SEEDS,
    processes: PROCESSES,
    tell: ({ name, seed }) => seed === null && missed.push(name),
  });
  assert.deepEqual(missed, []);
});

test('a seed that fails fails the same way in every process', async () => {
  const mutation = MUTATIONS.find(({ name }) => name === 'a node that was paused serves before it has followed')!;
  const { seed, broken } = await findMutation(mutation, MAX_SEEDS);
  assert.ok(seed !== null);
  // In a process of its own, where no other seed has run before.
  for (let run = 0; run < 3; run++) {
    const again = await findMutation(mutation, 1, seed);
    assert.deepEqual([again.seed, again.broken], [seed, broken]);
  }
});
