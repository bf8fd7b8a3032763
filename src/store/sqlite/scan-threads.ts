// Scans of events on threads of their own, each with its own connection: the calling thread works on one block while the next
// ones are read, in turns in the same places of memory: new arrays for each would keep the garbage collector busy. The threads
// start with the first scan and end with the store.
import type { EventBlock } from '../event-store.ts';
import { type BlockColumns, blockOf, sharedColumns } from './event-columns.ts';
import { shardStart } from './event-place.ts';
import { type ReadBlock, SCAN_BLOCK } from './event-reader.ts';
import { SqliteReader } from './reader.ts';

/** Blocks of a scan in memory, of 1.8 MB each. This much is read ahead while the caller does other things. */
const BLOCKS_AT_ONCE = 32;

/** A scan reads each page once. A small cache stays in the processor's caches. */
const CACHE_KIB = 2048;

interface FilledBlock extends ReadBlock {
  readonly columns: BlockColumns;
}

export class ScanThreads {
  readonly #readers: SqliteReader[];
  #scans = 0;

  constructor(file: string, threads: number) {
    this.#readers = Array.from({ length: threads }, () => new SqliteReader(file, CACHE_KIB));
  }

  get count(): number {
    return this.#readers.length;
  }

  async *blocks(
    datasetNo: number,
    shards: { readonly from: number; readonly to: number },
    blockSize: number = SCAN_BLOCK,
  ): AsyncGenerator<EventBlock, void, undefined> {
    const reader = this.#readers[this.#scans++ % this.#readers.length];
    const end = shardStart(datasetNo, shards.to);
    let stopped = false;
    let last: Promise<Uint8Array | null> = Promise.resolve(shardStart(datasetNo, shards.from));
    const readInto = (columns?: BlockColumns): Promise<FilledBlock | null> => {
      const reading = last.then(async (after) => {
        if (stopped || after === null) return null;
        const room = columns ?? sharedColumns(blockSize);
        const found = await reader.call('block', after, end, blockSize, room);
        return found && { ...found, columns: room };
      });
      last = reading.then((found) => (found === null || found.length < blockSize ? null : found.last));
      // A caller who stops early never awaits this one: its error must not be unhandled.
      last.catch(() => undefined);
      return reading;
    };
    const ahead = Array.from({ length: BLOCKS_AT_ONCE }, () => readInto());
    try {
      for (;;) {
        const found = await ahead.shift()!;
        if (found === null) return;
        yield blockOf(found.columns, found.length);
        ahead.push(readInto(found.columns));
      }
    } finally {
      stopped = true;
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.#readers.map((reader) => reader.close()));
  }
}
