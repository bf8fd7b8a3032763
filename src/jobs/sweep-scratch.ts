// Removes scratch folders of attempts that ended without cleaning up, e.g. by kill -9. A folder is created after its attempt
// was claimed, so one whose attempt is not running will never be used again. A recently changed folder is kept, because it may
// belong to a worker that has just lost its lease.
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { HOUR_MS } from '../base/durations.ts';
import { fileAgeMs } from '../base/system.ts';
import type { JobQueue, Lease } from '../store/job-queue.ts';

const GRACE_MS = HOUR_MS;

export const attemptIdOf = ({ jobId, attempt }: Lease): string => `${jobId}-${attempt}`;

export const scratchRoot = (dataDir: string): string => join(dataDir, 'scratch');

/** Sweeps once and returns the names of the removed folders. */
export async function sweepScratch(dataDir: string, queue: Pick<JobQueue, 'running'>): Promise<string[]> {
  const root = scratchRoot(dataDir);
  const names = await readdir(root).catch(() => []);
  if (names.length === 0) return [];
  const running = new Set((await queue.running()).map(attemptIdOf));
  const removed: string[] = [];
  for (const name of names) {
    if (running.has(name)) continue;
    const written = await stat(join(root, name)).catch(() => ({ mtimeMs: Number.POSITIVE_INFINITY }));
    if (fileAgeMs(written) < GRACE_MS) continue;
    await rm(join(root, name), { recursive: true, force: true });
    removed.push(name);
  }
  return removed;
}
