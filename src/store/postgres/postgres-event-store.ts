// The event store on PostgreSQL.
import { to as copyTo } from 'pg-copy-streams';
import type { Dataset } from '../../domain/dataset.ts';
import type { EventRecord } from '../../domain/record.ts';
import { type EventColumns, eventColumns } from '../../domain/record-columns.ts';
import {
  type AttributeBlock,
  type AttributeSearch,
  type EventBlock,
  type EventStatistics,
  type EventStore,
  type EventUpsert,
  type HistoryEvent,
  INTERNED_KIND_NO,
  type InternedKind,
  MAX_LISTED_TYPES,
  type UserNews,
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
import { sizeOf } from '../write-limits.ts';
import { copyOutSql, decodeEvents } from './copy-events.ts';
import { DatasetNumbers } from './dataset-numbers.ts';
import { attributeBlocks } from './event-attributes.ts';
import { TWO_32 } from './event-partitions.ts';
import type { PostgresInterner } from './interner.ts';
import { listEvents } from './list-events.ts';
import type { PostgresDatabase } from './postgres-database.ts';
import { storeError } from './postgres-error.ts';
import { WITHOUT_TIME_LIMIT_SQL } from './silence-watch.ts';
import { type FoundEvent, toRecords, wholeEventBlocks, wholeEvents } from './whole-events.ts';
import { type DeletedEvents, deleteEvents, USER_NO, upsertEvents } from './write-events.ts';
import { type BulkOperation, oneByOne, type PostgresWriter } from './writer.ts';

/** Events deleted in one transaction: others wait some tens of milliseconds at most. */
const DELETE_CHUNK = 5000;
const DELETION_SIZE = { records: 1, bytes: 1000, rows: DELETE_CHUNK };
const SCAN_BLOCK = 65_536;
/** Limits scans because each holds a connection from its first block to its last. */
const SCANS_AT_ONCE = 4;
/** Connections that scans leave for other reads and writes of their store. */
const SPARED = 2;
const IDS_BLOCK = 10_000;
const COUNT_COLUMN = { user: 'num_users', item: 'num_items', type: 'num_types' } as const;

const { user: USER, item: ITEM, type: TYPE } = INTERNED_KIND_NO;
/**
 * Reads one partition only, because the place is known before the query runs. Returns one row of JSON, which is twice
 * as fast to read as one row per event.
 */
export const HISTORY_SQL = `SELECT json_agg(
    json_build_array(e.${USER_NO}, i.id, e.item_no, t.id, e.value, e.ts) ORDER BY e.ts DESC, e.seq DESC
  )::text AS events
  FROM (
    SELECT * FROM event WHERE dataset_no = ? AND place = CAST(? AS BIGINT) +
      (SELECT no FROM interned WHERE dataset_no = ? AND kind = ${USER} AND id = ?)
    ORDER BY ts DESC, seq DESC LIMIT ?
  ) e
  JOIN interned i ON i.dataset_no = e.dataset_no AND i.kind = ${ITEM} AND i.no = e.item_no
  JOIN interned t ON t.dataset_no = e.dataset_no AND t.kind = ${TYPE} AND t.no = e.type_no`;

type HistoryRow = [
  user_no: number,
  item_id: string,
  item_no: number,
  event_type: string,
  event_value: number,
  ts: number,
];

interface Deletion extends DeletedEvents {
  lastSeq: number;
}

export class PostgresEventStore implements EventStore {
  readonly scansAtOnce: number;
  readonly #database: PostgresDatabase;
  readonly #writer: PostgresWriter;
  readonly #datasets: DatasetNumbers;
  readonly #upsert: BulkOperation<EventColumns, EventUpsert>;
  readonly #delete = oneByOne((context, deletion: Deletion) =>
    deleteEvents(context, deletion, deletion.lastSeq, DELETE_CHUNK),
  );

  constructor(database: PostgresDatabase, writer: PostgresWriter, interner: PostgresInterner) {
    this.#database = database;
    this.scansAtOnce = Math.max(1, Math.min(SCANS_AT_ONCE, database.maxConnections - SPARED));
    this.#writer = writer;
    this.#datasets = new DatasetNumbers(database);
    this.#upsert = { run: (context, batches) => upsertEvents(context, interner, batches) };
  }

  upsert(dataset: Dataset, events: EventColumns | readonly EventRecord[]): Promise<EventUpsert> {
    const columns = 'eventIds' in events ? events : eventColumns(events);
    return this.#writer.submit(dataset, this.#upsert, columns, sizeOf(columns));
  }

  async get(datasetId: string, eventId: string): Promise<EventRecord | null> {
    const dataset = await this.#datasets.find(datasetId);
    if (!dataset) return null;
    const rows = await this.#database.all<FoundEvent>(
      wholeEvents('SELECT * FROM event WHERE dataset_no = ? AND event_id = ?'),
      [dataset.datasetNo, eventId],
    );
    return toRecords(rows).at(0) ?? null;
  }

  async delete(dataset: Dataset, eventIds: readonly string[]): Promise<number> {
    return this.#deleteInChunks(dataset, { sql: 'event_id = ANY($3)', params: [eventIds] });
  }

  async deleteOfUser(dataset: Dataset, userId: string): Promise<number> {
    const shard = shardOf(userId, dataset.num_shards);
    const sql = `place = CAST($3 AS BIGINT) + (SELECT no FROM interned WHERE dataset_no = $1 AND kind = ${USER} AND id = $4)`;
    return this.#deleteInChunks(dataset, { sql, params: [shard * TWO_32, userId], shard });
  }

  async deleteBetween(
    dataset: Dataset,
    startTs: number,
    beforeTs: number,
    options: { dryRun?: boolean } = {},
  ): Promise<number> {
    const events = { sql: 'ts >= $3 AND ts < $4', params: [startTs, beforeTs] };
    if (!options.dryRun) return this.#deleteInChunks(dataset, events);
    const [{ count }] = await this.#database.allOfMany<{ count: number }>(
      `SELECT count(*) AS count FROM event
       WHERE dataset_no = (SELECT dataset_no FROM dataset_count WHERE dataset_id = ?) AND ts >= ? AND ts < ?`,
      [dataset.dataset_id, startTs, beforeTs],
    );
    return count;
  }

  async history(datasetId: string, userId: string, limit: number): Promise<HistoryEvent[]> {
    const dataset = await this.#datasets.find(datasetId);
    if (!dataset) return [];
    const { datasetNo, numShards } = dataset;
    const place = shardOf(userId, numShards) * TWO_32;
    const params = [datasetNo, place, datasetNo, userId, limit];
    const read = this.#database.allPrepared<{ events: string | null }>('kindred_history', HISTORY_SQL, params);
    const [{ events }] = await read;
    const rows: HistoryRow[] = events === null ? [] : JSON.parse(events);
    return rows.map(([user_no, item_id, item_no, event_type, event_value, ts]) => ({
      user_no,
      item_id,
      item_no,
      event_type,
      event_value,
      ts,
    }));
  }

  async list(datasetId: string, page: PageRequest, userId?: string): Promise<Page<EventRecord>> {
    const start = numberedPageStart(page);
    const dataset = await this.#datasets.find(datasetId);
    if (!dataset) return { entries: [], next_page_token: null };
    return listEvents(this.#database, dataset, { page, start, userId });
  }

  async *scan(
    datasetId: string,
    shards: { from: number; to: number },
    blockSize: number = SCAN_BLOCK,
  ): AsyncGenerator<EventBlock, void, undefined> {
    const dataset = await this.#datasets.find(datasetId);
    if (!dataset) return;
    const client = await this.#database.connect();
    let finished = false;
    try {
      await client.query(`BEGIN READ ONLY; ${WITHOUT_TIME_LIMIT_SQL}; SET LOCAL work_mem = '64MB'`);
      const stream = client.query(copyTo(copyOutSql(dataset.datasetNo, shards.from, shards.to)));
      yield* decodeEvents(stream as AsyncIterable<Buffer>, blockSize);
      await client.query('COMMIT');
      finished = true;
    } catch (error) {
      throw storeError(error);
    } finally {
      // A reader that stopped early leaves the rest of the stream on this connection, so the connection is closed.
      client.release(!finished);
    }
  }

  async *records(
    datasetId: string,
    shards: { from: number; to: number },
  ): AsyncGenerator<EventRecord[], void, undefined> {
    const dataset = await this.#datasets.find(datasetId);
    if (dataset) yield* wholeEventBlocks(this.#database, dataset.datasetNo, shards);
  }

  async *attributeBlocks(datasetId: string, search: AttributeSearch): AsyncGenerator<AttributeBlock, void, undefined> {
    const dataset = await this.#datasets.find(datasetId);
    if (dataset) yield* attributeBlocks(this.#database, dataset.datasetNo, search);
  }

  async internedCount(datasetId: string, kind: InternedKind): Promise<number> {
    const [row] = await this.#database.all<{ count: number }>(
      `SELECT ${COUNT_COLUMN[kind]} AS count FROM dataset_count WHERE dataset_id = ?`,
      [datasetId],
    );
    return row?.count ?? 0;
  }

  async knownAmong(datasetId: string, kind: InternedKind, ids: readonly string[], before: number): Promise<string[]> {
    const dataset = await this.#datasets.find(datasetId);
    if (!dataset) return [];
    const rows = await this.#database.all<{ id: string }>(
      'SELECT id FROM interned WHERE dataset_no = ? AND kind = ? AND no < CAST(? AS BIGINT) AND id = ANY(?)',
      [dataset.datasetNo, INTERNED_KIND_NO[kind], before, ids],
    );
    return rows.map(({ id }) => id);
  }

  async *internedIds(
    datasetId: string,
    kind: InternedKind,
    range: { from: number; to: number } = { from: 0, to: Number.MAX_SAFE_INTEGER },
  ): AsyncGenerator<string[], void, undefined> {
    const dataset = await this.#datasets.find(datasetId);
    if (!dataset) return;
    const end = Math.min(range.to, await this.internedCount(datasetId, kind));
    for (let from = range.from; from < end; from += IDS_BLOCK) {
      const rows = await this.#database.all<{ id: string }>(
        'SELECT id FROM interned WHERE dataset_no = ? AND kind = ? AND no >= ? AND no < ? ORDER BY no',
        [dataset.datasetNo, INTERNED_KIND_NO[kind], from, Math.min(from + IDS_BLOCK, end)],
      );
      yield rows.map(({ id }) => id);
    }
  }

  async version(datasetId: string): Promise<number> {
    const [row] = await this.#database.all<{ version: number }>(
      'SELECT version FROM dataset_count WHERE dataset_id = ?',
      [datasetId],
    );
    return row?.version ?? 0;
  }

  async changesSince(datasetId: string, since: number): Promise<UserNews> {
    const dataset = await this.#datasets.find(datasetId);
    if (!dataset) return since === 0 ? { version: 0, users: new Uint32Array() } : null;
    const rows = await this.#database.allPrepared<ChangeRow>('kindred_changes', CHANGES_SQL, [
      since,
      dataset.datasetNo,
    ]);
    return changesOf(rows, since);
  }

  async itemCounts(datasetId: string, window: EventWindow, eventType: string | null): Promise<Map<number, number>> {
    const dataset = await this.#datasets.find(datasetId);
    if (!dataset) return new Map();
    let type: number | null = null;
    if (eventType !== null) {
      const [known] = await this.#database.all<{ no: number }>(
        'SELECT no FROM interned WHERE dataset_no = ? AND kind = ? AND id = ?',
        [dataset.datasetNo, TYPE, eventType],
      );
      if (known === undefined) return new Map();
      type = known.no;
    }
    return sumTallies(await this.#tallies(dataset, window), window, byItem(type));
  }

  async typeCounts(datasetId: string, window: EventWindow): Promise<Map<number, number>> {
    const dataset = await this.#datasets.find(datasetId);
    return dataset ? sumTallies(await this.#tallies(dataset, window), window, byType) : new Map();
  }

  async idsOf(datasetId: string, kind: InternedKind, numbers: readonly number[]): Promise<string[]> {
    const dataset = await this.#datasets.find(datasetId);
    if (!dataset) return [];
    const rows = await this.#database.allOfMany<{ id: string }>(
      `SELECT i.id FROM unnest(CAST(? AS integer[])) WITH ORDINALITY AS wanted (no, place)
       JOIN interned i ON i.dataset_no = ? AND i.kind = ? AND i.no = wanted.no ORDER BY wanted.place`,
      [`{${numbers.join(',')}}`, dataset.datasetNo, INTERNED_KIND_NO[kind]],
    );
    return rows.map(({ id }) => id);
  }

  async statistics(datasetId: string, buckets: number): Promise<EventStatistics> {
    const nothing = { first_ts: null, last_ts: null, types: [], over_time: [] };
    const dataset = await this.#datasets.find(datasetId);
    if (!dataset) return nothing;
    const [{ first, last }] = await this.#database.allOfMany<{ first: number | null; last: number | null }>(
      'SELECT min(ts) AS first, max(ts) AS last FROM event WHERE dataset_no = ?',
      [dataset.datasetNo],
    );
    if (first === null || last === null) return nothing;
    const types = await this.#database.allOfMany<{ event_type: string; count: number }>(
      `SELECT t.id AS event_type, n.count FROM
         (SELECT dataset_no, type_no, count(*) AS count FROM event WHERE dataset_no = ? GROUP BY dataset_no, type_no
          ORDER BY count(*) DESC, type_no LIMIT ${MAX_LISTED_TYPES}) n
       JOIN interned t ON t.dataset_no = n.dataset_no AND t.kind = ${TYPE} AND t.no = n.type_no
       ORDER BY n.count DESC, t.id`,
      [dataset.datasetNo],
    );
    const width = (last - first) / buckets;
    const counted = await this.#database.allOfMany<{ bucket: number; count: number }>(
      `SELECT greatest(0, least(CAST(? AS BIGINT) - 1, floor((ts - CAST(? AS BIGINT)) / CAST(? AS DOUBLE PRECISION)))) AS bucket,
         count(*) AS count FROM event WHERE dataset_no = ? GROUP BY 1`,
      [buckets, first, width || 1, dataset.datasetNo],
    );
    const overTime = new Array<number>(buckets).fill(0);
    for (const { bucket, count } of counted) overTime[bucket] += count;
    return {
      first_ts: first,
      last_ts: last,
      types,
      over_time: overTime.map((count, i) => ({ from_ts: Math.round(first + i * width), count })),
    };
  }

  #tallies({ datasetNo }: { datasetNo: number }, window: EventWindow): Promise<TallyRow[]> {
    const ranges = bucketsOf(window);
    return this.#database.allOfMany<TallyRow>(tallySql(ranges), tallyParams(datasetNo, ranges));
  }

  /** Deletes only what was written before the call began, so that a busy writer cannot keep it running forever. */
  async #deleteInChunks(dataset: Dataset, events: DeletedEvents): Promise<number> {
    const [row] = await this.#database.all<{ last_seq: number }>(
      'SELECT last_seq FROM dataset_count WHERE dataset_id = ?',
      [dataset.dataset_id],
    );
    if (!row) return 0;
    let deleted = 0;
    for (;;) {
      const deletion = { ...events, lastSeq: row.last_seq };
      const count = await this.#writer.submit(dataset, this.#delete, deletion, DELETION_SIZE);
      deleted += count;
      if (count < DELETE_CHUNK) return deleted;
    }
  }
}
