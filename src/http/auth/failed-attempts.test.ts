import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FailedAttempts } from './failed-attempts.ts';

test('after sixty failures in a minute the rest of it must be waited for, by that client and address alone', () => {
  const attempts = new FailedAttempts();
  for (let n = 0; n < 60; n++) assert.equal(attempts.failed('a', 1000), 0);
  assert.equal(attempts.failed('a', 31_000), 30);
  assert.equal(attempts.failed('b', 31_000), 0);
  assert.equal(attempts.failed('a', 61_000), 0);
});

test('a flood of different clients forgets the oldest instead of growing', () => {
  const attempts = new FailedAttempts();
  for (let n = 0; n < 61; n++) attempts.failed('first', 0);
  for (let n = 0; n < 30_000; n++) attempts.failed(`client ${n}`, 0);
  assert.equal(attempts.failed('first', 0), 0);
});
