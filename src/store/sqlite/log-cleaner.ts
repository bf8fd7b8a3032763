// After something was erased, SQLite's log still holds the pages as they were before. It is taken over into the file and cut to
// nothing soon after, whatever its length; who reads for long delays it, and it is tried again.
import type { DatabaseSync } from 'node:sqlite';
import { BUSY_TIMEOUT_MS } from './connection.ts';

const SOON_MS = 100;
const AGAIN_MS = 1000;
/** How long a try may hold up the writer. */
const PATIENCE_MS = 20;

export interface LogCleaner {
  /** The log holds what must go. */
  due(): void;
  stop(): void;
}

export function logCleaner(db: DatabaseSync): LogCleaner {
  const checkpoint = db.prepare('PRAGMA wal_checkpoint(TRUNCATE)');
  let timer: NodeJS.Timeout | undefined;

  function clean(): void {
    timer = undefined;
    let isBusy = true;
    db.exec(`PRAGMA busy_timeout = ${PATIENCE_MS}`);
    try {
      isBusy = (checkpoint.get() as { busy: number }).busy !== 0;
    } catch {
      // A full disk, say: tried again.
    } finally {
      db.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
    }
    if (isBusy) timer = setTimeout(clean, AGAIN_MS);
  }

  return {
    due() {
      timer ??= setTimeout(clean, SOON_MS);
    },
    stop() {
      clearTimeout(timer);
    },
  };
}
