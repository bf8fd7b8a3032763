// Made events in a file: made once by a process of its own, whose memory is not that of the training, and read by every run after it.
// `node bench/scale/kept-events.ts FILE EVENTS USERS ITEMS` makes one.
import { closeSync, fstatSync, openSync, readSync, renameSync, writeSync } from 'node:fs';
import type { EventTable } from '../../src/dataset/event-table.ts';
import { madeEvents } from '../made-events.ts';

/** One call to the operating system reads or writes at most 2 GiB. */
const MOST_BYTES = 2 ** 30;

/** Users, items and events, then the columns, those with the widest numbers first. */
type Column = Uint32Array | Float32Array | Float64Array | Uint8Array;

export function readKept(file: string): EventTable {
  const handle = openSync(file, 'r');
  const head = new Float64Array(3);
  let at = 0;
  const read = <T extends Column>(column: T): T => {
    for (const piece of piecesOf(column)) {
      for (let done = 0; done < piece.length; ) done += readSync(handle, piece, done, piece.length - done, at + done);
      at += piece.length;
    }
    return column;
  };
  read(head);
  const [userCount, itemCount, length] = head;
  const columns = {
    ts: read(new Float64Array(length)),
    userOffsets: read(new Uint32Array(userCount + 1)),
    item: read(new Uint32Array(length)),
    value: read(new Float32Array(length)),
    type: read(new Uint8Array(length)),
  };
  if (fstatSync(handle).size !== at) throw new Error(`${file} is not a file of made events.`);
  closeSync(handle);
  const itemIds = Array.from({ length: itemCount }, (_, item) => `i${item}`);
  return { userCount, itemCount, length, ...columns, itemIds, typeNames: ['buy'], targetType: 0 };
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
