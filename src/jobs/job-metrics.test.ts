import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HOUR_MS } from '../base/durations.ts';
import { createMetrics } from '../observability/metrics.ts';
import type { JobStore } from '../store/job-store.ts';
import { addJobMetrics } from './job-metrics.ts';

test('jobs are counted by type and status, and failed ones over the last hour', async () => {
  const metrics = createMetrics();
  let sinceTs = 0;
  addJobMetrics(metrics, {
    counts: async () => [
      { job_type: 'TRAINING', job_status: 'PENDING', count: 2 },
      { job_type: 'TRAINING', job_status: 'RUNNING', count: 1 },
      { job_type: 'EXPORT', job_status: 'RUNNING', count: 4 },
    ],
    heartbeats: async () => 17,
    failedSince: async (ts: number) => {
      sinceTs = ts;
      return [{ job_type: 'QUERYING', job_status: 'FAILED', count: 3 }];
    },
  } as Partial<JobStore> as JobStore);
  const text = await metrics.text();
  const figures = [
    'kindred_jobs{job_type="TRAINING",job_status="PENDING"} 2',
    'kindred_jobs{job_type="TRAINING",job_status="RUNNING"} 1',
    'kindred_jobs{job_type="EXPORT",job_status="PENDING"} 0',
    'kindred_jobs{job_type="EXPORT",job_status="RUNNING"} 4',
    'kindred_job_heartbeats 17',
    'kindred_jobs_failed_last_hour{job_type="QUERYING"} 3',
    'kindred_jobs_failed_last_hour{job_type="TRAINING"} 0',
  ];
  for (const figure of figures) assert.ok(text.includes(`${figure}\n`), figure);
  assert.ok(Math.abs(Date.now() - HOUR_MS - sinceTs) < HOUR_MS / 2);
});
