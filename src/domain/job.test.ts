import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defaultJobName } from './job.ts';

test('a job without a name is named by what it does and the minute it was submitted', () => {
  const submittedMs = Date.UTC(2026, 10, 15, 20, 36, 28);
  assert.equal(defaultJobName('CLUSTERING', submittedMs), 'Groups of Nov 15, 20:36');
  assert.equal(defaultJobName('TRAINING', submittedMs), 'Training of Nov 15, 20:36');
});
