import assert from 'node:assert/strict';
import { test } from 'node:test';
import { leavesNoResult } from './job-attempts.ts';
import { backOffMs, jobTiming } from './timing.ts';

test('a lease is ten heartbeats long', () => {
  const timing = jobTiming(30_000);
  assert.deepEqual([timing.leaseMs, timing.heartbeatMs, timing.backOffMs], [30_000, 3000, 3000]);
});

test('the pause before a retry doubles', () => {
  const timing = jobTiming(30_000);
  assert.deepEqual(
    [0, 1, 2, 3].map((retries) => backOffMs(timing, retries)),
    [3000, 6000, 12_000, 24_000],
  );
});

test('only files of an attempt that was not published go, and none while nobody knows', () => {
  for (const type of ['QUERYING', 'CLUSTERING', 'RECOMMENDATION', 'EXPORT'] as const) {
    for (const outcome of ['failed', 'retried', 'released', 'lost', 'split'] as const) {
      assert.equal(leavesNoResult(type, outcome), true, `${type} ${outcome}`);
    }
    assert.equal(leavesNoResult(type, 'succeeded'), false);
    assert.equal(leavesNoResult(type, null), false);
  }
  for (const type of ['TRAINING', 'DEPLOYMENT', 'IMPORT', 'DATA_HEALTH'] as const) {
    assert.equal(leavesNoResult(type, 'failed'), false, type);
  }
});
