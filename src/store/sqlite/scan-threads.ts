// Scans of events on threads of their own, each with its own connection: the calling thread works on one block while the next
// is read, in turns in the same two places of memory: new arrays for each would keep the garbage collector busy. The threads
// start with the first scan and end with the store.
import type { EventBlock } from '../event-store.ts';
import { type BlockColumns, blockOf, sharedColumns } from './event-key.ts';
import { type ReadBlock, SCAN_BLOCK, type ShardRange } from './event-reader.ts';
import { SqliteReader } from './reader.ts';

export class ScanThreads {
  readonly #readers: SqliteReader[];
  #scans = 0;

  constructor(file: string, threads: number) {
    this.#readers = Array.from({ length: threads }, () => new SqliteReader(file));
  }

  get count(): number {
    return this.#readers.length;
  }

  async *blocks(
    datasetNo: number,
    shards: ShardRange,
    blockSize: number = SCAN_BLOCK,
  ): AsyncGenerator<EventBlock, void, undefined> {
    const reader = this.#readers[this.#scans++ % this.#readers.length];
    const read = (after: Uint8Array | null, columns: BlockColumns): Promise<ReadBlock | null> => {
      const reading = reader.call('block', datasetNo, shards, after, blockSize, columns);
      // Who stops early hears of nothing that was read ahead.
      reading.catch(() => undefined);
      return reading;
    };
    let columns = sharedColumns(blockSize);
    let others = sharedColumns(blockSize);
    for (let found = await read(null, columns); found !== null; ) {
      const next = read(found.last, others);
      yield blockOf(columns, found.length);
      found = await next;
      [columns, others] = [others, columns];
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.#readers.map((reader) => reader.close()));
  }
}
