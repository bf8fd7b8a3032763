// Removes result files with expired links, partly written files of killed processes, and model files without a model: from an
// attempt that was never published, or a deletion interrupted between row and file. A file counts as orphaned only if it was
// seen without a model twice, an hour of this process's own time apart, so that neither a file about to be published nor a
// clock jump causes a loss.

import { sweepSparkRuns } from '../aggregation/spark/run-files.ts';
import { HOUR_MS } from '../base/durations.ts';
import { type Runtime, systemRuntime } from '../base/runtime.ts';
import type { Logger } from '../observability/logger.ts';
import { sweepResults } from '../results/sweep-results.ts';
import type { BlobStore } from '../store/blob-store.ts';
import { MODEL_PREFIX } from '../store/blob-store.ts';
import type { ModelStore } from '../store/model-store.ts';
import type { Store } from '../store/store.ts';
import { sweepPieces } from './parts/piece-files.ts';
import { attemptIdOf, sweepScratch } from './sweep-scratch.ts';

const BATCH = 500;

export interface SweepOptions {
  config: { dataDir: string };
  store: Store;
  blobs: BlobStore;
  log: Logger;
  signal: AbortSignal;
  runtime?: Runtime;
}

/** Sweeps every hour until the signal fires. */
export async function sweepOrphans(options: SweepOptions): Promise<void> {
  const { config, store, blobs, log, signal, runtime = systemRuntime } = options;
  const sweeper = new OrphanSweeper(store.models, blobs, HOUR_MS);
  while (!signal.aborted) {
    try {
      const scratch = await sweepScratch(config.dataDir, store.queue);
      if (scratch.length > 0) log.info({ attempts: scratch }, 'removed scratch folders of killed attempts');
      const leftovers = await blobs.removeLeftovers();
      if (leftovers > 0) log.info({ files: leftovers }, 'removed partly written files of a killed process');
      const running = async () => new Set((await store.queue.running()).map(attemptIdOf));
      const counted = await sweepSparkRuns(blobs, running, runtime.nowMs());
      if (counted.length > 0) log.info({ attempts: counted }, 'removed files for Spark of killed attempts');
      const joined = await sweepPieces(blobs, (jobId) => store.queue.waitsForParts(jobId));
      if (joined.length > 0) log.info({ jobs: joined }, 'removed files of parts of jobs that have ended');
      const removed = await sweeper.sweep(runtime.monotonicMs());
      if (removed.length > 0) log.info({ files: removed }, 'removed files without a model');
      const expired = await sweepResults(blobs, runtime.nowMs());
      if (expired.length > 0) log.info({ files: expired.length }, 'removed result files with expired links');
    } catch (error) {
      log.warn({ err: error }, 'could not check for files that are no longer needed');
    }
    await runtime.sleep(HOUR_MS, signal).catch(() => {});
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

  /** Sweeps once and returns the removed keys. */
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
