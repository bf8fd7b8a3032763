// `--out FILE`: saves the result of a job as a file.
import { createWriteStream } from 'node:fs';
import { chmod, realpath, rename, rm, stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import type { Job, Kindred } from '../client/index.ts';
import { uniqueName } from '../domain/system.ts';
import type { Speaker } from './command.ts';
import { UsageError } from './exit-codes.ts';

const FORMATS = ['json', 'csv', 'svg'] as const;
export type ResultFormat = (typeof FORMATS)[number];

/** Of querying and clustering jobs: by the extension of the file. */
export function formatOfFile(path: string): ResultFormat {
  const format = FORMATS.find((known) => path.toLowerCase().endsWith(`.${known}`));
  if (!format) throw new UsageError(`${path} must end with .json, .csv or .svg`);
  return format;
}

/** Streamed, because it may be larger than memory. The file appears whole, or stays as it was; its link and its mode remain. */
export async function saveResult(
  kindred: Kindred,
  job: Job,
  { path, format, signal }: { path: string; format?: ResultFormat; signal: AbortSignal },
): Promise<void> {
  const target = await realpath(path).catch(() => path);
  const mode = (await stat(target).catch(() => undefined))?.mode;
  const part = `${target}.${uniqueName(8)}.part`;
  try {
    await kindred.streamResult(job, (chunks) => pipeline(chunks, createWriteStream(part, { mode }), { signal }), {
      ...{ format, signal },
    });
    // The umask may have taken bits from it.
    if (mode !== undefined) await chmod(part, mode);
    await rename(part, target);
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    await rm(part, { force: true });
  }
}

/** The job's own message, because the whole result is in the file. */
export function sayWhereSaved(speaker: Speaker, job: Job, place: string): void {
  speaker.result(job, () => [job.job_result?.message, `Saved in ${place}.`].filter(Boolean).join(' '));
}
