import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeEvents } from './copy-events.ts';

/** The bytes PostgreSQL sends for rows of (place, ts, value, item_no, type_no). */
function copyOut(rows: { user: number; ts: number; value: number; item: number; type: number }[]): Buffer {
  const bytes = [Buffer.from('PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0', 'latin1')];
  for (const { user, ts, value, item, type } of rows) {
    const row = Buffer.alloc(54);
    let at = row.writeInt16BE(5, 0);
    at = row.writeBigInt64BE((7n << 32n) + BigInt(user), row.writeInt32BE(8, at));
    at = row.writeBigInt64BE(BigInt(ts), row.writeInt32BE(8, at));
    at = row.writeDoubleBE(value, row.writeInt32BE(8, at));
    at = row.writeInt32BE(item, row.writeInt32BE(4, at));
    row.writeInt32BE(type, row.writeInt32BE(4, at));
    bytes.push(row);
  }
  return Buffer.concat([...bytes, Buffer.from([0xff, 0xff])]);
}

test('a stream is decoded the same however it is cut', async () => {
  const rows = Array.from({ length: 10 }, (_, i) => ({
    user: i * 1e8,
    ts: 8.64e15 - i,
    value: i / 7,
    item: i,
    type: i % 2,
  }));
  const bytes = copyOut(rows);
  for (const cut of [1, 7, 19, 54, 1000]) {
    async function* chunks(): AsyncGenerator<Buffer> {
      for (let at = 0; at < bytes.length; at += cut) yield bytes.subarray(at, at + cut);
    }
    const decoded: typeof rows = [];
    const lengths: number[] = [];
    for await (const block of decodeEvents(chunks(), 4)) {
      lengths.push(block.length);
      for (let r = 0; r < block.length; r++) {
        const [user, ts, value] = [block.user[r], block.ts[r], block.value[r]];
        decoded.push({ user, ts, value, item: block.item[r], type: block.type[r] });
      }
    }
    assert.deepEqual(decoded, rows, `cut every ${cut} bytes`);
    assert.deepEqual(lengths, [4, 4, 2]);
  }
});
