// Intervals of the queue. The lease is many heartbeats long, because a worker runs at low priority and may be late.

export interface JobTiming {
  /** pause between polls for work */
  readonly pollMs: number;
  /** time between heartbeats of a running job */
  readonly heartbeatMs: number;
  /** a job without a heartbeat for this long is taken back */
  readonly leaseMs: number;
  /** pause before the first retry; doubles with every retry */
  readonly backOffMs: number;
  /** minimum time between writes of changed progress */
  readonly progressMs: number;
}

export function jobTiming(leaseMs: number): JobTiming {
  return { pollMs: 250, heartbeatMs: leaseMs / 10, leaseMs, backOffMs: leaseMs / 10, progressMs: 500 };
}

export function backOffMs(timing: JobTiming, retryCount: number): number {
  return timing.backOffMs * 2 ** retryCount;
}
