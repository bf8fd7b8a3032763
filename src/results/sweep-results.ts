// Removes result files whose links have ended. Any worker may do it at any time: a file is judged by the time in its key alone.

import type { BlobStore } from '../store/blob-store.ts';
import { RESULT_PREFIX } from '../store/blob-store.ts';
import { expiryOfKey } from './result-link.ts';

/** A download begun in the last second may still be reading. */
const GRACE_SEC = 3600;

/** Looks once; returns the keys it removed. */
export async function sweepResults(blobs: Pick<BlobStore, 'list' | 'delete'>, nowMs: number): Promise<string[]> {
  const removed: string[] = [];
  for await (const { key } of blobs.list(RESULT_PREFIX)) {
    const expiredAtSec = expiryOfKey(key);
    if (expiredAtSec === null || expiredAtSec + GRACE_SEC > nowMs / 1000) continue;
    await blobs.delete(key);
    removed.push(key);
  }
  return removed;
}
