import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FailedAttempts } from './failed-attempts.ts';

test('many failures in a minute hold up that client only, until the minute is over', () => {
  const attempts = new FailedAttempts();
  for (let n = 0; n < 59; n++) attempts.failed('thief', 1000);
  assert.equal(attempts.waitSec('thief', 1000), 0);
  attempts.failed('thief', 1000);
  assert.equal(attempts.waitSec('thief', 1000), 60);
  assert.equal(attempts.waitSec('owner', 1000), 0);
  assert.equal(attempts.waitSec('thief', 61_000), 0);
});
