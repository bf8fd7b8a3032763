// Reads whole events in the order of their places, block by block on the reader thread: a range of the index says which events,
// then each is read by its number.
import { EVENTS_AT_PLACES, EventKeys } from './event-keys.ts';
import { PlaceReader, shardStart } from './event-place.ts';
import { PLACES_BETWEEN_SQL } from './event-reader.ts';
import type { SqliteReader } from './reader.ts';

/** Events read at a time. Each has up to 20 kB of attributes. */
const BLOCK_EVENTS = 1000;

/** The columns of an EventRow. */
export const EVENT_COLUMNS = 'seq, event_id, place, attributes, recommendation';
const EVENTS_SQL = `SELECT ${EVENT_COLUMNS} FROM ${EVENTS_AT_PLACES} ORDER BY wanted.key`;

/** A row of the event table, with its place. */
export interface EventRow {
  seq: number;
  event_id: string;
  place: Uint8Array;
  attributes: string | null;
  recommendation: string | null;
}

/** Yields the events of the shards [from, to). Events deleted meanwhile are left out. */
export async function* wholeEvents(
  reader: SqliteReader,
  datasetNo: number,
  shards: { from: number; to: number },
): AsyncGenerator<EventRow[], void, undefined> {
  const to = shardStart(datasetNo, shards.to);
  for (let after = shardStart(datasetNo, shards.from); ; ) {
    const [{ places }] = await reader.all<{ places: Uint8Array | null }>(PLACES_BETWEEN_SQL, [after, to, BLOCK_EVENTS]);
    if (places === null) return;
    const found = new PlaceReader(places);
    yield await reader.all<EventRow & Record<string, unknown>>(EVENTS_SQL, EventKeys.ofPlaces(found).all);
    if (found.length < BLOCK_EVENTS) return;
    after = found.bytes(found.length - 1);
  }
}
