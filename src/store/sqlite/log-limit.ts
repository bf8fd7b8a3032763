// Keeps SQLite's log short. SQLite copies the log into the file by itself, but restarts it only when nobody has written
// in the meantime: with another process that writes now and then (heartbeats, for one), the log of one that writes without
// pause would grow without end, and every read with it. Here the last bit is taken over while nobody may write.
import { statSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { BUSY_TIMEOUT_MS } from './connection.ts';

const MAX_LOG_BYTES = 512 * 1024 * 1024;
/**
 * How long to wait for readers and other writers. Long reads are not interrupted: the next attempt follows when the log
 * has grown.
 */
const PATIENCE_MS = 200;

/** Returns the function to call after each commit. */
export function logLimit(db: DatabaseSync, file: string, maxBytes: number = MAX_LOG_BYTES): () => void {
  const checkpoint = db.prepare('PRAGMA wal_checkpoint(TRUNCATE)');
  let allowedBytes = maxBytes;
  return () => {
    const bytes = statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0;
    if (bytes <= allowedBytes) return;
    // The limit grows until a checkpoint succeeds.
    allowedBytes = bytes + maxBytes / 4;
    db.exec(`PRAGMA busy_timeout = ${PATIENCE_MS}`);
    try {
      const { busy } = checkpoint.get() as { busy: number };
      if (!busy) allowedBytes = maxBytes;
    } catch {
      // Ignores errors such as a full disk. Nothing is lost: everything is in the log, and the next write reports the
      // error.
    } finally {
      db.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
    }
  };
}
