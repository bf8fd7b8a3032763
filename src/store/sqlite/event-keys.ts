// Keys of events, laid end to end, and the rows they name. Each key ends in the number of its row. Once an event is deleted, its
// number may be that of another event, perhaps of another account. So a statement that reads rows by keys that an earlier
// statement has found reads only those that are still at their key.
import { MOMENT_BYTES, seqsOf, tsOf } from './event-moment.ts';
import { PLACE_BYTES, PlaceReader } from './event-place.ts';

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

interface EventKey {
  ts: number;
  seq: number;
  params: KeyParams;
}

export class EventKeys {
  readonly #seqs: readonly number[];
  readonly #keys: Uint8Array;
  readonly #tsOf: (key: Uint8Array) => number;

  private constructor(seqs: readonly number[], keys: Uint8Array, timeOf: (key: Uint8Array) => number) {
    this.#seqs = seqs;
    this.#keys = keys;
    this.#tsOf = timeOf;
  }

  static ofPlaces(places: PlaceReader): EventKeys {
    const seqs = Array.from({ length: places.length }, (_, row) => places.seq(row));
    return new EventKeys(seqs, places.all(), (place) => new PlaceReader(place).ts(0));
  }

  static ofMoments(moments: Uint8Array): EventKeys {
    return new EventKeys(seqsOf(moments), moments, tsOf);
  }

  get all(): KeyParams {
    return [JSON.stringify(this.#seqs), this.#keys];
  }

  /** Key by key. */
  *each(): Generator<EventKey> {
    const bytes = this.#keys.length / this.#seqs.length;
    for (const [row, seq] of this.#seqs.entries()) {
      const key = this.#keys.subarray(row * bytes, (row + 1) * bytes);
      yield { ts: this.#tsOf(key), seq, params: [`[${seq}]`, key] };
    }
  }
}
