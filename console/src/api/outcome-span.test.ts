import assert from 'node:assert/strict';
import { test } from 'node:test';
import { outcomeSpan } from './outcome-span.ts';

test('seven days are seven of the report at any time of day', () => {
  const span = { from_ts: Date.UTC(2026, 10, 9), to_ts: Date.UTC(2026, 10, 16), by: 'day' };
  assert.deepEqual(outcomeSpan('7', Date.UTC(2026, 10, 15, 1)), span);
  assert.deepEqual(outcomeSpan('7', Date.UTC(2026, 10, 15, 23, 30)), span);
});

test('24 hours end with the hour that runs', () => {
  assert.deepEqual(outcomeSpan('1', Date.UTC(2026, 10, 15, 12, 20)), {
    from_ts: Date.UTC(2026, 10, 14, 13),
    to_ts: Date.UTC(2026, 10, 15, 13),
    by: 'hour',
  });
});
