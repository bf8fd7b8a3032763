// The files of a job that writes lines: JSON Lines always, because deleted users are found and taken out there, and the table that
// was requested.
import { join } from 'node:path';
import type { BlobStore } from '../store/blob-store.ts';
import type { ErasureGuard } from './erasure-guard.ts';
import { type PublishedResult, secondName } from './publish-result.ts';
import { NAMING_LINES, type WriteWithout } from './rename-users.ts';
import { keepParts, MAX_REWRITTEN_BYTES } from './result-files.ts';
import { LINK_LIFETIME_SEC, type ResultFormat, type ResultReference, resultKey, resultPath } from './result-link.ts';

/** A file that is made from the lines. */
export interface LineTable {
  readonly format: Exclude<ResultFormat, 'jsonl'>;
  make(linesFile: string, target: string): Promise<void>;
  /** Makes it of what was written next to the lines; left out: there is nothing. */
  readonly join?: (target: string) => Promise<void>;
}

/** The lines of a result, which the parts of the job have written. */
export interface ResultLines {
  readonly bytes: number;
  /** Each puts those of a part under a key; null if they are in no artifact store yet. */
  readonly copies: readonly ((key: string) => Promise<void>)[] | null;
  /** Writes all into one file. */
  join(target: string): Promise<void>;
}

export interface PublishLinesInput {
  readonly blobs: Pick<BlobStore, 'putFile'>;
  readonly secret: string;
  readonly scratchDir: string;
  readonly lines: ResultLines;
  readonly resultId: string;
  /** null if only the lines are published */
  readonly table: LineTable | null;
  readonly nowMs: number;
  readonly erasures?: Pick<ErasureGuard, 'publish' | 'hasErased'> | null;
  /** writes the file elsewhere and returns where it is; left out or null: it is kept for download */
  readonly deliver?: ((path: string) => Promise<string>) | null;
  /** writes the lines again without users who were deleted meanwhile */
  readonly write: WriteWithout;
}

/** The file is elsewhere, not to be downloaded here. */
export interface DeliveredResult extends Record<string, unknown> {
  destination: string;
}

export async function publishLines(input: PublishLinesInput): Promise<PublishedResult | DeliveredResult> {
  const { blobs, scratchDir, table, lines } = input;
  const expiredAtSec = Math.floor(input.nowMs / 1000) + LINK_LIFETIME_SEC;
  const reference: ResultReference = { resultId: input.resultId, expiredAtSec };
  const pathOf = (form: ResultFormat) => join(scratchDir, `result.${form}`);
  const linkTo = (form: ResultFormat) => ({
    download_path: `${resultPath(input.secret, reference)}&format=${form}`,
    expired_at_sec: expiredAtSec,
  });
  const isLinesAlone = table === null && !input.deliver && lines.bytes > MAX_REWRITTEN_BYTES;
  // Users who were deleted are taken out of one file. A user who is deleted after this check keeps the result from being published.
  if (isLinesAlone && lines.copies !== null && !(await input.erasures?.hasErased())) {
    await keepParts(reference, 'jsonl', lines.copies);
    return linkTo('jsonl');
  }
  await lines.join(pathOf('jsonl'));
  const put = async (isChanged: boolean) => {
    if (table !== null) {
      if (table.join && !isChanged) await table.join(pathOf(table.format));
      else await table.make(pathOf('jsonl'), pathOf(table.format));
    }
    const sent = (form: ResultFormat) => (form === 'jsonl' ? secondName(pathOf(form)) : pathOf(form));
    if (input.deliver) return { destination: await input.deliver(await sent(table?.format ?? 'jsonl')) };
    const formats: ResultFormat[] = ['jsonl', ...(table ? [table.format] : [])];
    for (const form of formats) await blobs.putFile(resultKey(reference, form), await sent(form));
    return linkTo(formats.at(-1)!);
  };
  return input.erasures ? input.erasures.publish(put, pathOf, NAMING_LINES, input.write) : put(false);
}
