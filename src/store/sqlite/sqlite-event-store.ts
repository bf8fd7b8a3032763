// Events on SQLite. Point reads and a user's history run on the calling thread in microseconds; reads of many rows run on the
// reader thread, and those of a whole dataset on threads for scans.

import { ownTurn } from '../../base/turns.ts';
import type { Dataset } from '../../domain/dataset.ts';
import type { EventRecord } from '../../domain/record.ts';
import { buffersOf, type EventColumns, eventColumns } from '../../domain/record-columns.ts';
import type {
  AttributeBlock,
  AttributeSearch,
  EventBlock,
  EventStatistics,
  EventStore,
  EventUpsert,
  HistoryEvent,
  InternedKind,
  UserNews,
} from '../event-store.ts';
import type { EventWindow } from '../event-window.ts';
import { numberedPageStart, type Page, type PageRequest } from '../page.ts';
import { shardOf } from '../shard-of.ts';
import { CHANGES_SQL, type ChangeRow, changesOf } from '../sql/changed-users.ts';
import {
  bucketsOf,
  byItem,
  byType,
  sumTallies,
  type TallyRow,
  tallyParams,
  tallySql,
} from '../tallies/tally-window.ts';
import { deletionSizeOf, sizeOf } from '../write-limits.ts';
import { DatasetNumbers, type NumberedDataset } from './dataset-numbers.ts';
import { attributeBlocks } from './event-attributes.ts';
import { MOMENT_BYTES, momentAt } from './event-moment.ts';
import { PlaceReader, userRange } from './event-place.ts';
import { EventRanges } from './event-ranges.ts';
import { EventReader } from './event-reader.ts';
import { EventRecords } from './event-records.ts';
import { countEvents, countMoments } from './event-statistics.ts';
import { InternedIds } from './interned-ids.ts';
import type { SqliteReader } from './reader.ts';
import type { ScanThreads } from './scan-threads.ts';
import type { SqliteDatabase } from './sqlite-database.ts';
import { EVENT_COLUMNS, type EventRow, wholeEvents } from './whole-events.ts';
import { targetOf, type WriteTarget } from './write-protocol.ts';
import type { SqliteWriter } from './writer.ts';

/** Events deleted in one turn of the writer: others wait some tens of milliseconds at most. */
const DELETE_CHUNK = 2000;

const NOBODY = new Uint32Array(0);
const COUNT_COLUMN = { user: 'num_users', item: 'num_items', type: 'num_types' } as const;

export class SqliteEventStore implements EventStore {
  readonly #database: SqliteDatabase;
  readonly #writer: SqliteWriter;
  readonly #reader: SqliteReader;
  readonly #datasets: DatasetNumbers;
  readonly #interned: InternedIds;
  readonly #ranges: EventRanges;
  readonly #records: EventRecords;
  readonly #scanner: EventReader;
  readonly #scans: ScanThreads;

  constructor(database: SqliteDatabase, writer: SqliteWriter, reader: SqliteReader, scans: ScanThreads) {
    this.#database = database;
    this.#writer = writer;
    this.#reader = reader;
    this.#scans = scans;
    this.#datasets = new DatasetNumbers(database);
    this.#interned = new InternedIds(database);
    this.#ranges = new EventRanges(database);
    this.#records = new EventRecords(database, this.#interned, this.#ranges);
    this.#scanner = new EventReader((sql) => database.reading(sql));
  }

  get scansAtOnce(): number {
    return this.#scans.count;
  }

  upsert(dataset: Dataset, events: EventColumns | readonly EventRecord[]): Promise<EventUpsert> {
    const columns = 'eventIds' in events ? events : eventColumns(events);
    const command = { kind: 'upsert-events' as const, target: targetOf(dataset), columns };
    return this.#writer.submit(command, sizeOf(columns), buffersOf(columns));
  }

  async get(datasetId: string, eventId: string): Promise<EventRecord | null> {
    const dataset = this.#datasets.find(datasetId);
    if (!dataset) return null;
    const row = this.#database
      .reading(`SELECT ${EVENT_COLUMNS} FROM event WHERE dataset_no = ? AND event_id = ?`)
      .get(dataset.datasetNo, eventId) as EventRow | undefined;
    return row ? this.#records.record(dataset, row) : null;
  }

