// `--out FILE`: saves the result of a job as a file.
import { createReadStream, createWriteStream } from 'node:fs';
import { chmod, rename, rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { uniqueName } from '../base/system.ts';
import { type Job, type Kindred, KindredError, type SaveChunks } from '../client/index.ts';
import type { Speaker } from './command.ts';
import { CommandError, exitCodeOf, UsageError } from './exit-codes.ts';
import type { ResultPlace } from './result-place.ts';

const FORMATS = ['json', 'csv', 'svg'] as const;
export type ResultFormat = (typeof FORMATS)[number];

/** Format of the result of a querying or clustering job, from the file's extension. */
export function formatOfFile(path: string): ResultFormat {
  const format = FORMATS.find((known) => path.toLowerCase().endsWith(`.${known}`));
  if (!format) throw new UsageError(`${path} must end with .json, .csv or .svg`);
  return format;
}

/** Streamed, because it may be larger than memory. A file that can be replaced appears whole, or stays as it was, and keeps its mode. */
export async function saveResult(
  kindred: Kindred,
  job: Job,
  { place, format, signal }: { place: ResultPlace; format?: ResultFormat; signal: AbortSignal },
): Promise<void> {
  const { target, mode, by } = place;
  const part = by === 'replace' ? `${target}.${uniqueName(8)}.part` : null;
  const write = (chunks: AsyncIterable<Uint8Array>): Promise<void> =>
    // A part is private until it has the mode of the file.
    pipeline(chunks, createWriteStream(part ?? target, { mode: mode === undefined ? undefined : 0o600 }), { signal });
  try {
    await kindred.streamResult(job, by === 'send' ? withoutRetry(write, place.path) : write, { format, signal });
    if (part === null) return;
    if (mode !== undefined) await chmod(part, mode);
    await putInPlace(part, target);
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    if (part !== null) await rm(part, { force: true });
  }
}

/** Data sent through a pipe cannot be taken back, so a lost connection is not retried. */
function withoutRetry(write: SaveChunks, path: string): SaveChunks {
  return async (chunks) => {
    try {
      await write(chunks);
    } catch (error) {
      if (!(error instanceof KindredError)) throw error;
      throw new CommandError(`${error.message}. ${path} got only a part of the result`, exitCodeOf(error));
    }
  };
}

/** A file that is mounted by itself, as in containers, cannot be replaced. */
async function putInPlace(part: string, target: string): Promise<void> {
  try {
    await rename(part, target);
  } catch (error) {
    if (!['EBUSY', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
    await pipeline(createReadStream(part), createWriteStream(target));
  }
}

/** The job's own message, because the whole result is in the file. */
export function sayWhereSaved(speaker: Speaker, job: Job, place: string): void {
  speaker.result(job, () => [job.job_result?.message, `Saved in ${place}.`].filter(Boolean).join(' '));
}
