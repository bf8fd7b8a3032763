// Removes result files whose links have ended, what killed processes left half-written, and model files that belong to no
// model: what an attempt left that was never published, or a deletion that was cut off between row and file. A file counts as
// orphaned only when it was seen without a model twice, an hour of this process's own time apart, so that neither a file about
// to be published nor a clock that jumped leads to a loss.
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { sweepResults } from '../insight/results/sweep-results.ts';
import type { Logger } from '../observability/logger.ts';
import type { BlobStore } from '../store/blob-store.ts';
import { MODEL_PREFIX } from '../store/blob-store.ts';
import type { ModelStore } from '../store/model-store.ts';
import type { Store } from '../store/store.ts';
import { sweepScratch } from './sweep-scratch.ts';

const HOUR_MS = 3_600_000;
const BATCH = 500;

export interface SweepOptions {
  config: { dataDir: string };
  store: Store;
  blobs: BlobStore;
  log: Logger;
  signal: AbortSignal;
}

/** Sweeps every hour until the signal fires. */
export async function sweepOrphans({ config, store, blobs, log, signal }: SweepOptions): Promise<void> {
  const sweeper = new OrphanSweeper(store.models, blobs, HOUR_MS);
  while (!signal.aborted) {
    try {
      const scratch = await sweepScratch(config.dataDir, store.queue);
      if (scratch.length > 0) log.info({ attempts: scratch }, 'removed scratch folders of attempts that were killed');
      const leftovers = await blobs.removeLeftovers();
      if (leftovers > 0) log.info({ files: leftovers }, 'removed half-written files of a process that was killed');
      const removed = await sweeper.sweep(performance.now());
      if (removed.length > 0) log.info({ files: removed }, 'removed files that belong to no model');
      const expired = await sweepResults(blobs, Date.now());
      if (expired.length > 0) log.info({ files: expired.length }, 'removed result files whose links have ended');
    } catch (error) {
      log.warn({ err: error }, 'could not look for files that are no longer needed');
    }
    await sleep(HOUR_MS, undefined, { signal }).catch(() => {});
  }
}

export class OrphanSweeper {
  readonly #models: ModelStore;
  readonly #blobs: BlobStore;
  readonly #graceMs: number;
  #suspects = new Map<string, number>();

  constructor(models: ModelStore, blobs: BlobStore, graceMs: number) {
    this.#models = models;
    this.#blobs = blobs;
    this.#graceMs = graceMs;
  }

  /** Looks once; answers the keys it removed. */
  async sweep(monotonicMs: number): Promise<string[]> {
    const suspects = new Map<string, number>();
    const removed: string[] = [];
    let batch: string[] = [];
    const judge = async (): Promise<void> => {
      const known = await this.#models.knownArtifacts(batch);
      for (const key of batch) {
        if (known.has(key)) continue;
        const since = this.#suspects.get(key) ?? monotonicMs;
        if (monotonicMs - since < this.#graceMs) suspects.set(key, since);
        else {
          await this.#blobs.delete(key);
          removed.push(key);
        }
      }
      batch = [];
    };
    for await (const { key } of this.#blobs.list(MODEL_PREFIX)) {
      batch.push(key);
      if (batch.length === BATCH) await judge();
    }
    await judge();
    this.#suspects = suspects;
    return removed;
  }
}
