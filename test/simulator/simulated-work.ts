// What jobs other than deployments do in the simulation: they only take some time, leave a file, and now and then fail. A
// recommendation job is cut into parts, which are joined.
import { newId } from '../../src/domain/ids.ts';
import { JobFailure } from '../../src/domain/job.ts';
import type { RunHandler } from '../../src/jobs/hold-lease.ts';
import { type PartResult, pieceOf, putPieceFiles } from '../../src/jobs/parts/piece-files.ts';
import { attemptIdOf } from '../../src/jobs/sweep-scratch.ts';
import { type BlobStore, RESULT_PREFIX } from '../../src/store/blob-store.ts';
import type { ClaimedJob, JobQueue, Publication } from '../../src/store/job-queue.ts';
import type { Machine } from './machine.ts';
import { fileOf } from './simulated-models.ts';
import type { Sweeping } from './simulated-sweep.ts';

export interface WorkOptions {
  longestWorkMs: number;
  /** of the attempts that end in an unexpected error */
  failedShare: number;
  /** null: nothing is swept */
  readonly sweeping: Sweeping | null;
}

interface WorkParts {
  readonly machine: Machine;
  readonly queue: JobQueue;
  readonly blobs: BlobStore;
  readonly work: WorkOptions;
}

/** The file of a part. */
const PIECE = 'piece';
const MOST_PARTS = 3;

export function simulatedWork(claimed: ClaimedJob, parts: WorkParts): RunHandler {
  const { machine, work } = parts;
  const { runtime, world } = machine;
  const { random } = world;
  return async ({ signal, progress }) => {
    const turns = 1 + random.below(3);
    for (let turn = 1; turn <= turns; turn++) {
      await runtime.sleep((random.next() * work.longestWorkMs) / turns, signal);
      progress({ fraction: turn / turns, phase: 'work', message: '' });
    }
    if (random.chance(work.failedShare / 2)) throw new JobFailure('NO_DATA', 'There is nothing to learn from.');
    if (random.chance(work.failedShare)) throw new Error('unexpected');
    if (claimed.job.job_type === 'TRAINING') return train(claimed, parts);
    if (claimed.job.job_type !== 'RECOMMENDATION') return publish(claimed, parts, {});
    if (claimed.part !== null) return publishPart(claimed, parts);
    if (claimed.parts > 0) return joinParts(claimed, parts);
    return { split: Array.from({ length: 1 + random.below(MOST_PARTS) }, (_, number) => ({ number })) };
  };
}

async function train({ job, lease }: ClaimedJob, { machine, blobs }: WorkParts): Promise<Publication> {
  const { runtime } = machine;
  const modelId = newId('model', runtime);
  const artifact_key = fileOf(modelId);
  await blobs.putFile(artifact_key, '');
  const { account_id, project_id, job_id } = job;
  return {
    result: { attempt: lease.attempt, model_id: modelId },
    model: {
      account_id,
      project_id,
      model_id: modelId,
      name: '',
      algorithm_type: 'G1',
      algorithm_parameters: {},
      created_ts: runtime.nowMs(),
      job_id,
      artifact_key,
      metrics: null,
      training: { events_read: 1 },
    },
  };
}

async function publish({ lease }: ClaimedJob, { blobs }: WorkParts, facts: object): Promise<Publication> {
  const file = `${RESULT_PREFIX}${attemptIdOf(lease)}.json`;
  await blobs.putFile(file, '');
  return { result: { attempt: lease.attempt, file, ...facts } };
}

async function publishPart({ lease, part }: ClaimedJob, { blobs }: WorkParts): Promise<Publication> {
  const attemptId = attemptIdOf(lease);
  await putPieceFiles(blobs, { jobId: part!.jobId, attemptId, folder: '' }, [PIECE]);
  return { result: { attempt: lease.attempt, attempt_id: attemptId, facts: part!.data.number } };
}

async function joinParts(claimed: ClaimedJob, parts: WorkParts): Promise<Publication> {
  const results = (await parts.queue.partResults(claimed.job.job_id)) as PartResult<number>[];
  const joined: number[] = [];
  for (const result of results) {
    const { facts, file } = pieceOf(parts.blobs, claimed.job.job_id, result);
    await file(PIECE);
    joined.push(facts);
  }
  return publish(claimed, parts, { joined });
}
