// Waiting, running and failed jobs by type, and whether workers are alive, for /metrics.
import { HOUR_MS } from '../base/durations.ts';
import { type Runtime, systemRuntime } from '../base/runtime.ts';
import { JOB_TYPES } from '../domain/job.ts';
import type { Metrics } from '../observability/metrics.ts';
import type { JobStore } from '../store/job-store.ts';

export function addJobMetrics(metrics: Metrics, jobs: JobStore, runtime: Runtime = systemRuntime): void {
  const help = 'Waiting and running jobs and parts of jobs, by type and status.';
  metrics.gauges('kindred_jobs', help, ['job_type', 'job_status'], async () => {
    const counts = await jobs.counts();
    return JOB_TYPES.flatMap((job_type) =>
      ['PENDING', 'RUNNING'].map((job_status) => ({
        labels: { job_type, job_status },
        value: counts.find((one) => one.job_type === job_type && one.job_status === job_status)?.count ?? 0,
      })),
    );
  });
  const beats = 'Heartbeats of running jobs: it changes while a worker runs one.';
  metrics.gauge('kindred_job_heartbeats', beats, () => jobs.heartbeats());
  metrics.gauges('kindred_jobs_failed_last_hour', 'Jobs that failed in the last hour.', ['job_type'], async () => {
    const counts = await jobs.failedSince(runtime.nowMs() - HOUR_MS);
    return JOB_TYPES.map((job_type) => ({
      labels: { job_type },
      value: counts.find((one) => one.job_type === job_type)?.count ?? 0,
    }));
  });
}
