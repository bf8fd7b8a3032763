// Limits the size of a result's lines. A job fails before it writes more: a part may use what the finished parts left. The limit
// guards the disk of the worker that joins the parts: beside the lines it may need a table and a copy without deleted users. Lines that
// stay in the files of parts need nothing there, but a deletion of a user while the job runs has them joined after all.
import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { DEFAULT_RESULT_GIB, JobFailure } from '../domain/job.ts';
import type { JobConfig, JobContext } from './job-handler.ts';
import type { PartResult } from './parts/piece-files.ts';

export class ResultLimit {
  readonly #message: string;
  readonly #maxBytes: number;

  /** `advice`: what to do about a result that is too large. */
  constructor({ maxResultGb: gib = DEFAULT_RESULT_GIB }: Pick<JobConfig, 'maxResultGb'>, advice = '') {
    this.#message = `The result would be larger than ${gib} GiB, the limit of this service. ${advice}`.trim();
    this.#maxBytes = gib * 1024 ** 3;
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
