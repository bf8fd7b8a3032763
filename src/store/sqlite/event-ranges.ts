// Short ranges of event keys, read on the calling thread as one concatenated value each.
import { MOMENT_BYTES } from './event-moment.ts';
import { PlaceReader } from './event-place.ts';
import type { SqliteDatabase } from './sqlite-database.ts';

const NOTHING = new Uint8Array(0);

const NEWEST_PLACES_SQL = `SELECT CAST(group_concat(place, '') AS BLOB) AS keys
  FROM (SELECT place FROM event_place WHERE place > ? AND place < ? ORDER BY place DESC LIMIT ?)`;
const OLDEST_MOMENTS_SQL = `SELECT CAST(group_concat(moment, '') AS BLOB) AS keys
  FROM (SELECT moment FROM event_time WHERE moment >= ? AND moment < ? ORDER BY moment LIMIT ?)`;
export const NEWEST_MOMENTS_SQL = OLDEST_MOMENTS_SQL.replace('ORDER BY moment', 'ORDER BY moment DESC');

export class EventRanges {
  readonly #database: SqliteDatabase;

  constructor(database: SqliteDatabase) {
    this.#database = database;
  }

  /** Places in (from, to), the last ones, last first. */
  newestPlaces(from: Uint8Array, to: Uint8Array, limit: number): PlaceReader {
    return new PlaceReader(this.#read(NEWEST_PLACES_SQL, from, to, limit));
  }

  /** Moments in [from, to), the last ones, last first, laid end to end. */
  newestMoments(from: Uint8Array, to: Uint8Array, limit: number): Uint8Array {
    return this.#read(NEWEST_MOMENTS_SQL, from, to, limit);
  }

  /** Yields all moments in [from, to), oldest first, in chunks. Deletions in between do no harm. */
  *oldestMoments(from: Uint8Array, to: Uint8Array, chunk: number): Generator<Uint8Array> {
    for (let after = from; ; ) {
      const moments = this.#read(OLDEST_MOMENTS_SQL, after, to, chunk);
      if (moments.length === 0) return;
      yield moments;
      if (moments.length < chunk * MOMENT_BYTES) return;
      after = moments.slice(-MOMENT_BYTES);
    }
  }

  #read(sql: string, from: Uint8Array, to: Uint8Array, limit: number): Uint8Array {
    const { keys } = this.#database.reading(sql).get(from, to, limit) as { keys: Uint8Array | null };
    return keys ?? NOTHING;
  }
}
