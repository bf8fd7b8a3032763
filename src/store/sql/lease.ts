// The fence around a running job (see ../job-queue.ts): a condition that every write of a worker carries.
import type { Lease } from '../job-queue.ts';

/** SQL condition that a row is held by this lease. */
export const HELD = `job_id = ? AND attempt = ? AND job_status = 'RUNNING'`;

export function held(lease: Lease): [string, number] {
  return [lease.jobId, lease.attempt];
}
