// The short version of the soak (`npm run test:soak`): real processes, a real PostgreSQL, faults by a seeded schedule. Always
// the same one, so that a failure is one of the change at hand; its 30 seconds strike most kinds of faults.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runSoak } from '../soak/run-soak.ts';

/** Clients leave most of the machine to the tests next to this one. */
const PAUSES = 6;

const seed = Number(process.env.KINDRED_SOAK_SEED ?? 917);

test(`nothing acknowledged is lost and no call fails without a cause while processes are killed (KINDRED_SOAK_SEED=${seed})`, async (t) => {
  t.diagnostic(`seed ${seed}; another: KINDRED_SOAK_SEED=7 npm run test:long -- faults`);
  const say = (line: string): void => t.diagnostic(line);
  const { wrong, ...seen } = await runSoak({ seconds: 30, seed, pauses: PAUSES, say });
  t.diagnostic(JSON.stringify(seen));
  assert.deepEqual(wrong, []);
});
