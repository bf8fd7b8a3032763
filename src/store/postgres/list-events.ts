// A page of events, newest first. First only their places and sizes are read, then those that fit, by their numbers: others may be
// written in between.
import type { EventRecord } from '../../domain/record.ts';
import { INTERNED_KIND_NO } from '../event-store.ts';
import { fitting, type Page, type PageRequest, tokenAfter } from '../page.ts';
import { shardOf } from '../shard-of.ts';
import type { NumberedDataset } from './dataset-numbers.ts';
import { TWO_32 } from './event-partitions.ts';
import type { PostgresDatabase } from './postgres-database.ts';
import { type EventRow, toRecord, wholeEvents } from './whole-events.ts';

const OF_USER = `AND place = CAST(? AS BIGINT) +
  (SELECT no FROM interned WHERE dataset_no = ? AND kind = ${INTERNED_KIND_NO.user} AND id = ?)`;
/** Starts at the position of the page's last event, so that the search ends there even if an event was deleted. */
const AMONG = 'AND (ts, seq) >= (CAST(? AS BIGINT), CAST(? AS BIGINT)) AND seq = ANY(CAST(? AS BIGINT[]))';

export interface EventListing {
  page: PageRequest;
  start: { ts: number; no: number };
  /** undefined: events of all users */
  userId: string | undefined;
}

export async function listEvents(
  database: PostgresDatabase,
  { datasetNo, numShards }: NumberedDataset,
  { page, start, userId }: EventListing,
): Promise<Page<EventRecord>> {
  const newest = (columns: string, among = ''): string =>
    `SELECT ${columns} FROM event WHERE dataset_no = ? AND (ts, seq) < (CAST(? AS BIGINT), CAST(? AS BIGINT))
     ${userId === undefined ? '' : OF_USER} ${among} ORDER BY ts DESC, seq DESC LIMIT ?`;
  const params = [
    datasetNo,
    start.ts,
    start.no,
    ...(userId === undefined ? [] : [shardOf(userId, numShards) * TWO_32, datasetNo, userId]),
  ];
  const heads = await database.all<{ ts: number; seq: number; bytes: number }>(
    newest('ts, seq, COALESCE(octet_length(attributes), 0) AS bytes'),
    [...params, page.page_size + 1],
  );
  const sizes = heads.map(({ bytes }) => bytes);
  const shown = heads.slice(0, fitting(sizes, page));
  const last = shown.at(-1);
  if (!last) return { entries: [], next_page_token: null };
  const rows = await database.all<EventRow>(wholeEvents(newest('*', AMONG)), [
    ...params,
    last.ts,
    last.seq,
    shown.map(({ seq }) => String(seq)),
    shown.length,
  ]);
  return {
    entries: rows.map(toRecord),
    next_page_token: heads.length > shown.length ? tokenAfter({ ts: last.ts, id: String(last.seq) }) : null,
  };
}
