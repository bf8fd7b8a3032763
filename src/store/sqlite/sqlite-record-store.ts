// Users or items on SQLite. Point reads on the calling thread, searches on the reader thread.

import { ownTurn } from '../../base/turns.ts';
import type { Dataset } from '../../domain/dataset.ts';
import type { EntityRecord } from '../../domain/record.ts';
import { buffersOf, type RecordColumns, recordColumns } from '../../domain/record-columns.ts';
import { type RecordHead, recordPage } from '../list-records.ts';
import { type Page, type PageRequest, pageStart } from '../page.ts';
import { parseRecord, parseRecords, type StoredRecord } from '../parse-records.ts';
import {
  type CreatedRecord,
  type IdRange,
  MAX_CHANGES,
  type PatchOptions,
  type PatchOutcome,
  type RecordNews,
  type RecordStore,
  remembersDeletions,
  type UpsertOutcome,
} from '../record-store.ts';
import { NEWEST_SQL } from '../sql/newest-records.ts';
import { recordCuts, scanDeletedIds, scanRecords } from '../sql/scan-records.ts';
import { jsonSearchPattern, searchPattern } from '../sql/search-pattern.ts';
import { deletionSizeOf, patchSizeOf, sizeOf } from '../write-limits.ts';
import { DatasetNumbers } from './dataset-numbers.ts';
import type { SqliteReader } from './reader.ts';
import type { SqliteDatabase } from './sqlite-database.ts';
import { targetOf } from './write-protocol.ts';
import type { SqliteWriter } from './writer.ts';

const SCAN_BLOCK = 1000;

const HEADS = 'SELECT id, version, octet_length(attributes) AS bytes FROM record WHERE dataset_no = ? AND version < ?';
const NEWEST_FIRST = 'ORDER BY version DESC LIMIT ?';
const HEADS_SQL = `${HEADS} ${NEWEST_FIRST}`;

/** Records compared in one read of a search, of at most 20 kB each. Other accounts' reads get their turn after it. */
const SEARCHED_AT_ONCE = 5000;
const STRETCH_SQL = `SELECT min(version) AS start FROM (SELECT version FROM record WHERE dataset_no = ? AND version < ?
  ORDER BY version DESC LIMIT ${SEARCHED_AT_ONCE})`;
const SEARCH_SQL = `${HEADS} AND version >= ? AND (id LIKE ? ESCAPE '\\' OR attributes LIKE ? ESCAPE '\\') ${NEWEST_FIRST}`;

export class SqliteRecordStore implements RecordStore {
  readonly #database: SqliteDatabase;
  readonly #writer: SqliteWriter;
  readonly #reader: SqliteReader;
  readonly #datasets: DatasetNumbers;

  constructor(database: SqliteDatabase, writer: SqliteWriter, reader: SqliteReader) {
    this.#database = database;
    this.#writer = writer;
    this.#reader = reader;
    this.#datasets = new DatasetNumbers(database);
  }

  upsert(dataset: Dataset, records: RecordColumns | readonly EntityRecord[]): Promise<UpsertOutcome[]> {
    const columns = 'ids' in records ? records : recordColumns(records);
    const command = { kind: 'upsert-records' as const, target: targetOf(dataset), columns };
    return this.#writer.submit(command, sizeOf(columns), buffersOf(columns));
  }

  patch(
    dataset: Dataset,
    patches: RecordColumns | readonly EntityRecord[],
    { creates = false }: PatchOptions = {},
  ): Promise<PatchOutcome[]> {
    const columns = 'ids' in patches ? patches : recordColumns(patches);
    const command = { kind: 'patch-records' as const, target: targetOf(dataset), columns, creates };
    return this.#writer.submit(command, patchSizeOf(columns), buffersOf(columns));
  }

  async get(datasetId: string, id: string): Promise<EntityRecord | null> {
    const found = this.#get(datasetId, id);
    return found && parseRecord(found);
  }

