// The three forms of a result, written to the job's own folder and then put into the blob store. The link is made last: until
// the job publishes it, nobody knows of the files; should the job fail, the sweep removes them when their time is over.
import { join } from 'node:path';
import type { BlobStore } from '../../store/blob-store.ts';
import {
  LINK_LIFETIME_SEC,
  RESULT_FORMATS,
  type ResultFormat,
  type ResultReference,
  resultKey,
  resultPath,
} from './result-link.ts';
import { TextFile } from './text-file.ts';

export type ResultWriter = (file: TextFile) => Promise<void>;

export interface PublishedResult extends Record<string, unknown> {
  /** the API node that shows the job puts its own address before it */
  download_path: string;
  expired_at_sec: number;
}

export interface PublishInput {
  readonly blobs: Pick<BlobStore, 'putFile'>;
  readonly secret: string;
  readonly scratchDir: string;
  readonly resultId: string;
  readonly writers: Readonly<Record<ResultFormat, ResultWriter>>;
  readonly nowMs: number;
}

export async function publishResult(input: PublishInput): Promise<PublishedResult> {
  const expiredAtSec = Math.floor(input.nowMs / 1000) + LINK_LIFETIME_SEC;
  const reference: ResultReference = { resultId: input.resultId, expiredAtSec };
  const pathOf = (format: ResultFormat) => join(input.scratchDir, `result.${format}`);
  for (const format of RESULT_FORMATS) {
    const file = await TextFile.create(pathOf(format));
    try {
      await input.writers[format](file);
    } finally {
      await file.close();
    }
  }
  await Promise.all(RESULT_FORMATS.map((format) => input.blobs.putFile(resultKey(reference, format), pathOf(format))));
  return { download_path: resultPath(input.secret, reference), expired_at_sec: expiredAtSec };
}
