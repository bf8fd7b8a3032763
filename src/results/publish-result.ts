// The three forms of a result, written to the job's own folder and then put into the blob store. The link is made last: until
// the job publishes it, nobody knows of the files; should the job fail, the sweep removes them when their time is over.
import { copyFile, link } from 'node:fs/promises';
import { join } from 'node:path';
import { type BlobStore, RESULT_PREFIX } from '../store/blob-store.ts';
import type { ErasureGuard } from './erasure-guard.ts';
import { TextFile } from './files/text-file.ts';
import { NAMING_FORMATS } from './rename-users.ts';
import {
  INSIGHT_FORMATS,
  type InsightFormat,
  LINK_LIFETIME_SEC,
  type ResultFormat,
  type ResultReference,
  resultKey,
  resultPath,
} from './result-link.ts';

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
  readonly writers: Readonly<Record<InsightFormat, ResultWriter>>;
  readonly nowMs: number;
  /** removes users who were deleted meanwhile from the files */
  readonly erasures?: Pick<ErasureGuard, 'publish'> | null;
}

export async function publishResult(input: PublishInput): Promise<PublishedResult> {
  const expiredAtSec = Math.floor(input.nowMs / 1000) + LINK_LIFETIME_SEC;
  const reference: ResultReference = { resultId: input.resultId, expiredAtSec };
  const pathOf = (format: ResultFormat) => join(input.scratchDir, `result.${format}`);
  for (const format of INSIGHT_FORMATS) {
    const file = await TextFile.create(pathOf(format));
    try {
      await input.writers[format](file);
    } finally {
      await file.close();
    }
  }
  const put = (format: InsightFormat, path: string) => input.blobs.putFile(resultKey(reference, format), path);
  await put('svg', pathOf('svg'));
  const putNaming = () =>
    Promise.all(NAMING_FORMATS.map(async (format) => put(format, await secondName(pathOf(format)))));
  await (input.erasures ? input.erasures.publish(putNaming, pathOf) : putNaming());
  return { download_path: resultPath(input.secret, reference), expired_at_sec: expiredAtSec };
}

/** A second name of the file, for a store that takes it away. File systems without such names copy it. */
export async function secondName(path: string): Promise<string> {
  const second = `${path}.sent`;
  await link(path, second).catch(() => copyFile(path, second));
  return second;
}

/** Removes the files of an attempt that was not published: nothing refers to them, and they may name users. */
export async function discardResult(blobs: Pick<BlobStore, 'list' | 'delete'>, resultId: string): Promise<void> {
  for await (const { key } of blobs.list(RESULT_PREFIX)) {
    if (key.split('/').at(-1)!.startsWith(`${resultId}.`)) await blobs.delete(key);
  }
}
