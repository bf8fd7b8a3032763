// Reads whole events in the form of the API, with ids instead of numbers.
import type { EventRecord } from '../../domain/record.ts';
import { INTERNED_KIND_NO } from '../event-store.ts';
import { TWO_32 } from './event-partitions.ts';
import type { PostgresDatabase } from './postgres-database.ts';

/** Events read at a time. Each has up to 20 kB of attributes. */
const BLOCK_EVENTS = 1000;

const { user: USER, item: ITEM, type: TYPE } = INTERNED_KIND_NO;

export type EventRow = Omit<EventRecord, 'attributes' | 'recommendation_id'> & {
  attributes: string | null;
  recommendation: string | null;
  place: number;
  seq: number;
};

/** Whole events of a subquery: what is limited there is joined here, whatever the planner believes of the tables. */
export const wholeEvents = (
  events: string,
  order = 'e.ts DESC, e.seq DESC',
): string => `SELECT e.event_id, u.id AS user_id, i.id AS item_id, e.ts,
    t.id AS event_type, e.value AS event_value, e.attributes, e.recommendation, e.place, e.seq
  FROM (${events}) e
  JOIN interned u ON u.dataset_no = e.dataset_no AND u.kind = ${USER} AND u.no = (e.place % ${TWO_32})
  JOIN interned i ON i.dataset_no = e.dataset_no AND i.kind = ${ITEM} AND i.no = e.item_no
  JOIN interned t ON t.dataset_no = e.dataset_no AND t.kind = ${TYPE} AND t.no = e.type_no
  ORDER BY ${order}`;
const BLOCK_SQL = wholeEvents(
  `SELECT * FROM event WHERE dataset_no = ? AND place >= CAST(? AS BIGINT) AND place < CAST(? AS BIGINT)
     AND (place, ts, seq) > (CAST(? AS BIGINT), CAST(? AS BIGINT), CAST(? AS BIGINT))
   ORDER BY place, ts, seq LIMIT ?`,
  'e.place, e.ts, e.seq',
);

export function toRecord({ attributes, recommendation, place: _place, seq: _seq, ...event }: EventRow): EventRecord {
  return {
    ...event,
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
    const rows = await database.all<EventRow>(BLOCK_SQL, [datasetNo, after[0], to, ...after, BLOCK_EVENTS]);
    if (rows.length > 0) yield rows.map(toRecord);
    if (rows.length < BLOCK_EVENTS) return;
    const { place, ts, seq } = rows[rows.length - 1];
    after = [place, ts, seq];
  }
}
