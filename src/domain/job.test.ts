import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemRuntime } from '../base/runtime.ts';
import { defaultJobName, JOB_TYPES, jobName, newJob } from './job.ts';

test('a job without a name is named by what it does and the minute it was submitted', () => {
  const submittedMs = Date.UTC(2026, 10, 15, 20, 36, 28);
  assert.equal(defaultJobName('CLUSTERING', submittedMs), 'Groups of Nov 15, 20:36');
  assert.equal(defaultJobName('TRAINING', submittedMs), 'Training of Nov 15, 20:36');
  assert.equal(jobName('Roll-back', submittedMs), 'Roll-back of Nov 15, 20:36');
});

test('each type of job has a name of its own', () => {
  const names = JOB_TYPES.map((type) => defaultJobName(type, 0));
  assert.equal(new Set(names).size, JOB_TYPES.length);
  for (const name of names) assert.match(name, /^[A-Z][a-z ]+ of Jan 1, 00:00$/);
});

test('a new job waits, with the name it was given', () => {
  const given = { account_id: 'acc_1', project_id: 'prj_1', job_type: 'EXPORT' as const, job_data: { what: 'items' } };
  const { job_id, progress, ...job } = newJob({ ...given, name: 'Nightly' }, systemRuntime, 5);
  assert.match(job_id, /^job_/);
  assert.equal(progress.fraction, 0);
  assert.deepEqual(job, {
    ...given,
    name: 'Nightly',
    created_ts: 5,
    job_result: null,
    job_status: 'PENDING',
    retry_count: 0,
    started_ts: null,
    finished_ts: null,
    failure_reason: null,
  });
  assert.equal(newJob(given, systemRuntime, 5).name, defaultJobName('EXPORT', 5));
});
