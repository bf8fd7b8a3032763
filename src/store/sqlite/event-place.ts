// The place of an event: 40 bytes, big-endian, that sort as dataset, shard, user, time, order of writing, and carry the
// rest of what training reads. One comparison of bytes orders two events, and a scan is a concatenation of keys.
//
//   0 dataset u32 | 4 shard u24 | 7 user u32 | 11 ts u56 | 18 seq u48 | 24 item u32 | 28 type u32 | 32 value f64
import type { BlockColumns } from './event-columns.ts';

export const PLACE_BYTES = 40;
export const TYPE_OFFSET = 28;
/** Length of dataset, shard and user, with which all places of a user begin. */
export const OWNER_BYTES = 11;
const TWO_32 = 2 ** 32;

export class PlaceEncoder {
  readonly bytes = new Uint8Array(PLACE_BYTES);
  readonly #view = new DataView(this.bytes.buffer);

  /** Each method writes its part of `bytes`; the next event overwrites it. */
  owner(datasetNo: number, shard: number, user: number): this {
    const view = this.#view;
    view.setUint32(0, datasetNo);
    view.setUint8(4, shard >>> 16);
    view.setUint16(5, shard & 0xffff);
    view.setUint32(7, user);
    return this;
  }

  time(ts: number, seq: number): this {
    const view = this.#view;
    const tsHigh = Math.floor(ts / TWO_32);
    view.setUint8(11, tsHigh >>> 16);
    view.setUint16(12, tsHigh & 0xffff);
    view.setUint32(14, ts % TWO_32);
    view.setUint16(18, Math.floor(seq / TWO_32));
    view.setUint32(20, seq % TWO_32);
    return this;
  }

  payload(item: number, type: number, value: number): this {
    this.#view.setUint32(24, item);
    this.#view.setUint32(TYPE_OFFSET, type);
    this.#view.setFloat64(32, value);
    return this;
  }
}

/** The smallest key of a dataset's shard. */
export function shardStart(datasetNo: number, shard: number): Uint8Array {
  return new PlaceEncoder().owner(datasetNo, shard, 0).bytes.slice(0, 7);
}

const encoder = new PlaceEncoder();

/** Keys of one user: from < key < to. */
export function userRange(datasetNo: number, shard: number, user: number): { from: Uint8Array; to: Uint8Array } {
  const from = encoder.owner(datasetNo, shard, user).bytes.slice(0, OWNER_BYTES);
  return { from, to: userEnd(from) };
}

/** A key above all keys of this owner. No time reaches 2^56, so it is below the next user's keys. */
export function userEnd(owner: Uint8Array): Uint8Array {
  const end = new Uint8Array(OWNER_BYTES + 1).fill(0xff);
  end.set(owner);
  return end;
}

/** Keys laid end to end, read by row. */
export class PlaceReader {
  readonly length: number;
  readonly #bytes: Uint8Array;
  readonly #view: DataView;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.length = bytes.byteLength / PLACE_BYTES;
  }

  bytes(row: number): Uint8Array {
    return this.#bytes.subarray(row * PLACE_BYTES, (row + 1) * PLACE_BYTES);
  }

  all(): Uint8Array {
    return this.#bytes;
  }

  /** The keys below the given one. All keys are in order. */
  before(key: Uint8Array): PlaceReader {
    let [from, to] = [0, this.length];
    // Usually that is all of them.
    if (to === 0 || Buffer.compare(this.bytes(to - 1), key) < 0) return this;
    while (from < to) {
      const middle = (from + to) >> 1;
      if (Buffer.compare(this.bytes(middle), key) < 0) from = middle + 1;
      else to = middle;
    }
    return new PlaceReader(this.#bytes.subarray(0, from * PLACE_BYTES));
  }

  user(row: number): number {
    return this.#view.getUint32(row * PLACE_BYTES + 7);
  }

  ts(row: number): number {
    const at = row * PLACE_BYTES + 11;
    const view = this.#view;
    return ((view.getUint8(at) << 16) | view.getUint16(at + 1)) * TWO_32 + view.getUint32(at + 3);
  }

  seq(row: number): number {
    const at = row * PLACE_BYTES + 18;
    return this.#view.getUint16(at) * TWO_32 + this.#view.getUint32(at + 2);
  }

  item(row: number): number {
    return this.#view.getUint32(row * PLACE_BYTES + 24);
  }

  type(row: number): number {
    return this.#view.getUint32(row * PLACE_BYTES + TYPE_OFFSET);
  }

  value(row: number): number {
    return this.#view.getFloat64(row * PLACE_BYTES + 32);
  }

  /** Writes the events to the columns from a row on; returns how many. */
  writeTo({ user, item, type, ts, value }: BlockColumns, start: number): number {
    for (let row = 0; row < this.length; row++) {
      const at = start + row;
      user[at] = this.user(row);
      item[at] = this.item(row);
      type[at] = this.type(row);
      ts[at] = this.ts(row);
      value[at] = this.value(row);
    }
    return this.length;
  }
}
