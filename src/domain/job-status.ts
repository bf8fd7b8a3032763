// PENDING → RUNNING → SUCCEED | FAILED | CANCELLED. A running job whose worker is lost, or that hit an unexpected error, goes back to
// PENDING.
export const JOB_STATUSES = ['PENDING', 'RUNNING', 'SUCCEED', 'FAILED', 'CANCELLED'] as const;
export type JobStatus = (typeof JOB_STATUSES)[number];

/** Whether the job waits or runs. */
export function isActive({ job_status }: { readonly job_status: JobStatus }): boolean {
  return job_status === 'PENDING' || job_status === 'RUNNING';
}
