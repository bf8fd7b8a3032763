// Reads over the sorted places of events, on whatever thread holds the connection. Everything here is a range of keys read as
// one concatenated blob per step: SQLite walks the tree, JavaScript sees one value and not a row at a time. Each step reads what
// is committed then: no long transaction holds the log back.
import type { BlockColumns } from './event-columns.ts';
import { PlaceReader } from './event-place.ts';
import type { ReadStatement } from './read-statement.ts';

export const SCAN_BLOCK = 65_536;
/** Keys read at a time. More would need memory that is not in the processor's caches. */
const STEP = 8192;

const EMPTY = new Uint8Array(0);

/**
 * The first places of a range, laid end to end, in order. group_concat of blobs keeps their bytes; the order of the inner query is
 * the order of the result.
 */
const placesSql = (range: string): string => `SELECT CAST(group_concat(place, '') AS BLOB) AS places
  FROM (SELECT place FROM event_place WHERE ${range} ORDER BY place LIMIT ?)`;
export const PLACES_BETWEEN_SQL = placesSql('place > ? AND place < ?');

export interface ReadBlock {
  readonly length: number;
  /** key of the last event */
  readonly last: Uint8Array;
}

export interface EventCounts {
  readonly types: ReadonlyMap<number, number>;
  readonly overTime: readonly number[];
  /** the key of the last event; null: no event is left */
  readonly last: Uint8Array | null;
}

export class EventReader {
  readonly #between: Pick<ReadStatement, 'get'>;
  readonly #after: Pick<ReadStatement, 'get'>;

  constructor(prepare: (sql: string) => Pick<ReadStatement, 'get'>) {
    this.#between = prepare(PLACES_BETWEEN_SQL);
    this.#after = prepare(placesSql('place > ?'));
  }

  /** Reads up to `limit` keys in (after, to), in order; empty at the end. */
  next(after: Uint8Array, to: Uint8Array, limit: number): PlaceReader {
    return placesOf(this.#between.get(after, to, limit));
  }

  /**
   * Reads up to `limit` keys in (after, to), in order, in steps. Comparing every key with the end would cost a tenth of
   * the time: instead, what a step reads beyond it is dropped.
   */
  *#steps(after: Uint8Array, to: Uint8Array, limit: number): Generator<PlaceReader> {
    for (let left = limit; left > 0; ) {
      const asked = Math.min(STEP, left);
      const rows = placesOf(this.#after.get(after, asked)).before(to);
      if (rows.length > 0) yield rows;
      if (rows.length < asked) return;
      left -= rows.length;
      after = rows.bytes(rows.length - 1);
    }
  }

  /**
   * Reads the first events between the keys `after` (the start of a shard, or the last of the block before) and `to` into
   * columns of room for `limit`; null at the end.
   */
  block(after: Uint8Array, to: Uint8Array, limit: number, columns: BlockColumns): ReadBlock | null {
    let length = 0;
    let last = after;
    for (const rows of this.#steps(after, to, limit)) {
      length += rows.writeTo(columns, length);
      last = rows.bytes(rows.length - 1);
    }
    return length === 0 ? null : { length, last: last.slice() };
  }

  /** Counts the first events between the keys, by type number and by bucket of time. */
  counts(
    after: Uint8Array,
    to: Uint8Array,
    limit: number,
    { firstTs, width, buckets }: { readonly firstTs: number; readonly width: number; readonly buckets: number },
  ): EventCounts {
    const types = new Map<number, number>();
    const overTime = new Array<number>(buckets).fill(0);
    let length = 0;
    let last = after;
    for (const rows of this.#steps(after, to, limit)) {
      for (let row = 0; row < rows.length; row++) {
        const type = rows.type(row);
        types.set(type, (types.get(type) ?? 0) + 1);
        const bucket = Math.floor((rows.ts(row) - firstTs) / width);
        overTime[Math.min(buckets - 1, Math.max(0, bucket))]++;
      }
      length += rows.length;
      last = rows.bytes(rows.length - 1);
    }
    return { types, overTime, last: length < limit ? null : last.slice() };
  }
}

function placesOf(row: unknown): PlaceReader {
  return new PlaceReader((row as { places: Uint8Array | null }).places ?? EMPTY);
}
