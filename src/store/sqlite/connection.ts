// How Kindred opens its SQLite file. WAL lets readers run next to the one writer; synchronous=FULL syncs the log at every
// commit, so that an acknowledged write survives power loss; busy_timeout because a worker process writes to the same file.
import { DatabaseSync } from 'node:sqlite';
import { isBusy } from './sqlite-error.ts';

export const BUSY_TIMEOUT_MS = 10_000;
const BUSY_POLL_MS = 2;

/** Pages of 4 kB after which the log is written back: 128 MB. */
const CHECKPOINT_PAGES = 32_000;

export function openWriterConnection(file: string): DatabaseSync {
  return withSettings(new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS }), {
    journal_mode: 'WAL',
    synchronous: 'FULL',
    cache_size: -131_072,
    // Events are inserted all over their tree. The more of them one checkpoint writes back, the fewer pages are written twice.
    wal_autocheckpoint: CHECKPOINT_PAGES,
    journal_size_limit: CHECKPOINT_PAGES * 4096 * 2,
    temp_store: 'MEMORY',
    // Overwrites deleted data with zeros, on freed pages too.
    secure_delete: 'ON',
  });
}

/**
 * The file must exist. Reads see every commit acknowledged before they start. Not memory-mapped: it measured no faster, counts
 * as the process's memory, and a failing disk would end the process instead of one read.
 */
export function openReaderConnection(file: string, cacheKib = 65_536): DatabaseSync {
  return withSettings(new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS, readOnly: true }), {
    cache_size: -cacheKib,
    temp_store: 'MEMORY',
  });
}

/** Sets the pragmas. Some of them read the file: if that fails, the connection is closed. */
function withSettings(db: DatabaseSync, settings: Record<string, string | number>): DatabaseSync {
  try {
    for (const [name, value] of Object.entries(settings)) db.exec(`PRAGMA ${name} = ${value}`);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

const pause = new Int32Array(new SharedArrayBuffer(4));

/** Blocks the thread for this time. */
export function sleepSync(ms: number): void {
  Atomics.wait(pause, 0, 0, ms);
}

/**
 * Starts a transaction that writes. SQLite's own waiting polls less and less often, down to ten times per second, and a busy neighbor
 * leaves the file free only for moments: asking often is what gives every process its turn.
 */
export function beginImmediate(db: DatabaseSync): void {
  const deadline = performance.now() + BUSY_TIMEOUT_MS;
  db.exec('PRAGMA busy_timeout = 0');
  try {
    for (;;) {
      try {
        db.exec('BEGIN IMMEDIATE');
        return;
      } catch (error) {
        if (!isBusy(error) || performance.now() > deadline) throw error;
        sleepSync(BUSY_POLL_MS);
      }
    }
  } finally {
    db.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
  }
}
