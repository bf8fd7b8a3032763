// Limits the connections to PostgreSQL that a worker opens: each of its threads has a store, and so a pool, of its own. The
// server allows 100 by default, which API nodes need too. docs/operations.md does the sum.

/** Used by the thread that claims jobs, keeps their leases and deploys. */
export const WORKER_CONNECTIONS = 6;
/** A training holds one for each of its scans (EventStore.scansAtOnce), and reads and writes of few rows need some next to them. */
export const JOB_THREAD_CONNECTIONS = 6;
/**
 * These threads only read few rows: one connection for that, and one for the store's background work. There may be a thread per
 * core.
 */
export const LIST_THREAD_CONNECTIONS = 2;
