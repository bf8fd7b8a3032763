// Reads whole events in the form of the API, with ids instead of numbers.
import type { EventRecord } from '../../domain/record.ts';
import { INTERNED_KIND_NO } from '../event-store.ts';
import { TWO_32 } from './event-partitions.ts';
import type { PostgresDatabase } from './postgres-database.ts';

/** Events read at a time. Each has up to 20 kB of attributes. */
const BLOCK_EVENTS = 1000;

const { user: USER, item: ITEM, type: TYPE } = INTERNED_KIND_NO;

type EventRow = Omit<EventRecord, 'attributes' | 'recommendation_id'> & {
  attributes: string | null;
  recommendation: string | null;
  place: number;
  seq: number;
};
/** A partition on another server may still have events of a user who is forgotten here. */
export type FoundEvent = EventRow | (Omit<EventRow, 'user_id'> & { user_id: null });

/**
 * Whole events of a subquery: what is limited there is joined here, whatever the planner believes of the tables. Each of its rows is
 * in the result, so that it is known where the subquery ended.
 */
export const wholeEvents = (
  events: string,
  { columns = '', order = 'e.ts DESC, e.seq DESC' } = {},
): string => `SELECT e.event_id, u.id AS user_id, i.id AS item_id, e.ts,
    t.id AS event_type, e.value AS event_value, e.attributes, e.recommendation, e.place, e.seq${columns}
  FROM (${events}) e
  LEFT JOIN interned u ON u.dataset_no = e.dataset_no AND u.kind = ${USER} AND u.no = (e.place % ${TWO_32})
  JOIN interned i ON i.dataset_no = e.dataset_no AND i.kind = ${ITEM} AND i.no = e.item_no
  JOIN interned t ON t.dataset_no = e.dataset_no AND t.kind = ${TYPE} AND t.no = e.type_no
  ORDER BY ${order}`;
const BLOCK_SQL = wholeEvents(
  `SELECT * FROM event WHERE dataset_no = ? AND place >= CAST(? AS BIGINT) AND place < CAST(? AS BIGINT)
     AND (place, ts, seq) > (CAST(? AS BIGINT), CAST(? AS BIGINT), CAST(? AS BIGINT))
   ORDER BY place, ts, seq LIMIT ?`,
  { order: 'e.place, e.ts, e.seq' },
);

export function toRecords(rows: readonly FoundEvent[]): EventRecord[] {
  return rows.filter((row): row is EventRow => row.user_id !== null).map(toRecord);
}

function toRecord({ event_id, user_id, item_id, ts, event_type, event_value, ...row }: EventRow): EventRecord {
  const { attributes, recommendation } = row;
  return {
    event_id,
    user_id,
    item_id,
    ts,
    event_type,
    event_value,
    attributes: attributes === null ? {} : JSON.parse(attributes),
    ...(recommendation !== null && { recommendation_id: recommendation }),
  };
}

/** Yields the events of the shards [from, to), by user, then by time. */
export async function* wholeEventBlocks(
  database: PostgresDatabase,
  datasetNo: number,
  shards: { from: number; to: number },
): AsyncGenerator<EventRecord[], void, undefined> {
  const to = shards.to * TWO_32;
  for (let after = [shards.from * TWO_32, -1, -1]; ; ) {
    const rows = await database.all<FoundEvent>(BLOCK_SQL, [datasetNo, after[0], to, ...after, BLOCK_EVENTS]);
    if (rows.length > 0) yield toRecords(rows);
    if (rows.length < BLOCK_EVENTS) return;
    const { place, ts, seq } = rows[rows.length - 1];
    after = [place, ts, seq];
  }
}
