// One service per SQLite data folder. The lock is SQLite's own on a small file next to the database, held by an open
// transaction: the operating system releases it with the process, also after kill -9, so it can never be stale. A reserved
// lock lets others read, so the file also says who holds it.
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { isBusy, openingFile } from './sqlite-error.ts';

const LOCK_FILE = 'serve.lock';

export interface ServeHolder {
  readonly pid: number;
  readonly sinceMs: number;
}

/** `heldBy` is null while the other process is still writing its name. */
export type ServeLock = { release(): void } | { heldBy: ServeHolder | null };

/** Locks the folder until it is released or the process ends, however that happens. */
export function holdForServing(dataDir: string, nowMs: number): ServeLock {
  mkdirSync(dataDir, { recursive: true });
  const path = join(dataDir, LOCK_FILE);
  return openingFile(path, () => {
    const file = new DatabaseSync(path);
    return tryLock(file, () => {
      file.exec('CREATE TABLE IF NOT EXISTS holder (pid INTEGER, since_ms INTEGER); DELETE FROM holder');
      file.prepare('INSERT INTO holder VALUES (?, ?)').run(process.pid, nowMs);
      file.exec('COMMIT');
      // If another process takes the lock in between, it has written its own name and holds the folder.
      file.exec('BEGIN IMMEDIATE');
    });
  });
}

/** Whether another process serves the folder. Creates nothing. */
export function isServed(dataDir: string): { heldBy: ServeHolder | null } | null {
  if (!existsSync(join(dataDir, LOCK_FILE))) return null;
  const lock = tryLock(new DatabaseSync(join(dataDir, LOCK_FILE)));
  if ('heldBy' in lock) return lock;
  lock.release();
  return null;
}

function tryLock(file: DatabaseSync, signName?: () => void): ServeLock {
  try {
    file.exec('BEGIN IMMEDIATE');
    signName?.();
    return { release: () => file.close() };
  } catch (error) {
    const held = isBusy(error) ? { heldBy: holderOf(file) } : null;
    file.close();
    if (held === null) throw error;
    return held;
  }
}

function holderOf(file: DatabaseSync): ServeHolder | null {
  try {
    if (file.isTransaction) file.exec('ROLLBACK');
    const row = file.prepare('SELECT pid, since_ms FROM holder').get() as { pid: number; since_ms: number } | undefined;
    return row ? { pid: row.pid, sinceMs: row.since_ms } : null;
  } catch {
    return null;
  }
}
