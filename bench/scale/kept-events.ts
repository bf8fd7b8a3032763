// Made events in a file: made once by a process of its own, whose memory is not that of the training, and read by every run after it.
// `node bench/scale/kept-events.ts FILE EVENTS USERS ITEMS` makes one.
import { closeSync, fstatSync, openSync, readSync, renameSync, writeSync } from 'node:fs';
import { EventFiles } from '../../src/dataset/event-files.ts';
import type { EventTable } from '../../src/dataset/event-table.ts';
import { heldEvents, type TrainingEvents } from '../../src/dataset/training-events.ts';
import { madeEvents } from '../made-events.ts';

/** One call to the operating system reads or writes at most 2 GiB. */
const MOST_BYTES = 2 ** 30;

/** Users, items and events, then the columns, those with the widest numbers first. */
type Column = Uint32Array | Float32Array | Float64Array | Uint8Array;

/** More than `partEvents` are in files below the folder, about as many in each: they are never all in memory. */
export async function readKept(file: string, partEvents: number, folder: string): Promise<TrainingEvents> {
  using kept = new KeptFile(file);
  const { userCount, offsets } = kept;
  if (offsets[userCount] <= partEvents) return heldEvents(kept.users(0, userCount));
  const files = new EventFiles(folder);
  for (let from = 0, to = 1; from < userCount; from = to) {
    while (to < userCount && offsets[to] - offsets[from] < partEvents) to++;
    await files.add(kept.users(from, to));
  }
  const lengths = Uint32Array.from({ length: userCount }, (_, user) => offsets[user + 1] - offsets[user]);
  return files.events(kept.users(0, 0), lengths);
}

class KeptFile {
  readonly userCount: number;
  readonly offsets: Uint32Array;
  readonly #handle: number;
  readonly #itemCount: number;
  readonly #length: number;

  constructor(file: string) {
    this.#handle = openSync(file, 'r');
    [this.userCount, this.#itemCount, this.#length] = this.#read(new Float64Array(3), 0);
    const bytes = 24 + 4 * (this.userCount + 1) + 17 * this.#length;
    if (fstatSync(this.#handle).size !== bytes) throw new Error(`${file} is not a file of made events.`);
    this.offsets = this.#read(new Uint32Array(this.userCount + 1), 24 + 8 * this.#length);
  }

  users(from: number, to: number): EventTable {
    const [first, end] = [this.offsets[from], this.offsets[to]];
    const length = end - first;
    const items = 24 + 8 * this.#length + 4 * (this.userCount + 1);
    return {
      userCount: to - from,
      itemCount: this.#itemCount,
      length,
      userOffsets: this.offsets.subarray(from, to + 1).map((offset) => offset - first),
      ts: this.#read(new Float64Array(length), 24 + 8 * first),
      item: this.#read(new Uint32Array(length), items + 4 * first),
      value: this.#read(new Float32Array(length), items + 4 * this.#length + 4 * first),
      type: this.#read(new Uint8Array(length), items + 8 * this.#length + first),
      itemIds: Array.from({ length: this.#itemCount }, (_, item) => `i${item}`),
      typeNames: ['buy'],
      targetType: 0,
    };
  }

  [Symbol.dispose](): void {
    closeSync(this.#handle);
  }

  #read<T extends Column>(column: T, from: number): T {
    let at = from;
    for (const piece of piecesOf(column)) {
      for (let done = 0; done < piece.length; ) {
        done += readSync(this.#handle, piece, done, piece.length - done, at + done);
      }
      at += piece.length;
    }
    return column;
  }
}

function keep(file: string, { userCount, itemCount, length, ts, userOffsets, item, value, type }: EventTable): void {
  const handle = openSync(`${file}.new`, 'w');
  for (const column of [Float64Array.of(userCount, itemCount, length), ts, userOffsets, item, value, type]) {
    for (const piece of piecesOf(column)) {
      for (let done = 0; done < piece.length; ) done += writeSync(handle, piece, done);
    }
  }
  closeSync(handle);
  renameSync(`${file}.new`, file);
}

function* piecesOf({ buffer, byteOffset, byteLength }: Column): Generator<Uint8Array> {
  for (let from = 0; from < byteLength; from += MOST_BYTES) {
    yield new Uint8Array(buffer, byteOffset + from, Math.min(MOST_BYTES, byteLength - from));
  }
}

if (import.meta.main) {
  const [file, ...sizes] = process.argv.slice(2);
  const [events, users, items] = sizes.map(Number);
  keep(file, madeEvents(events, users, items));
}
