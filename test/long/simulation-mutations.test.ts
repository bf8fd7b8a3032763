// Known bugs, put back one at a time: the simulation finds those that some dozens of seeds are enough for (test/simulator/mutations.ts).
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findMutation } from '../simulator/find-mutations.ts';
import { MUTATIONS } from '../simulator/mutations.ts';

const MAX_SEEDS = 150;

/** Of the others some are found by more seeds, some not yet: `npm run simulate -- --mutations`. */
const FOUND_SOON = [
  'a node that was paused answers before it has followed',
  'a shutdown is acknowledged before other nodes have followed it',
  'a shutdown leaves waiting deployment jobs alone',
  'a lease holds although the job has ended',
  'jobs of a lost worker are not taken back',
  'cached lists outlive the changes of their users',
  'a catalog is loaded before its version is read',
];

for (const name of FOUND_SOON) {
  test(`the simulation finds: ${name}`, async () => {
    const mutation = MUTATIONS.find((one) => one.name === name);
    assert.ok(mutation);
    const { seed } = await findMutation(mutation, MAX_SEEDS);
    assert.ok(seed !== null, `no seed up to ${MAX_SEEDS} finds it`);
  });
}
