// Files of parts that wait to be joined, in the artifact store: any machine can have made them, any machine joins them. They are
// removed when their job has ended, and swept if its worker was killed before it could do so.
import { join } from 'node:path';
import { JobFailure } from '../../domain/job.ts';
import type { Piece } from '../../pieces/piece.ts';
import { BlobNotFound, type BlobStore, PART_PREFIX } from '../../store/blob-store.ts';

/** The result that a part publishes. */
export interface PartResult<Facts> extends Record<string, unknown> {
  /** id of the attempt that succeeded */
  attempt_id: string;
  facts: Facts;
}

const folderOf = (jobId: string, attemptId: string): string => `${PART_PREFIX}${jobId}/${attemptId}/`;

export async function putPieceFiles(
  blobs: Pick<BlobStore, 'putFile'>,
  { jobId, attemptId, folder }: { jobId: string; attemptId: string; folder: string },
  files: readonly string[],
): Promise<void> {
  for (const file of files) await blobs.putFile(folderOf(jobId, attemptId) + file, join(folder, file));
}

export function pieceOf<Facts>(
  blobs: Pick<BlobStore, 'localFile' | 'copy'>,
  jobId: string,
  { attempt_id, facts }: PartResult<Facts>,
): Piece<Facts> {
  const folder = folderOf(jobId, attempt_id);
  return {
    facts,
    file: (name) => blobs.localFile(folder + name).catch(asFailure),
    copyTo: (name, key) => blobs.copy(folder + name, key).catch(asFailure),
  };
}

/** A restored backup has the rows of finished parts but not their files. A retry does not bring them back. */
function asFailure(error: unknown): never {
  if (!(error instanceof BlobNotFound)) throw error;
  const message = "Files of this job's parts are missing, for example after a restore. Submit the job again.";
  throw new JobFailure('PARTS_MISSING', message);
}

/** Removes the files of one attempt, or of all parts of a job. */
export async function removePieces(
  blobs: Pick<BlobStore, 'list' | 'delete'>,
  jobId: string,
  attemptId?: string,
): Promise<void> {
  const prefix = attemptId === undefined ? `${PART_PREFIX}${jobId}/` : folderOf(jobId, attemptId);
  for await (const { key } of blobs.list(prefix)) await blobs.delete(key);
}

/** Removes files of jobs that do not wait for them; returns the ids of these jobs. */
export async function sweepPieces(
  blobs: Pick<BlobStore, 'list' | 'delete'>,
  isWaiting: (jobId: string) => Promise<boolean>,
): Promise<string[]> {
  const waits = new Map<string, boolean>();
  for await (const { key } of blobs.list(PART_PREFIX)) {
    const jobId = key.slice(PART_PREFIX.length).split('/')[0];
    if (!waits.has(jobId)) waits.set(jobId, await isWaiting(jobId));
    if (!waits.get(jobId)) await blobs.delete(key);
  }
  return [...waits].flatMap(([jobId, isKept]) => (isKept ? [] : [jobId]));
}
