// Attributes of a dataset's events, block by block on the reader thread. A block is one row: the places and the texts of its
// events, each concatenated. JSON has no raw line break, so one separates the texts.
import type { AttributeBlock } from '../event-store.ts';
import { PlaceReader } from './event-place.ts';
import type { SqliteReader } from './reader.ts';

/** Of at most 20 kB each. */
const BLOCK_EVENTS = 1000;

const BLOCK_SQL = `SELECT CAST(group_concat(place, '') AS BLOB) AS places, group_concat(attributes, char(10)) AS texts,
    min(seq) AS first
  FROM (SELECT seq, place, attributes FROM event
    WHERE dataset_no = ? AND seq < ? AND attributes IS NOT NULL ORDER BY seq DESC LIMIT ${BLOCK_EVENTS})`;

/** Written last first. */
export async function* attributeBlocks(
  reader: SqliteReader,
  datasetNo: number,
): AsyncGenerator<AttributeBlock, void, undefined> {
  for (let before = Number.MAX_SAFE_INTEGER; ; ) {
    const [row] = await reader.all<{ places: Uint8Array | null; texts: string; first: number }>(BLOCK_SQL, [
      datasetNo,
      before,
    ]);
    if (row.places === null) return;
    const places = new PlaceReader(row.places);
    const rows = Array.from({ length: places.length }, (_, n) => n);
    yield {
      length: places.length,
      user: Uint32Array.from(rows, (n) => places.user(n)),
      item: Uint32Array.from(rows, (n) => places.item(n)),
      type: Uint32Array.from(rows, (n) => places.type(n)),
      attributes: row.texts.split('\n'),
    };
    if (places.length < BLOCK_EVENTS) return;
    before = row.first;
  }
}
