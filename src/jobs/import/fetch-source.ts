// Brings the file of an import job into the scratch folder: a Parquet file is read from its end, and a table is read twice at its start.
import { createWriteStream } from 'node:fs';
import { basename, join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { sourceOf } from '../../domain/destination.ts';
import { MAX_IMPORT_BYTES } from '../../domain/import-job.ts';
import { JobFailure } from '../../domain/job.ts';
import { readSource, SourceRefused } from '../../store/read-source.ts';
import type { JobContext } from '../job-handler.ts';

/** The part of the source's name that the copy keeps: enough to tell the format. */
const ENDING = /(\.(csv|tsv|jsonl|ndjson|json|parquet))?(\.gz)?$/i;

/** Returns the path of the copy. `onBytes` gets the share that has arrived, from 0 to 1. */
export async function fetchSource(
  { config, scratchDir, signal }: Pick<JobContext, 'config' | 'scratchDir' | 'signal'>,
  address: string,
  onBytes: (share: number) => void,
  maxBytes = MAX_IMPORT_BYTES,
): Promise<string> {
  const source = sourceOf(address, config.importSources ?? []);
  if (source === null) {
    const message = `This worker may not read ${address}. Set KINDRED_IMPORT_SOURCES on workers too.`;
    throw new JobFailure('SOURCE_NOT_ALLOWED', message);
  }
  const { stream, bytes, close } = await readSource(source, signal).catch((error) => {
    throw error instanceof SourceRefused ? refusal(address, error) : error;
  });
  try {
    const path = join(scratchDir, `source${ENDING.exec(basename(source.key))?.[0] ?? ''}`);
    let arrived = 0;
    const counted = new Transform({
      transform(chunk: Buffer, _encoding, done) {
        arrived += chunk.length;
        onBytes(bytes === 0 ? 1 : Math.min(1, arrived / bytes));
        // A store may say nothing of a file's size, or something wrong.
        done(arrived > maxBytes ? tooLarge(address) : null, chunk);
      },
    });
    if (bytes > maxBytes) throw tooLarge(address);
    await pipeline(stream, counted, createWriteStream(path, { flags: 'wx', mode: 0o600 }), { signal });
    return path;
  } finally {
    stream.destroy();
    close();
  }
}

function refusal(address: string, { status, message }: SourceRefused): JobFailure {
  return status === 404
    ? new JobFailure('SOURCE_NOT_FOUND', `${address} does not exist (${message}). Check the address.`)
    : new JobFailure('SOURCE_REFUSED', `${address} was refused: ${message} (${status}).`);
}

function tooLarge(address: string): JobFailure {
  return new JobFailure('SOURCE_TOO_LARGE', `${address} is larger than 64 GiB. Split it into several files.`);
}
