// Limits the size of a result's lines. A job fails before it writes more: a part may use what the finished parts left.
import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { JobFailure } from '../domain/job.ts';
import type { JobContext } from './job-handler.ts';
import type { PartResult } from './parts/piece-files.ts';

export const MAX_RESULT_BYTES = 8 * 1024 ** 3;

export class ResultLimit {
  readonly #message: string;
  readonly #maxBytes: number;

  /** `advice`: what to do about a result that is too large. */
  constructor(advice = '', maxBytes = MAX_RESULT_BYTES) {
    this.#message = `The result would be larger than 8 GiB. ${advice}`.trim();
    this.#maxBytes = maxBytes;
  }

  check(bytes: number): void {
    if (bytes > this.#maxBytes) throw new JobFailure('RESULT_TOO_LARGE', this.#message);
  }

  /** Writes lines to a new file and returns how many bytes they have. `elsewhere`: what the result has besides. */
  async write(lines: AsyncIterable<string | Uint8Array>, path: string, elsewhere = 0): Promise<number> {
    let bytes = 0;
    const check = (text: string | Uint8Array): void => {
      bytes += Buffer.byteLength(text);
      this.check(elsewhere + bytes);
    };
    const checked = async function* () {
      for await (const text of lines) {
        check(text);
        yield text;
      }
    };
    await pipeline(checked, createWriteStream(path, { flags: 'wx', mode: 0o600 }));
    return bytes;
  }
}

/** Bytes of the parts that are done. */
export async function bytesDone({ store, part }: Pick<JobContext, 'store' | 'part'>): Promise<number> {
  if (!part) return 0;
  const results = (await store.queue.partResults(part.jobId)) as (PartResult<{ readonly bytes: number }> | null)[];
  return results.reduce((sum, result) => sum + (result?.facts.bytes ?? 0), 0);
}
