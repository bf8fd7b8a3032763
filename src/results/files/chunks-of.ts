// The bytes of files, one after the other, through one buffer: a stream takes a new one for each megabyte, and the thread of a job, which
// has a model in memory, then spends more time on freeing them than on reading.
import { open } from 'node:fs/promises';

const CHUNK_BYTES = 1024 * 1024;

/** A chunk is overwritten by the next one. */
export async function* chunksOf(paths: Iterable<string> | AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  const buffer = new Uint8Array(CHUNK_BYTES);
  for await (const path of paths) {
    const file = await open(path);
    try {
      for (;;) {
        const { bytesRead } = await file.read(buffer);
        if (bytesRead === 0) break;
        yield buffer.subarray(0, bytesRead);
      }
    } finally {
      await file.close();
    }
  }
}
