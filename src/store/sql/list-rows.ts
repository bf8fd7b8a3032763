// A page of a table whose rows hold JSON. First only their places and sizes are read, then the rows that fit.
import type { Database, Row, SqlValue } from '../database.ts';
import { fitting, type Page, type PageRequest, pageStart, tokenAfter } from '../page.ts';

export interface Listing<T> {
  table: string;
  /** Everything of a row: `SELECT … FROM …` */
  select: string;
  where: string;
  params: readonly SqlValue[];
  idColumn: string;
  /** Columns that may be large. */
  jsonColumns: readonly string[];
  read(row: Row): T;
}

interface RowHead {
  id: string;
  ts: number;
  bytes: number;
}

export async function listRows<T>(database: Database, listing: Listing<T>, page: PageRequest): Promise<Page<T>> {
  const { table, select, where, params, idColumn, jsonColumns, read } = listing;
  const start = pageStart(page);
  const [id, ts] = [`${table}.${idColumn}`, `${table}.created_ts`];
  const newestFirst = `WHERE ${where} AND (${ts} < ? OR (${ts} = ? AND ${id} < ?)) ORDER BY ${ts} DESC, ${id} DESC LIMIT ?`;
  const from = [...params, start.ts, start.ts, start.id];
  const bytes = jsonColumns.map((column) => `COALESCE(octet_length(${table}.${column}), 0)`).join(' + ');
  const heads = await database.all<RowHead>(
    `SELECT ${id} AS id, ${ts} AS ts, ${bytes} AS bytes FROM ${table} ${newestFirst}`,
    [...from, page.page_size + 1],
  );
  const count = fitting(
    heads.map((head) => Number(head.bytes)),
    page,
  );
  if (count === 0) return { entries: [], next_page_token: null };
  const rows = await database.all(`${select} ${newestFirst}`, [...from, count]);
  return { entries: rows.map(read), next_page_token: heads.length > count ? tokenAfter(heads[count - 1]) : null };
}
