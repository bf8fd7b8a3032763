// What a worker does all the time to files of models and parts (src/jobs/sweep-orphans.ts), with less patience: seeds are short.
import { modelFiles } from '../../src/jobs/owned-files.ts';
import { sweepPieces } from '../../src/jobs/parts/piece-files.ts';
import { OrphanSweeper } from '../../src/jobs/sweep-orphans.ts';
import { type BlobStore, MODEL_PREFIX, PART_PREFIX } from '../../src/store/blob-store.ts';
import type { Store } from '../../src/store/store.ts';
import type { Machine } from './machine.ts';
import type { SharedStore } from './shared-store.ts';

const EVERY_MS = 2000;
/** Where no message is lost, a worker publishes its model sooner after the file, or another one has taken the job back. */
export const SWEEP_GRACE_MS = 12_000;

export interface Sweeping {
  /** of files without a model, for workers that start */
  graceMs: number;
}

interface SweepParts {
  readonly machine: Machine;
  readonly store: Store;
  readonly blobs: BlobStore;
  readonly sweeping: Sweeping;
}

export async function simulatedSweep(
  { machine, store, blobs, sweeping }: SweepParts,
  signal: AbortSignal,
): Promise<void> {
  const { runtime } = machine;
  const sweeper = new OrphanSweeper(modelFiles(store.models), blobs, sweeping.graceMs);
  while (!signal.aborted) {
    try {
      await sweepPieces(blobs, (jobId) => store.queue.waitsForParts(jobId));
      await sweeper.sweep(runtime.monotonicMs());
    } catch {
      // Lost messages: the next sweep tries again.
    }
    await runtime.sleep(EVERY_MS, signal).catch(() => {});
  }
}

/** Files that a sweep has to remove. */
export function orphansIn(shared: SharedStore): string[] {
  const isFound = (sql: string, param: string) => shared.rows(sql, param).length > 0;
  return [...shared.files].filter((key) => {
    if (key.startsWith(MODEL_PREFIX)) return !isFound('SELECT 1 FROM model WHERE artifact_key = ?', key);
    if (!key.startsWith(PART_PREFIX)) return false;
    const [jobId] = key.slice(PART_PREFIX.length).split('/');
    return !isFound(`SELECT 1 FROM job WHERE job_id = ? AND job_status IN ('PENDING', 'RUNNING')`, jobId);
  });
}
