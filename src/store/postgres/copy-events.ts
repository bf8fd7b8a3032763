// PostgreSQL's binary COPY format, both ways: the fastest way in, and a scan whose rows have one fixed width.
import { copyText, type EventColumns, type TextColumn, textLength } from '../../domain/record-columns.ts';
import type { EventBlock } from '../event-store.ts';
import { EVENT_COLUMNS, TWO_32 } from './event-partitions.ts';

const HEADER = Buffer.from('PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0', 'latin1');
const TRAILER = Buffer.from([0xff, 0xff]);
const NULL_LENGTH = -1;

/** An event of a batch with its numbers. */
export interface EventRow {
  type_no: number;
  shard: number;
  user_no: number;
  item_no: number;
  seq: number;
  columns: EventColumns;
  row: number;
}

/** Copies rows whose columns are in the order of EVENT_COLUMNS. */
export const copyInSql = (table: 'event' | 'event_outbox'): string =>
  `COPY ${table} (${EVENT_COLUMNS}) FROM STDIN (FORMAT binary)`;
const IN_COLUMNS = 10;
const FIXED_BYTES = 2 + 3 * (4 + 4) + 4 * (4 + 8) + 3 * 4;

/** Bytes encoded at a time. Between two portions of a large batch other calls get their turn, after a millisecond at most. */
const PORTION_BYTES = 512 * 1024;

export function* encodeEvents(datasetNo: number, rows: readonly EventRow[]): Generator<Buffer> {
  yield HEADER;
  for (let from = 0; from < rows.length; ) {
    let to = from;
    let bytes = 0;
    while (to < rows.length && (to === from || bytes + bytesOf(rows[to]) <= PORTION_BYTES))
      bytes += bytesOf(rows[to++]);
    yield encodeRows(datasetNo, rows.slice(from, to), bytes);
    from = to;
  }
  yield TRAILER;
}

const bytesOf = ({ columns, row }: EventRow): number =>
  FIXED_BYTES +
  textLength(columns.eventIds, row) +
  textLength(columns.attributes, row) +
  textLength(columns.recommendations, row);

/** Encodes the columns of each row in the order of EVENT_COLUMNS. */
function encodeRows(datasetNo: number, rows: readonly EventRow[], bytes: number): Buffer {
  const buffer = Buffer.allocUnsafe(bytes);
  let at = 0;
  const int4 = (value: number): void => {
    at = buffer.writeInt32BE(4, at);
    at = buffer.writeInt32BE(value, at);
  };
  const int8 = (high: number, low: number): void => {
    at = buffer.writeInt32BE(8, at);
    at = buffer.writeUInt32BE(high, at);
    at = buffer.writeUInt32BE(low, at);
  };
  const text = (column: TextColumn, row: number): void => {
    const length = textLength(column, row);
    at = buffer.writeInt32BE(length, at);
    copyText(column, row, buffer, at);
    at += length;
  };
  for (const numbers of rows) {
    const { columns, row } = numbers;
    const ts = columns.ts[row];
    at = buffer.writeInt16BE(IN_COLUMNS, at);
    int4(datasetNo);
    int4(numbers.type_no);
    int8(numbers.shard, numbers.user_no);
    int8(Math.floor(ts / TWO_32), ts % TWO_32);
    int8(Math.floor(numbers.seq / TWO_32), numbers.seq % TWO_32);
    at = buffer.writeInt32BE(8, at);
    at = buffer.writeDoubleBE(columns.values[row], at);
    int4(numbers.item_no);
    text(columns.eventIds, row);
    for (const column of [columns.attributes, columns.recommendations]) {
      if (textLength(column, row) === 0) at = buffer.writeInt32BE(NULL_LENGTH, at);
      else text(column, row);
    }
  }
  return buffer;
}

/** COPY takes no parameters. The numbers in the text are our own, so this is safe. */
export function copyOutSql(datasetNo: number, fromShard: number, toShard: number): string {
  return `COPY (SELECT place, ts, value, item_no, type_no FROM event
    WHERE dataset_no = ${Number(datasetNo)} AND place >= ${Number(fromShard) * TWO_32} AND place < ${Number(toShard) * TWO_32}
    ORDER BY place, ts, seq) TO STDOUT (FORMAT binary)`;
}

/** int16 count, then length and bytes of place, ts, value, item_no, type_no. */
const OUT_ROW_BYTES = 2 + 3 * (4 + 8) + 2 * (4 + 4);

/** Turns the stream's chunks, however they are cut, into blocks of events. */
export async function* decodeEvents(chunks: AsyncIterable<Buffer>, blockSize: number): AsyncGenerator<EventBlock> {
  let block = newBlock(blockSize);
  let rows = 0;
  let rest: Buffer = Buffer.alloc(0);
  let toSkip = HEADER.length;
  for await (const chunk of chunks) {
    let bytes = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk;
    if (toSkip > 0) {
      const skipped = Math.min(toSkip, bytes.length);
      toSkip -= skipped;
      bytes = bytes.subarray(skipped);
    }
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    let at = 0;
    // The two bytes of the trailer never make a whole row.
    for (; at + OUT_ROW_BYTES <= bytes.length; at += OUT_ROW_BYTES) {
      block.user[rows] = view.getUint32(at + 10);
      block.ts[rows] = view.getUint32(at + 18) * TWO_32 + view.getUint32(at + 22);
      block.value[rows] = view.getFloat64(at + 30);
      block.item[rows] = view.getUint32(at + 42);
      block.type[rows] = view.getUint32(at + 50);
      if (++rows === blockSize) {
        yield block;
        block = newBlock(blockSize);
        rows = 0;
      }
    }
    rest = bytes.subarray(at);
  }
  if (rows > 0) {
    yield {
      length: rows,
      user: block.user.slice(0, rows),
      item: block.item.slice(0, rows),
      type: block.type.slice(0, rows),
      ts: block.ts.slice(0, rows),
      value: block.value.slice(0, rows),
    };
  }
}

function newBlock(length: number): EventBlock {
  return {
    length,
    user: new Uint32Array(length),
    item: new Uint32Array(length),
    type: new Uint32Array(length),
    ts: new Float64Array(length),
    value: new Float64Array(length),
  };
}
