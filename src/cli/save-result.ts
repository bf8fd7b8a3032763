// `--out FILE`: writes the result of a job in the format of the file's extension.
import { writeFileSync } from 'node:fs';
import type { Job, Kindred } from '../client/index.ts';
import { UsageError } from './exit-codes.ts';

const FORMATS = ['json', 'csv', 'svg'] as const;
export type ResultFormat = (typeof FORMATS)[number];

export function formatOfFile(path: string): ResultFormat {
  const format = FORMATS.find((known) => path.toLowerCase().endsWith(`.${known}`));
  if (!format) throw new UsageError(`${path} must end with .json, .csv or .svg`);
  return format;
}

export async function saveResult(kindred: Kindred, job: Job, path: string): Promise<void> {
  const format = formatOfFile(path);
  const content =
    format === 'json' ? JSON.stringify(await kindred.downloadResult(job)) : await kindred.downloadResult(job, format);
  writeFileSync(path, content);
}
