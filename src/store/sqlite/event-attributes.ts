// Attributes of the newest events of a type, block by block on the reader thread: a range of the index of times says which events,
// then each is read by its number. Without the index SQLite would sort the whole dataset for every block.
import type { AttributeBlock, AttributeSearch } from '../event-store.ts';
import { EVENTS_AT_MOMENTS, EventKeys } from './event-keys.ts';
import { MOMENT_BYTES, momentAt } from './event-moment.ts';
import { PlaceEncoder, PlaceReader, TYPE_OFFSET } from './event-place.ts';
import { NEWEST_MOMENTS_SQL } from './event-ranges.ts';
import type { SqliteReader } from './reader.ts';

/** Events read at a time. Each has up to 20 kB of attributes. */
const BLOCK_EVENTS = 1000;

// JSON has no raw line break, so one separates the texts.
const BLOCK_SQL = `SELECT CAST(group_concat(place, '') AS BLOB) AS places, group_concat(attributes, char(10)) AS texts
  FROM (SELECT place, attributes FROM ${EVENTS_AT_MOMENTS}
    WHERE attributes IS NOT NULL AND substr(place, ${TYPE_OFFSET + 1}, 4) = ? ORDER BY wanted.key)`;

/** Yields the newest events first. */
export async function* attributeBlocks(
  reader: SqliteReader,
  datasetNo: number,
  { type, newest }: AttributeSearch,
): AsyncGenerator<AttributeBlock, void, undefined> {
  const from = momentAt(datasetNo, 0);
  let to = momentAt(datasetNo + 1, 0);
  const typeBytes = new PlaceEncoder().payload(0, type, 0).bytes.slice(TYPE_OFFSET, TYPE_OFFSET + 4);
  for (let left = newest; left > 0; left -= BLOCK_EVENTS) {
    const limit = Math.min(left, BLOCK_EVENTS);
    const [{ keys }] = await reader.all<{ keys: Uint8Array | null }>(NEWEST_MOMENTS_SQL, [from, to, limit]);
    if (keys === null) return;
    const params = [...EventKeys.ofMoments(keys).all, typeBytes];
    const [row] = await reader.all<{ places: Uint8Array | null; texts: string }>(BLOCK_SQL, params);
    if (row.places !== null) yield asBlock(new PlaceReader(row.places), row.texts.split('\n'));
    if (keys.length < limit * MOMENT_BYTES) return;
    to = keys.slice(-MOMENT_BYTES);
  }
}

function asBlock(places: PlaceReader, attributes: string[]): AttributeBlock {
  const column = (read: (row: number) => number) => Uint32Array.from(attributes, (_, row) => read(row));
  return {
    length: places.length,
    user: column((row) => places.user(row)),
    item: column((row) => places.item(row)),
    value: Float64Array.from(attributes, (_, row) => places.value(row)),
    attributes,
  };
}
