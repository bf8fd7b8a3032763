// A page of a table whose rows hold JSON. First only their places and sizes are read, then the rows that fit: those by their ids,
// because others may be written in between.
import type { Database, Row, SqlValue } from '../database.ts';
import { fitting, type Page, type PageRequest, pageStart, tokenAfter } from '../page.ts';

export interface Listing<T> {
  table: string;
  /** Selects all columns of a row: `SELECT … FROM …` */
  select: string;
  where: string;
  params: readonly SqlValue[];
  idColumn: string;
  /** Columns that may be large, which are measured before they are read. */
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
  const newestFirst = `ORDER BY ${ts} DESC, ${id} DESC`;
  const bytes = jsonColumns.map((column) => `COALESCE(octet_length(${table}.${column}), 0)`).join(' + ');
  const heads = await database.all<RowHead>(
    `SELECT ${id} AS id, ${ts} AS ts, ${bytes} AS bytes FROM ${table}
     WHERE ${where} AND (${ts} < ? OR (${ts} = ? AND ${id} < ?)) ${newestFirst} LIMIT ?`,
    [...params, start.ts, start.ts, start.id, page.page_size + 1],
  );
  const sizes = heads.map((head) => Number(head.bytes));
  const shown = heads.slice(0, fitting(sizes, page));
  const last = shown.at(-1);
  if (!last) return { entries: [], next_page_token: null };
  const rows = await database.all(
    `${select} WHERE ${where} AND ${id} IN (${shown.map(() => '?').join(', ')}) ${newestFirst}`,
    [...params, ...shown.map((head) => head.id)],
  );
  return { entries: rows.map(read), next_page_token: heads.length > shown.length ? tokenAfter(last) : null };
}
