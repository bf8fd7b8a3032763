import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS } from '../base/durations.ts';
import { suspiciousTime, timeFault } from './suspicious-time.ts';

const NOW_MS = Date.UTC(2026, 10, 16);
const YEAR_2000_MS = Date.UTC(2000, 0, 1);

test('a time from 2000 up to a day ahead is likely', () => {
  for (const ts of [YEAR_2000_MS, NOW_MS, NOW_MS + DAY_MS]) {
    assert.equal(timeFault(ts, NOW_MS), null);
    assert.equal(suspiciousTime(ts, NOW_MS), null);
  }
});

test('a time that would be likely in seconds was sent in seconds', () => {
  for (const ms of [YEAR_2000_MS, NOW_MS, NOW_MS + DAY_MS]) assert.equal(timeFault(ms / 1000, NOW_MS), 'seconds');
  assert.equal(timeFault(YEAR_2000_MS / 1000 - 1, NOW_MS), 'before_2000');
  assert.equal(timeFault((NOW_MS + DAY_MS) / 1000 + 1, NOW_MS), 'before_2000');
  assert.equal(timeFault(YEAR_2000_MS - 1, NOW_MS), 'before_2000');
  assert.match(suspiciousTime(NOW_MS / 1000, NOW_MS)!, /sent in seconds/);
});

test('a time more than a day ahead was sent in a smaller unit', () => {
  assert.equal(timeFault(NOW_MS + DAY_MS + 1, NOW_MS), 'future');
  assert.match(suspiciousTime(NOW_MS * 1000, NOW_MS)!, /smaller unit/);
});
