// How many jobs wait and run, by type, for /metrics.
import { Gauge } from 'prom-client';
import { JOB_TYPES } from '../domain/job.ts';
import type { Metrics } from '../observability/metrics.ts';
import type { JobStore } from '../store/job-store.ts';

export function addJobMetrics(metrics: Metrics, jobs: JobStore): void {
  new Gauge({
    name: 'kindred_jobs',
    help: 'Jobs that wait or run, by type and status.',
    labelNames: ['job_type', 'job_status'],
    registers: [metrics.registry],
    async collect() {
      for (const job_type of JOB_TYPES) {
        for (const job_status of ['PENDING', 'RUNNING']) this.set({ job_type, job_status }, 0);
      }
      for (const { job_type, job_status, count } of await jobs.counts()) this.set({ job_type, job_status }, count);
    },
  });
}
