// Rows of the event table as records: one, and pages of them, newest first.
import type { EventRecord } from '../../domain/record.ts';
import { forgottenId } from '../event-store.ts';
import { type Page, type PageRequest, PageRoom, tokenAfter } from '../page.ts';
import { shardOf } from '../shard-of.ts';
import type { NumberedDataset } from './dataset-numbers.ts';
import { EVENTS_AT_MOMENTS, EVENTS_AT_PLACES, EventKeys } from './event-keys.ts';
import { momentAt } from './event-moment.ts';
import { PlaceEncoder, PlaceReader, userRange } from './event-place.ts';
import type { EventRanges } from './event-ranges.ts';
import type { InternedIds } from './interned-ids.ts';
import type { SqliteDatabase } from './sqlite-database.ts';
import { EVENT_COLUMNS, type EventRow } from './whole-events.ts';

/** Larger than the ts of any event. */
const MAX_TS = 2 ** 53;
const NO_PLACES = new PlaceReader(new Uint8Array(0));

export class EventRecords {
  readonly #database: SqliteDatabase;
  readonly #interned: InternedIds;
  readonly #ranges: EventRanges;

  constructor(database: SqliteDatabase, interned: InternedIds, ranges: EventRanges) {
    this.#database = database;
    this.#interned = interned;
    this.#ranges = ranges;
  }

  /** Returns null if the event's user was forgotten meanwhile, which means that the event was deleted. */
  record({ datasetNo }: NumberedDataset, row: EventRow): EventRecord | null {
    const place = new PlaceReader(row.place);
    const user_id = this.#interned.idsOf(datasetNo, 'user').at(place.user(0));
    if (user_id === forgottenId(place.user(0))) return null;
    return {
      event_id: row.event_id,
      user_id,
      item_id: this.#interned.idsOf(datasetNo, 'item').at(place.item(0)),
      ts: place.ts(0),
      event_type: this.#interned.idsOf(datasetNo, 'type').at(place.type(0)),
      event_value: place.value(0),
      attributes: row.attributes === null ? {} : JSON.parse(row.attributes),
      ...(row.recommendation !== null && { recommendation_id: row.recommendation }),
    };
  }

  /** The page after the event at `start`, of one user or of all. Call it in one state of the database. */
  page(
    dataset: NumberedDataset,
    page: PageRequest,
    start: { ts: number; no: number },
    userId?: string,
  ): Page<EventRecord> {
    const before = { ts: Math.min(start.ts, MAX_TS), seq: start.no };
    const limit = page.page_size + 1;
    const keys =
      userId === undefined ? this.#newest(dataset, before, limit) : this.#newestOfUser(dataset, userId, before, limit);
    const events = userId === undefined ? EVENTS_AT_MOMENTS : EVENTS_AT_PLACES;
    const select = this.#database.reading(`SELECT ${EVENT_COLUMNS} FROM ${events}`);
    const room = new PageRoom(page);
    const entries: EventRecord[] = [];
    let last = before;
    for (const { ts, seq, params } of keys.each()) {
      const row = select.get(...params) as unknown as EventRow | undefined;
      if (!room.takes(row?.attributes?.length ?? 0)) {
        return { entries, next_page_token: tokenAfter({ ts: last.ts, id: String(last.seq) }) };
      }
      // The page ends at a key, whether or not there is an event at it.
      last = { ts, seq };
      const event = row && this.record(dataset, row);
      if (event) entries.push(event);
    }
    return { entries, next_page_token: null };
  }

  #newest({ datasetNo }: NumberedDataset, before: { ts: number; seq: number }, limit: number): EventKeys {
    const to = momentAt(datasetNo, before.ts, before.seq);
    return EventKeys.ofMoments(this.#ranges.newestMoments(momentAt(datasetNo, 0), to, limit));
  }

  #newestOfUser(
    { datasetNo, numShards }: NumberedDataset,
    userId: string,
    before: { ts: number; seq: number },
    limit: number,
  ): EventKeys {
    const user = this.#interned.numberOf(datasetNo, 'user', userId);
    if (user === undefined) return EventKeys.ofPlaces(NO_PLACES);
    const shard = shardOf(userId, numShards);
    const { from } = userRange(datasetNo, shard, user);
    const to = new PlaceEncoder().owner(datasetNo, shard, user).time(before.ts, before.seq).bytes.subarray(0, 24);
    return EventKeys.ofPlaces(this.#ranges.newestPlaces(from, to, limit));
  }
}
