// Keys of events, laid end to end, and the rows they name. Each key ends in the number of its row. Once an event is deleted, its
// number may be that of another event, perhaps of another account. So a statement that reads rows by keys that an earlier
// statement has found reads only those that are still at their key.
import { MOMENT_BYTES, seqsOf } from './event-moment.ts';
import { PLACE_BYTES, type PlaceReader } from './event-place.ts';

const keyedEvents = (key: string, bytes: number): string =>
  `json_each(?) AS wanted CROSS JOIN event ON event.seq = wanted.value AND ${key} = substr(?, wanted.key * ${bytes} + 1, ${bytes})`;

/** For FROM, with the parameters of EventKeys. `wanted.key` counts the keys. */
export const EVENTS_AT_PLACES = keyedEvents('event.place', PLACE_BYTES);
/** A moment is bytes of the place, see `momentOf`. */
export const EVENTS_AT_MOMENTS = keyedEvents(
  'CAST(substr(event.place, 1, 4) || substr(event.place, 12, 13) AS BLOB)',
  MOMENT_BYTES,
);

type KeyParams = [seqs: string, keys: Uint8Array];

export class EventKeys {
  readonly #seqs: readonly number[];
  readonly #keys: Uint8Array;

  private constructor(seqs: readonly number[], keys: Uint8Array) {
    this.#seqs = seqs;
    this.#keys = keys;
  }

  static ofPlaces(places: PlaceReader): EventKeys {
    const seqs = Array.from({ length: places.length }, (_, row) => places.seq(row));
    return new EventKeys(seqs, places.all());
  }

  static ofMoments(moments: Uint8Array): EventKeys {
    return new EventKeys(seqsOf(moments), moments);
  }

  get all(): KeyParams {
    return [JSON.stringify(this.#seqs), this.#keys];
  }

  /** Key by key. */
  *each(): Generator<KeyParams> {
    const bytes = this.#keys.length / this.#seqs.length;
    for (const [row, seq] of this.#seqs.entries())
      yield [`[${seq}]`, this.#keys.subarray(row * bytes, (row + 1) * bytes)];
  }
}
