// Attributes of a dataset's newest events, page by page along the index of times.
import type { AttributeBlock } from '../event-store.ts';
import { TWO_32 } from './event-partitions.ts';
import type { PostgresDatabase } from './postgres-database.ts';

/** Events read at a time. Each has up to 20 kB of attributes. */
const BLOCK_EVENTS = 1000;

const BLOCK_SQL = `SELECT place % ${TWO_32} AS user_no, item_no, type_no, value, attributes, ts, seq FROM event
  WHERE dataset_no = ? AND (ts, seq) < (CAST(? AS BIGINT), CAST(? AS BIGINT))
  ORDER BY ts DESC, seq DESC LIMIT ?`;

interface AttributeRow {
  user_no: number;
  item_no: number;
  type_no: number;
  value: number;
  attributes: string | null;
  ts: number;
  seq: number;
}

/** Yields the newest events first. */
export async function* attributeBlocks(
  database: PostgresDatabase,
  datasetNo: number,
  newest: number,
): AsyncGenerator<AttributeBlock, void, undefined> {
  let before = { ts: Number.MAX_SAFE_INTEGER, seq: 0 };
  for (let left = newest; left > 0; left -= BLOCK_EVENTS) {
    const limit = Math.min(left, BLOCK_EVENTS);
    const page = await database.all<AttributeRow>(BLOCK_SQL, [datasetNo, before.ts, before.seq, limit]);
    const rows = page.filter((row) => row.attributes !== null);
    if (rows.length > 0) yield asBlock(rows);
    if (page.length < limit) return;
    before = page[page.length - 1];
  }
}

function asBlock(rows: readonly AttributeRow[]): AttributeBlock {
  return {
    length: rows.length,
    user: Uint32Array.from(rows, ({ user_no }) => user_no),
    item: Uint32Array.from(rows, ({ item_no }) => item_no),
    type: Uint32Array.from(rows, ({ type_no }) => type_no),
    value: Float64Array.from(rows, ({ value }) => value),
    attributes: rows.map(({ attributes }) => attributes ?? ''),
  };
}
