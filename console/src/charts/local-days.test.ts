import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { localDays } from './local-days.ts';

const { TZ } = process.env;
before(() => {
  process.env.TZ = 'America/New_York';
});
after(() => {
  if (TZ === undefined) delete process.env.TZ;
  else process.env.TZ = TZ;
});

test('days begin at local midnight, and one is longer when clocks are set back', () => {
  // Oct 31 at 20:00 in New York; clocks are set back on Nov 1, 2026.
  assert.deepEqual(localDays(Date.UTC(2026, 10, 1), 40), [
    { from: 0, to: 4 },
    { from: 4, to: 29 },
    { from: 29, to: 40 },
  ]);
  assert.deepEqual(localDays(0, 0), []);
});
