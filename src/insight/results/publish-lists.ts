// The files of a recommendation job: JSON Lines always, because deleted users are found and replaced there, and the table that
// was requested.
import { join } from 'node:path';
import type { ListFormat } from '../../domain/recommendation-job.ts';
import type { BlobStore } from '../../store/blob-store.ts';
import type { ErasureGuard } from './erasure-guard.ts';
import { type ListColumns, writeCsv, writeParquet } from './list-table.ts';
import type { PublishedResult } from './publish-result.ts';
import { NAMING_LINES } from './rename-users.ts';
import { LINK_LIFETIME_SEC, type ResultFormat, type ResultReference, resultKey, resultPath } from './result-link.ts';

export interface PublishListsInput {
  readonly blobs: Pick<BlobStore, 'putFile'>;
  readonly secret: string;
  /** has result.jsonl */
  readonly scratchDir: string;
  readonly resultId: string;
  readonly format: ListFormat;
  readonly columns: ListColumns;
  readonly nowMs: number;
  readonly erasures?: Pick<ErasureGuard, 'clean'> | null;
}

export async function publishLists(input: PublishListsInput): Promise<PublishedResult> {
  const { blobs, scratchDir, format, columns } = input;
  const expiredAtSec = Math.floor(input.nowMs / 1000) + LINK_LIFETIME_SEC;
  const reference: ResultReference = { resultId: input.resultId, expiredAtSec };
  const pathOf = (form: ResultFormat) => join(scratchDir, `result.${form}`);
  await input.erasures?.clean(pathOf, NAMING_LINES);
  if (format !== 'jsonl') await writeTable(format, pathOf('jsonl'), columns, pathOf(format));
  for (const form of new Set<ListFormat>(['jsonl', format])) {
    await blobs.putFile(resultKey(reference, form), pathOf(form));
  }
  const path = `${resultPath(input.secret, reference)}&format=${format}`;
  return { download_path: path, expired_at_sec: expiredAtSec };
}

export async function writeTable(
  format: Exclude<ListFormat, 'jsonl'>,
  linesFile: string,
  columns: ListColumns,
  target: string,
): Promise<void> {
  switch (format) {
    case 'csv':
      return writeCsv(linesFile, columns.attributes, target);
    case 'parquet':
      return writeParquet(linesFile, columns, target);
    default:
      return format satisfies never;
  }
}
