// Which files of the artifact store belong to a row of the database. The sweep (sweep-orphans.ts) removes the others.
import { MODEL_PREFIX, RESULT_PREFIX } from '../store/blob-store.ts';
import type { JobQueue, Lease } from '../store/job-queue.ts';
import type { ModelStore } from '../store/model-store.ts';

export interface OwnedFiles {
  readonly prefix: string;
  /** Returns those of the keys that are needed. */
  needed(keys: readonly string[]): Promise<ReadonlySet<string>>;
}

export function modelFiles(models: Pick<ModelStore, 'knownArtifacts'>): OwnedFiles {
  return { prefix: MODEL_PREFIX, needed: (keys) => models.knownArtifacts(keys) };
}

/** Files of results are named after the attempt that made them. An attempt that was killed has not published them. */
export function resultFiles(queue: Pick<JobQueue, 'neededResults'>): OwnedFiles {
  return {
    prefix: RESULT_PREFIX,
    async needed(keys) {
      const leases = keys.map(leaseOf);
      const isNeeded = await queue.neededResults(leases.filter((lease) => lease !== null));
      let next = 0;
      // Other names are not of attempts. They are removed when their time is over.
      return new Set(keys.filter((_, n) => leases[n] === null || isNeeded[next++]));
    },
  };
}

/** A result may have several files of one format, so only the start of the key counts. */
function leaseOf(key: string): Lease | null {
  const [, jobId, attempt] = /^results\/\d+\/([^/.]+)-(\d{1,9})\./.exec(key) ?? [];
  return jobId === undefined ? null : { jobId, attempt: Number(attempt) };
}
