// Gives an attempt of a job its scratch folder and its handler, and removes what it left behind when it ends.
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Runtime, systemRuntime } from '../base/runtime.ts';
import { type JobType, RESULT_JOB_TYPES } from '../domain/job.ts';
import type { Logger } from '../observability/logger.ts';
import { discardResult } from '../results/publish-result.ts';
import type { BlobStore } from '../store/blob-store.ts';
import type { ClaimedJob, JobQueue } from '../store/job-queue.ts';
import type { Store } from '../store/store.ts';
import { deploy } from './handlers/deployment.ts';
import type { JobOutcome, RunHandler } from './hold-lease.ts';
import type { JobConfig } from './job-handler.ts';
import { JobThreads } from './job-threads.ts';
import { removePieces } from './parts/piece-files.ts';
import { attemptIdOf, scratchRoot } from './sweep-scratch.ts';

export interface JobAttempts {
  handlerOf(claimed: ClaimedJob, log: Logger): RunHandler;
  /** Call after the lease was given up. null means that the outcome could not be written. */
  ended(claimed: ClaimedJob, outcome: JobOutcome | null, log: Logger): Promise<void>;
  /** Call when no more attempts will follow. */
  close(): Promise<void>;
}

export interface AttemptParts {
  store: Store;
  blobs: BlobStore;
  config: JobConfig;
  runtime?: Runtime;
}

/**
 * Whether the attempt left files that were not published, e.g. because users were deleted meanwhile, and that must be removed.
 */
export function leavesNoResult(jobType: JobType, outcome: JobOutcome | null): boolean {
  return RESULT_JOB_TYPES.includes(jobType) && outcome !== null && outcome !== 'succeeded';
}

/** Removes what an attempt left and nobody needs: files that were not published, and those of all parts of a job that has ended. */
export async function removeUnneeded(
  blobs: Pick<BlobStore, 'list' | 'delete'>,
  queue: Pick<JobQueue, 'waitsForParts'>,
  { job, lease, part, parts }: ClaimedJob,
  outcome: JobOutcome | null,
): Promise<void> {
  const isUnpublished = leavesNoResult(job.job_type, outcome);
  if (isUnpublished && part === null) await discardResult(blobs, attemptIdOf(lease));
  const cutJob = part?.jobId ?? (parts > 0 ? job.job_id : null);
  if (cutJob === null) return;
  if (!(await queue.waitsForParts(cutJob))) await removePieces(blobs, cutJob);
  else if (isUnpublished && part !== null) await removePieces(blobs, cutJob, attemptIdOf(lease));
}

export function jobAttempts({ store, blobs, config, runtime = systemRuntime }: AttemptParts): JobAttempts {
  const threads = new JobThreads(config);
  const scratchOf = (attemptId: string): string => join(scratchRoot(config.dataDir), attemptId);
  return {
    handlerOf(claimed, log) {
      const { job, lease } = claimed;
      const attemptId = attemptIdOf(lease);
      const scratchDir = scratchOf(attemptId);
      return async (control) => {
        await mkdir(scratchDir, { recursive: true });
        // A deployment mostly waits for nodes, so it runs on this thread.
        return job.job_type === 'DEPLOYMENT'
          ? deploy({ job, lease, attemptId, store, blobs, config, scratchDir, log, runtime, ...control })
          : threads.run(
              { claimed, attemptId, scratchDir },
              { ...control, log: ({ level, fields, message }) => log[level](fields, message) },
            );
      };
    },

    async ended(claimed, outcome, log) {
      await removeUnneeded(blobs, store.queue, claimed, outcome).catch((error) =>
        log.warn({ err: error }, 'files of a job that are not needed any more could not be removed'),
      );
      await rm(scratchOf(attemptIdOf(claimed.lease)), { recursive: true, force: true }).catch((error) =>
        log.warn({ err: error }, 'a scratch folder could not be removed'),
      );
    },

    close: () => threads.close(),
  };
}
