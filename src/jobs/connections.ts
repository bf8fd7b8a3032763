// How many connections to PostgreSQL a worker opens at most: each of its threads has a store, and so a pool, of its own. The server
// allows 100 by default, which API nodes need too. docs/operations.md does the sum.

/** The thread that claims jobs, keeps their leases and deploys. */
export const WORKER_CONNECTIONS = 6;
/** A training holds one for each of its scans (EventStore.scansAtOnce), and reads and writes of few rows need some next to them. */
export const JOB_THREAD_CONNECTIONS = 6;
/** Reads of few rows alone: one for them, and one for what every store does in the background. There may be a thread per core. */
export const LIST_THREAD_CONNECTIONS = 2;
