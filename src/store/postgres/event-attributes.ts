// Attributes of the newest events of a type, page by page along the index of times.
import type { AttributeBlock, AttributeSearch } from '../event-store.ts';
import { TWO_32 } from './event-partitions.ts';
import type { PostgresDatabase } from './postgres-database.ts';

/** Events read at a time. Each has up to 20 kB of attributes. */
const BLOCK_EVENTS = 1000;

// The last event of a full page comes too, whatever it is: the next page begins after it.
const BLOCK_SQL = `SELECT place % ${TWO_32} AS user_no, item_no, value, ts, seq, n,
    CASE WHEN type_no = ? THEN attributes END AS attributes
  FROM (SELECT newest.*, row_number() OVER () AS n
    FROM (SELECT place, item_no, type_no, value, attributes, ts, seq FROM event
      WHERE dataset_no = ? AND (ts, seq) < (CAST(? AS BIGINT), CAST(? AS BIGINT))
      ORDER BY ts DESC, seq DESC LIMIT ?) AS newest) AS numbered
  WHERE (type_no = ? AND attributes IS NOT NULL) OR n = ? ORDER BY n`;

interface AttributeRow {
  user_no: number;
  item_no: number;
  value: number;
  attributes: string | null;
  ts: number;
  seq: number;
  /** place on the page, from 1 */
  n: number;
}

/** Yields the newest events first. */
export async function* attributeBlocks(
  database: PostgresDatabase,
  datasetNo: number,
  { type, newest }: AttributeSearch,
): AsyncGenerator<AttributeBlock, void, undefined> {
  let before = { ts: Number.MAX_SAFE_INTEGER, seq: 0 };
  for (let left = newest; left > 0; left -= BLOCK_EVENTS) {
    const limit = Math.min(left, BLOCK_EVENTS);
    const { ts, seq } = before;
    const page = await database.all<AttributeRow>(BLOCK_SQL, [type, datasetNo, ts, seq, limit, type, limit]);
    const rows = page.filter((row) => row.attributes !== null);
    if (rows.length > 0) yield asBlock(rows);
    const last = page.at(-1);
    if (last?.n !== limit) return;
    before = last;
  }
}

function asBlock(rows: readonly AttributeRow[]): AttributeBlock {
  return {
    length: rows.length,
    user: Uint32Array.from(rows, ({ user_no }) => user_no),
    item: Uint32Array.from(rows, ({ item_no }) => item_no),
    value: Float64Array.from(rows, ({ value }) => value),
    attributes: rows.map(({ attributes }) => attributes ?? ''),
  };
}
