// After something was erased, SQLite still holds copies of it: the log has the pages as they were before, and a page that was
// split can keep an old copy of a row in its unused part, which secure_delete does not reach. Soon after, a file that is not
// large is rewritten, and the log is moved into the file and cut to nothing, whatever its length. Long reads delay the log: it
// is tried again. Merging users happens too often for a rewrite: only the log is cut.
import type { DatabaseSync } from 'node:sqlite';
import { type Runtime, systemRuntime, type Timer } from '../../base/runtime.ts';
import { BUSY_TIMEOUT_MS } from './connection.ts';

const SOON_MS = 100;
const AGAIN_MS = 1000;
/** How long one attempt may wait for other processes, during which the writer waits too. */
const PATIENCE_MS = 20;
/** Larger files are not rewritten: it takes memory of their size and about a second per 64 MiB. */
const MAX_REWRITTEN_BYTES = 64 * 1024 * 1024;
/** The cleaner rests this many times as long as a rewrite took, to leave time to the writer. */
const REST_RATIO = 20;

/** What calls back when it removes something of users. */
export interface Erasure {
  /** Call after data was erased. */
  due(): void;
  /** Call after an id was replaced by another: cuts the log and does not rewrite the file. */
  logDue(): void;
}

export interface RemainsCleaner extends Erasure {
  /** Runs what is due and stops the timer. */
  stop(): void;
}

export function remainsCleaner(db: DatabaseSync, runtime: Runtime = systemRuntime): RemainsCleaner {
  const checkpoint = db.prepare('PRAGMA wal_checkpoint(TRUNCATE)');
  let timer: Timer | undefined;
  let restUntilMs = 0;
  let mustRewrite = false;

  function clean(): void {
    timer = undefined;
    let isBusy = true;
    const startedMs = runtime.monotonicMs();
    db.exec(`PRAGMA busy_timeout = ${PATIENCE_MS}`);
    try {
      if (mustRewrite && fileBytes(db) <= MAX_REWRITTEN_BYTES) db.exec('VACUUM');
      mustRewrite = false;
      isBusy = (checkpoint.get() as { busy: number }).busy !== 0;
    } catch {
      // Another process writes or the disk is full. The next attempt follows.
    } finally {
      db.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
    }
    const endedMs = runtime.monotonicMs();
    restUntilMs = endedMs + REST_RATIO * (endedMs - startedMs);
    if (isBusy) timer = runtime.after(Math.max(AGAIN_MS, restUntilMs - endedMs), clean);
  }

  function logDue(): void {
    timer ??= runtime.after(Math.max(SOON_MS, restUntilMs - runtime.monotonicMs()), clean);
  }

  return {
    due() {
      mustRewrite = true;
      logDue();
    },
    logDue,
    stop() {
      if (timer === undefined) return;
      timer.cancel();
      clean();
      timer?.cancel();
    },
  };
}

function fileBytes(db: DatabaseSync): number {
  const { page_count } = db.prepare('PRAGMA page_count').get() as { page_count: number };
  const { page_size } = db.prepare('PRAGMA page_size').get() as { page_size: number };
  return page_count * page_size;
}