  async getMany(datasetId: string, ids: readonly string[]): Promise<(EntityRecord | null)[]> {
    return parseRecords(ids.values().map((id) => this.#get(datasetId, id)));
  }

  delete(dataset: Dataset, ids: readonly string[]): Promise<number> {
    const command = {
      kind: 'delete-records' as const,
      target: targetOf(dataset),
      ids,
      isRemembered: remembersDeletions(dataset),
    };
    return this.#writer.submit(command, deletionSizeOf(ids));
  }

  async newest(datasetId: string, sinceTs: number, limit: number): Promise<CreatedRecord[]> {
    const dataset = this.#datasets.find(datasetId);
    return dataset ? this.#reader.all<CreatedRecord>(NEWEST_SQL, [dataset.datasetNo, sinceTs, limit]) : [];
  }

  async list(datasetId: string, page: PageRequest, search?: string): Promise<Page<EntityRecord>> {
    const start = pageStart(page);
    const dataset = this.#datasets.find(datasetId);
    if (!dataset) return { entries: [], next_page_token: null };
    const range = [dataset.datasetNo, start.ts, page.page_size + 1] as const;
    const found =
      search === undefined
        ? await this.#database.all<RecordHead>(HEADS_SQL, range)
        : await this.#search(search, ...range);
    return recordPage(found, page, (ids) => this.getMany(datasetId, ids));
  }

  async #search(text: string, datasetNo: number, before: number, limit: number): Promise<RecordHead[]> {
    const patterns = [searchPattern(text), jsonSearchPattern(text)];
    const found: RecordHead[] = [];
    for (let to = before; found.length < limit; ) {
      const [{ start }] = await this.#reader.all<{ start: number | null }>(STRETCH_SQL, [datasetNo, to]);
      if (start === null) break;
      const params = [datasetNo, to, start, ...patterns, limit - found.length];
      found.push(...(await this.#reader.all<RecordHead>(SEARCH_SQL, params)));
      to = start;
    }
    return found;
  }

  async *scan(
    datasetId: string,
    blockSize: number = SCAN_BLOCK,
    ids?: IdRange,
  ): AsyncGenerator<EntityRecord[], void, undefined> {
    const dataset = this.#datasets.find(datasetId);
    if (!dataset) return;
    for await (const rows of scanRecords(this.#database, dataset.datasetNo, blockSize, ids)) {
      yield await parseRecords(rows);
      await ownTurn();
    }
  }

  async cuts(datasetId: string, every: number, most: number): Promise<string[]> {
    const dataset = this.#datasets.find(datasetId);
    return dataset ? recordCuts(this.#database, dataset.datasetNo, every, most) : [];
  }

  async version(datasetId: string): Promise<number> {
    return this.#datasets.versionOf(datasetId).version;
  }

  changesSince(datasetId: string, version: number): RecordNews | Promise<RecordNews> {
    const now = this.#datasets.versionOf(datasetId);
    if (version < now.changes_from || version > now.version) return null;
    return version === now.version ? { version, ids: [] } : this.#changesBetween(datasetId, version, now.version);
  }

  async #changesBetween(datasetId: string, after: number, version: number): Promise<RecordNews> {
    const dataset = this.#datasets.find(datasetId)!;
    const params = [dataset.datasetNo, after, version, MAX_CHANGES + 1];
    const changed = await this.#database.all<{ id: string }>(
      'SELECT id FROM record WHERE dataset_no = ? AND version > ? AND version <= ? LIMIT ?',
      params,
    );
    const deleted = await this.#database.all<{ id: string }>(
      'SELECT id FROM record_deletion WHERE dataset_no = ? AND version > ? AND version <= ? LIMIT ?',
      params,
    );
    const ids = new Set([...changed, ...deleted].map(({ id }) => id));
    return ids.size > MAX_CHANGES ? null : { version, ids: [...ids] };
  }

  async *deletedIds(datasetId: string): AsyncGenerator<string[], void, undefined> {
    const dataset = this.#datasets.find(datasetId);
    if (!dataset) return;
    for await (const ids of scanDeletedIds(this.#database, dataset.datasetNo)) {
      yield ids;
      await ownTurn();
    }
  }

  async knowsAllDeletions(datasetId: string): Promise<boolean> {
    return this.#datasets.versionOf(datasetId).changes_from === 0;
  }

  #get(datasetId: string, id: string): StoredRecord | null {
    const dataset = this.#datasets.find(datasetId);
    const row =
      dataset &&
      (this.#database
        .reading('SELECT id, attributes FROM record WHERE dataset_no = ? AND id = ?')
        .get(dataset.datasetNo, id) as StoredRecord | undefined);
    return row ?? null;
  }
}
