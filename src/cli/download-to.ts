// Saves the result of a job as a file.
import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { CommandError, EXIT } from './exit-codes.ts';

/** A stream, because the file may be larger than memory. The link needs no credentials. */
export async function downloadTo(url: string, path: string, signal: AbortSignal): Promise<void> {
  const response = await fetch(url, { signal });
  if (!response.ok || response.body === null) {
    throw new CommandError(
      `cannot download the result (${response.status}). It is at ${url} for 24 hours`,
      EXIT.UNREACHABLE,
    );
  }
  await pipeline(Readable.fromWeb(response.body), createWriteStream(path), { signal });
}
