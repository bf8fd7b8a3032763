import assert from 'node:assert/strict';
import { test } from 'node:test';
import { firstSeedOf } from './day-seeds.ts';

test('each day has a million seeds of its own, all of 32 bits', () => {
  assert.equal(firstSeedOf('2026-11-18'), 775_000_001);
  assert.equal(firstSeedOf('2026-11-19') - firstSeedOf('2026-11-18'), 1_000_000);
  assert.equal((firstSeedOf('today') - 1) % 1_000_000, 0);
  for (let year = 2026; year < 2060; year++) assert.ok(firstSeedOf(`${year}-12-31`) + 1_000_000 < 2 ** 32);
  assert.throws(() => firstSeedOf('yesterday'), /is no day/);
});
