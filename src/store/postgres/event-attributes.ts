// Attributes of a dataset's events, page by page along the index of times.
import type { AttributeBlock } from '../event-store.ts';
import type { PostgresDatabase } from './postgres-database.ts';

/** Of at most 20 kB each. */
const BLOCK_EVENTS = 1000;
const TWO_32 = 2 ** 32;

const BLOCK_SQL = `SELECT place % ${TWO_32} AS user_no, item_no, type_no, attributes, ts, seq FROM event
  WHERE dataset_no = ? AND (ts, seq) < (CAST(? AS BIGINT), CAST(? AS BIGINT)) AND attributes IS NOT NULL
  ORDER BY ts DESC, seq DESC LIMIT ${BLOCK_EVENTS}`;

interface AttributeRow {
  user_no: number;
  item_no: number;
  type_no: number;
  attributes: string;
  ts: number;
  seq: number;
}

/** Newest first. */
export async function* attributeBlocks(
  database: PostgresDatabase,
  datasetNo: number,
): AsyncGenerator<AttributeBlock, void, undefined> {
  for (let before = { ts: Number.MAX_SAFE_INTEGER, seq: 0 }; ; ) {
    const rows = await database.all<AttributeRow>(BLOCK_SQL, [datasetNo, before.ts, before.seq]);
    if (rows.length === 0) return;
    yield {
      length: rows.length,
      user: Uint32Array.from(rows, ({ user_no }) => user_no),
      item: Uint32Array.from(rows, ({ item_no }) => item_no),
      type: Uint32Array.from(rows, ({ type_no }) => type_no),
      attributes: rows.map(({ attributes }) => attributes),
    };
    if (rows.length < BLOCK_EVENTS) return;
    before = rows[rows.length - 1];
  }
}
