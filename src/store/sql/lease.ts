// The fence around a running job. The pair (job_id, attempt) is the lease: every write of a worker asks for the attempt it was
// given and for RUNNING, so a worker that lost its lease (paused, cut off, thought dead) can change nothing, however late it
// wakes up.

export interface Lease {
  readonly jobId: string;
  /** the fencing token */
  readonly attempt: number;
}

/** True only for the row whose lease this is. */
export const HELD = `job_id = ? AND attempt = ? AND job_status = 'RUNNING'`;

export function held(lease: Lease): [string, number] {
  return [lease.jobId, lease.attempt];
}
