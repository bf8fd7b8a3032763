// A page of events, newest first, read in one statement: others may be written meanwhile.
import type { EventRecord } from '../../domain/record.ts';
import { INTERNED_KIND_NO } from '../event-store.ts';
import { ENTRY_BYTES, MAX_PAGE_BYTES, type Page, type PageRequest, tokenAfter } from '../page.ts';
import { shardOf } from '../shard-of.ts';
import type { NumberedDataset } from './dataset-numbers.ts';
import { TWO_32 } from './event-partitions.ts';
import type { PostgresDatabase } from './postgres-database.ts';
import { type FoundEvent, toRecords, wholeEvents } from './whole-events.ts';

const OF_USER = `AND place = CAST(? AS BIGINT) +
  (SELECT no FROM interned WHERE dataset_no = ? AND kind = ${INTERNED_KIND_NO.user} AND id = ?)`;
const NEWEST_FIRST = 'ORDER BY ts DESC, seq DESC';

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
  const newest = `SELECT * FROM event WHERE dataset_no = ? AND (ts, seq) < (CAST(? AS BIGINT), CAST(? AS BIGINT))
    ${userId === undefined ? '' : OF_USER} ${NEWEST_FIRST} LIMIT ?`;
  // The rules of PageRoom, where the attributes are: those of an event beyond the page are not read.
  const fitting = `SELECT * FROM (
      SELECT *, row_number() OVER newest AS nth, count(*) OVER () AS found,
        sum(COALESCE(octet_length(attributes), 0) + ${ENTRY_BYTES}) OVER newest AS bytes
      FROM (${newest}) n WINDOW newest AS (${NEWEST_FIRST} ROWS UNBOUNDED PRECEDING)) m
    WHERE nth <= ? AND (nth = 1 OR bytes <= ?)`;
  const rows = await database.all<FoundEvent & { found: number }>(wholeEvents(fitting, { columns: ', e.found' }), [
    datasetNo,
    start.ts,
    start.no,
    ...(userId === undefined ? [] : [shardOf(userId, numShards) * TWO_32, datasetNo, userId]),
    page.page_size + 1,
    page.page_size,
    page.max_bytes ?? MAX_PAGE_BYTES,
  ]);
  const last = rows.at(-1);
  return {
    entries: toRecords(rows),
    next_page_token: last && last.found > rows.length ? tokenAfter({ ts: last.ts, id: String(last.seq) }) : null,
  };
}
