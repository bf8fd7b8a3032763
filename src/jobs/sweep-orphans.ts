// Removes result files with expired links, partly written files of killed processes, and files of models and results that no row
// has: from an attempt that was never published, or a deletion interrupted between row and file. Such a file is removed only if it
// was seen without a row twice, an hour of this process's own time apart, so that neither a file about to be published nor a
// clock jump causes a loss.

import { sweepSparkRuns } from '../aggregation/spark/run-files.ts';
import { HOUR_MS } from '../base/durations.ts';
import { type Runtime, systemRuntime } from '../base/runtime.ts';
import type { Logger } from '../observability/logger.ts';
import { sweepResults } from '../results/sweep-results.ts';
import type { BlobStore } from '../store/blob-store.ts';
import type { Store } from '../store/store.ts';
import { modelFiles, type OwnedFiles, resultFiles } from './owned-files.ts';
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

/** Files of one kind that nobody needs any more. */
interface SweepStep {
  readonly files: string;
  /** the field of the log that says what `remove` has returned */
  readonly field: 'attempts' | 'jobs' | 'files';
  /** names, or only how many */
  remove(): Promise<readonly string[] | number>;
}

/** Sweeps every hour until the signal fires. A step that fails does not keep the others from running. */
export async function sweepOrphans(options: SweepOptions): Promise<void> {
  const { log, signal, runtime = systemRuntime } = options;
  const steps = sweepSteps(options);
  while (!signal.aborted) {
    for (const { files, field, remove } of steps) {
      if (signal.aborted) return;
      try {
        const removed = await remove();
        const count = typeof removed === 'number' ? removed : removed.length;
        if (count > 0) log.info({ [field]: removed }, `removed ${files}`);
      } catch (error) {
        log.warn({ err: error }, `could not remove ${files}`);
      }
    }
    await runtime.sleep(HOUR_MS, signal).catch(() => {});
  }
}

function sweepSteps({ config, store, blobs, runtime = systemRuntime }: SweepOptions): SweepStep[] {
  const { queue } = store;
  const models = new OrphanSweeper(modelFiles(store.models), blobs, HOUR_MS);
  const results = new OrphanSweeper(resultFiles(queue), blobs, HOUR_MS);
  const running = async () => new Set((await queue.running()).map(attemptIdOf));
  return [
    {
      files: 'scratch folders of killed attempts',
      field: 'attempts',
      remove: () => sweepScratch(config.dataDir, queue),
    },
    {
      files: 'partly written files of a killed process',
      field: 'files',
      remove: () => blobs.removeLeftovers(),
    },
    {
      files: 'files for Spark of killed attempts',
      field: 'attempts',
      remove: () => sweepSparkRuns(blobs, running, runtime.nowMs()),
    },
    {
      files: 'files of parts of jobs that have ended',
      field: 'jobs',
      remove: () => sweepPieces(blobs, (jobId) => queue.waitsForParts(jobId)),
    },
    {
      files: 'files without a model',
      field: 'files',
      remove: () => models.sweep(runtime.monotonicMs()),
    },
    {
      files: 'result files that were not published',
      field: 'files',
      remove: () => results.sweep(runtime.monotonicMs()),
    },
    {
      files: 'result files with expired links',
      field: 'files',
      remove: async () => (await sweepResults(blobs, runtime.nowMs())).length,
    },
  ];
}

export class OrphanSweeper {
  readonly #owned: OwnedFiles;
  readonly #blobs: BlobStore;
  readonly #graceMs: number;
  #suspects = new Map<string, number>();

  constructor(owned: OwnedFiles, blobs: BlobStore, graceMs: number) {
    this.#owned = owned;
    this.#blobs = blobs;
    this.#graceMs = graceMs;
  }

  /** Sweeps once and returns the removed keys. */
  async sweep(monotonicMs: number): Promise<string[]> {
    const suspects = new Map<string, number>();
    const removed: string[] = [];
    let batch: string[] = [];
    const judge = async (): Promise<void> => {
      const needed = await this.#owned.needed(batch);
      for (const key of batch) {
        if (needed.has(key)) continue;
        const since = this.#suspects.get(key) ?? monotonicMs;
        if (monotonicMs - since < this.#graceMs) suspects.set(key, since);
        else {
          await this.#blobs.delete(key);
          removed.push(key);
        }
      }
      batch = [];
    };
    for await (const { key } of this.#blobs.list(this.#owned.prefix)) {
      batch.push(key);
      if (batch.length === BATCH) await judge();
    }
    await judge();
    this.#suspects = suspects;
    return removed;
  }
}
