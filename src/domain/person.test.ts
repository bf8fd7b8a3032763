import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasEnded, SESSION_LIMITS } from './person.ts';

const NOW = 1_800_000_000_000;

test('a session ends at its time, however much it is used', () => {
  assert.equal(hasEnded({ expires_ts: NOW + 1, seen_ts: NOW }, NOW), false);
  assert.equal(hasEnded({ expires_ts: NOW, seen_ts: NOW }, NOW), true);
});

test('a session that nobody uses for an hour ends before', () => {
  const expires_ts = NOW + 86_400_000;
  assert.equal(SESSION_LIMITS.idleMs, 3_600_000);
  assert.equal(hasEnded({ expires_ts, seen_ts: NOW - SESSION_LIMITS.idleMs + 1 }, NOW), false);
  assert.equal(hasEnded({ expires_ts, seen_ts: NOW - SESSION_LIMITS.idleMs }, NOW), true);
});
