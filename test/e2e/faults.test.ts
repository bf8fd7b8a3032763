// The short version of the soak (`npm run test:soak`): real processes, a real PostgreSQL, faults by a seeded schedule.
import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { test } from 'node:test';
import { runSoak } from '../soak/run-soak.ts';

const seed = Number(process.env.KINDRED_SOAK_SEED ?? randomInt(2 ** 31));

test(`nothing acknowledged is lost and no call fails without a cause while processes are killed (KINDRED_SOAK_SEED=${seed})`, async (t) => {
  const { wrong, counts } = await runSoak({ seconds: 120, seed, say: (line) => t.diagnostic(line) });
  t.diagnostic(JSON.stringify(counts));
  assert.deepEqual(wrong, []);
  assert.ok(counts.faults > 3 && counts.upserts > 50 && counts.recommendations > 500, JSON.stringify(counts));
});
