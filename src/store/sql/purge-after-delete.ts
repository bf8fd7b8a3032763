// Deleting a dataset removes its row in `dataset`; its records can be millions and go afterwards, a bounded number at a time,
// between other writes. What has no row in `dataset` can no longer be read or written, so nobody sees the difference.
import type { Runtime, Timer } from '../../base/runtime.ts';
import { asService } from '../on-behalf-of.ts';
import type { DatasetStore } from '../registry-store.ts';

/** Rows of a deleted dataset removed in one transaction. */
export const PURGE_CHUNK = 2000;
const AGAIN_MS = 5000;

export interface Purge {
  /** The same store, except that every deletion starts a purge. */
  datasets: DatasetStore;
  /** Continues the purge that an earlier process did not finish. */
  start(): void;
  stop(): Promise<void>;
}

/** `purgeSome` removes one chunk and returns whether more is left. */
export function purgeAfterDelete(
  datasets: DatasetStore,
  purgeSome: () => Promise<boolean>,
  runtime: Pick<Runtime, 'after'>,
): Purge {
  let stopping = false;
  let running: Promise<void> | undefined;
  let again = false;
  let retry: Timer | undefined;

  async function run(): Promise<void> {
    try {
      do {
        again = false;
        while (!stopping && (await purgeSome())) {
          // Each round deletes one chunk, so that other writes run in between.
        }
      } while (again && !stopping);
    } catch {
      // Writers get the error that stopped it (a full disk, a lost connection).
      if (!stopping) retry = runtime.after(AGAIN_MS, start, { background: true });
    } finally {
      running = undefined;
    }
  }

  function start(): void {
    again = true;
    retry?.cancel();
    if (!stopping) running ??= asService(run);
  }

  return {
    start,
    async stop() {
      stopping = true;
      retry?.cancel();
      await running;
    },
    datasets: {
      create: (dataset) => datasets.create(dataset),
      get: (accountId, kind, datasetId) => datasets.get(accountId, kind, datasetId),
      list: (accountId, kind, page) => datasets.list(accountId, kind, page),
      update: (accountId, kind, datasetId, change) => datasets.update(accountId, kind, datasetId, change),
      erasures: (datasetIds) => datasets.erasures(datasetIds),
      async delete(accountId, kind, datasetId) {
        const deleted = await datasets.delete(accountId, kind, datasetId);
        if (deleted !== null && deleted !== 'in-use') start();
        return deleted;
      },
    },
  };
}