  async delete(dataset: Dataset, eventIds: readonly string[]): Promise<number> {
    if (!this.#datasets.find(dataset.dataset_id)) return 0;
    const target = targetOf(dataset);
    let deleted = 0;
    for (let from = 0; from < eventIds.length; from += DELETE_CHUNK) {
      const chunk = eventIds.slice(from, from + DELETE_CHUNK);
      deleted += await this.#writer.submit({ kind: 'delete-events', target, eventIds: chunk }, deletionSizeOf(chunk));
    }
    return deleted;
  }

  async deleteOfUser(dataset: Dataset, userId: string): Promise<number> {
    const found = this.#datasets.find(dataset.dataset_id);
    const user = found && this.#interned.numberOf(found.datasetNo, 'user', userId);
    if (!found || user === undefined) return 0;
    const { from, to } = userRange(found.datasetNo, shardOf(userId, found.numShards), user);
    let deleted = 0;
    for (;;) {
      const rows = this.#scanner.next(from, to, DELETE_CHUNK);
      if (rows.length === 0) return deleted;
      deleted += await this.#deletePlaces(targetOf(dataset), rows.all());
      if (rows.length < DELETE_CHUNK) return deleted;
    }
  }

  async deleteBetween(
    dataset: Dataset,
    startTs: number,
    beforeTs: number,
    options: { dryRun?: boolean } = {},
  ): Promise<number> {
    const found = this.#datasets.find(dataset.dataset_id);
    if (!found || startTs >= beforeTs) return 0;
    const from = momentAt(found.datasetNo, startTs);
    const to = momentAt(found.datasetNo, beforeTs);
    if (options.dryRun) return countMoments(this.#reader, from, to);
    let deleted = 0;
    for (const moments of this.#ranges.oldestMoments(from, to, DELETE_CHUNK)) {
      const command = { kind: 'delete-moments' as const, target: targetOf(dataset), moments };
      const records = moments.byteLength / MOMENT_BYTES;
      deleted += await this.#writer.submit(command, { records, bytes: moments.byteLength });
    }
    return deleted;
  }

  async history(datasetId: string, userId: string, limit: number): Promise<HistoryEvent[]> {
    const dataset = this.#datasets.find(datasetId);
    const user = dataset && this.#interned.numberOf(dataset.datasetNo, 'user', userId);
    if (!dataset || user === undefined) return [];
    const { datasetNo, numShards } = dataset;
    const { from, to } = userRange(datasetNo, shardOf(userId, numShards), user);
    const places = this.#ranges.newestPlaces(from, to, limit);
    const itemIds = this.#interned.idsOf(datasetNo, 'item');
    const types = this.#interned.idsOf(datasetNo, 'type');
    const history = new Array<HistoryEvent>(places.length);
    for (let row = 0; row < history.length; row++) {
      const item_no = places.item(row);
      history[row] = {
        user_no: user,
        item_id: itemIds.at(item_no),
        item_no,
        event_type: types.at(places.type(row)),
        event_value: places.value(row),
        ts: places.ts(row),
      };
    }
    return history;
  }

  async list(datasetId: string, page: PageRequest, userId?: string): Promise<Page<EventRecord>> {
    const start = numberedPageStart(page);
    const dataset = this.#datasets.find(datasetId);
    if (!dataset) return { entries: [], next_page_token: null };
    return this.#database.inOneState(() => this.#records.page(dataset, page, start, userId));
  }

  async *scan(
    datasetId: string,
    shards: { from: number; to: number },
    blockSize?: number,
  ): AsyncGenerator<EventBlock, void, undefined> {
    const dataset = this.#datasets.find(datasetId);
    if (!dataset) return;
    const to = Math.min(shards.to, dataset.numShards);
    yield* this.#scans.blocks(dataset.datasetNo, { from: shards.from, to }, blockSize);
  }

  async *records(
    datasetId: string,
    shards: { from: number; to: number },
  ): AsyncGenerator<EventRecord[], void, undefined> {
    const dataset = this.#datasets.find(datasetId);
    if (!dataset) return;
    const to = Math.min(shards.to, dataset.numShards);
    for await (const rows of wholeEvents(this.#reader, dataset.datasetNo, { from: shards.from, to })) {
      yield rows.flatMap((row) => this.#records.record(dataset, row) ?? []);
    }
  }

  async *attributeBlocks(datasetId: string, search: AttributeSearch): AsyncGenerator<AttributeBlock, void, undefined> {
    const dataset = this.#datasets.find(datasetId);
    if (dataset) yield* attributeBlocks(this.#reader, dataset.datasetNo, search);
  }

  async internedCount(datasetId: string, kind: InternedKind): Promise<number> {
    const row = this.#database
      .reading(`SELECT ${COUNT_COLUMN[kind]} AS count FROM dataset_count WHERE dataset_id = ?`)
      .get(datasetId) as { count: number } | undefined;
    return row?.count ?? 0;
  }

  async knownAmong(datasetId: string, kind: InternedKind, ids: readonly string[], before: number): Promise<string[]> {
    const dataset = this.#datasets.find(datasetId);
    if (!dataset) return [];
    return ids.filter((id) => (this.#interned.numberOf(dataset.datasetNo, kind, id) ?? before) < before);
  }

  async *internedIds(
    datasetId: string,
    kind: InternedKind,
    range: { from: number; to: number } = { from: 0, to: Number.MAX_SAFE_INTEGER },
  ): AsyncGenerator<string[], void, undefined> {
    const dataset = this.#datasets.find(datasetId);
    if (!dataset) return;
    const to = Math.min(range.to, await this.internedCount(datasetId, kind));
    for (const ids of this.#interned.blocks(dataset.datasetNo, kind, { from: range.from, to })) {
      yield ids;
      await ownTurn();
    }
  }

  async version(datasetId: string): Promise<number> {
    return this.#datasets.versionOf(datasetId).version;
  }

  changesSince(datasetId: string, since: number): UserNews {
    const { version } = this.#datasets.versionOf(datasetId);
    if (version === since) return { version, users: NOBODY };
    const dataset = this.#datasets.find(datasetId);
    if (!dataset) return null;
    // One statement, so that version and changes are of the same moment.
    const rows = this.#database.reading(CHANGES_SQL).all(since, dataset.datasetNo) as unknown as ChangeRow[];
    return changesOf(rows, since);
  }

  async itemCounts(datasetId: string, window: EventWindow, eventType: string | null): Promise<Map<number, number>> {
    const dataset = this.#datasets.find(datasetId);
    const type = dataset && eventType !== null ? this.#interned.numberOf(dataset.datasetNo, 'type', eventType) : null;
    if (!dataset || type === undefined) return new Map();
    return sumTallies(await this.#tallies(dataset, window), window, byItem(type));
  }

  async typeCounts(datasetId: string, window: EventWindow): Promise<Map<number, number>> {
    const dataset = this.#datasets.find(datasetId);
    return dataset ? sumTallies(await this.#tallies(dataset, window), window, byType) : new Map();
  }

  async idsOf(datasetId: string, kind: InternedKind, numbers: readonly number[]): Promise<string[]> {
    const dataset = this.#datasets.find(datasetId);
    return dataset ? this.#interned.manyIds(dataset.datasetNo, kind, numbers) : [];
  }

  async statistics(datasetId: string, buckets: number): Promise<EventStatistics> {
    const dataset = this.#datasets.find(datasetId);
    const found = dataset && (await countEvents(this.#reader, this.#ranges, dataset, buckets));
    if (!found) return { first_ts: null, last_ts: null, types: [], over_time: [] };
    const { firstTs, lastTs, types, overTime } = found;
    const width = (lastTs - firstTs) / buckets;
    return {
      first_ts: firstTs,
      last_ts: lastTs,
      types: types
        .map(([no, count]) => ({ event_type: this.#interned.idsOf(dataset.datasetNo, 'type').at(no), count }))
        .sort((a, b) => b.count - a.count || (a.event_type < b.event_type ? -1 : 1)),
      over_time: overTime.map((count, i) => ({ from_ts: Math.round(firstTs + i * width), count })),
    };
  }

  #tallies({ datasetNo }: NumberedDataset, window: EventWindow): Promise<TallyRow[]> {
    const ranges = bucketsOf(window);
    return this.#reader.all<TallyRow>(tallySql(ranges), tallyParams(datasetNo, ranges));
  }

  #deletePlaces(target: WriteTarget, places: Uint8Array): Promise<number> {
    const records = new PlaceReader(places).length;
    return this.#writer.submit({ kind: 'delete-places', target, places }, { records, bytes: places.byteLength });
  }
}
