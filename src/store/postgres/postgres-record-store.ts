// Users or items on PostgreSQL.
import type { Dataset } from '../../domain/dataset.ts';
import type { EntityRecord } from '../../domain/record.ts';
import { type RecordColumns, recordColumns } from '../../domain/record-columns.ts';
import { type RecordHead, recordPage } from '../list-records.ts';
import { type Page, type PageRequest, pageStart } from '../page.ts';
import { parseRecords, type StoredRecord } from '../parse-records.ts';
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
import { patchRecords, type RecordPatch } from './patch-records.ts';
import type { PostgresDatabase } from './postgres-database.ts';
import { deleteRecords, type RecordDeletion, upsertRecords } from './write-records.ts';
import type { BulkOperation, PostgresWriter } from './writer.ts';

const SCAN_BLOCK = 1000;

export class PostgresRecordStore implements RecordStore {
  readonly #database: PostgresDatabase;
  readonly #writer: PostgresWriter;
  readonly #datasets: DatasetNumbers;
  readonly #upsert: BulkOperation<RecordColumns, UpsertOutcome[]> = { run: upsertRecords };
  readonly #patch: BulkOperation<RecordPatch, PatchOutcome[]> = {
    async run(context, patches) {
      const outcomes: PatchOutcome[][] = [];
      for (const patch of patches) outcomes.push(await patchRecords(context, patch));
      return outcomes;
    },
  };
  readonly #delete: BulkOperation<RecordDeletion, number> = {
    async run(context, deletions) {
      const counts: number[] = [];
      // Remembering an id as deleted may take more space than the deletion freed.
      await context.outsidePlan(async () => {
        for (const deletion of deletions) counts.push(await deleteRecords(context, deletion));
      });
      return counts;
    },
  };

  constructor(database: PostgresDatabase, writer: PostgresWriter) {
    this.#database = database;
    this.#writer = writer;
    this.#datasets = new DatasetNumbers(database);
  }

  upsert(dataset: Dataset, records: RecordColumns | readonly EntityRecord[]): Promise<UpsertOutcome[]> {
    const columns = 'ids' in records ? records : recordColumns(records);
    return this.#writer.submit(dataset, this.#upsert, columns, sizeOf(columns));
  }

  patch(
    dataset: Dataset,
    patches: RecordColumns | readonly EntityRecord[],
    { creates = false }: PatchOptions = {},
  ): Promise<PatchOutcome[]> {
    const columns = 'ids' in patches ? patches : recordColumns(patches);
    return this.#writer.submit(dataset, this.#patch, { columns, creates }, patchSizeOf(columns));
  }

  async get(datasetId: string, id: string): Promise<EntityRecord | null> {
    return (await this.getMany(datasetId, [id]))[0];
  }

  async getMany(datasetId: string, ids: readonly string[]): Promise<(EntityRecord | null)[]> {
    const dataset = await this.#datasets.find(datasetId);
    if (!dataset) return ids.map(() => null);
    const rows = await this.#database.all<StoredRecord>(
      'SELECT id, attributes FROM record WHERE dataset_no = ? AND id = ANY(CAST(? AS text[]))',
      [dataset.datasetNo, ids],
    );
    const found = new Map((await parseRecords(rows)).map((record) => [record.id, record]));
    return ids.map((id) => found.get(id) ?? null);
  }

  delete(dataset: Dataset, ids: readonly string[]): Promise<number> {
    const deletion = { ids, isRemembered: remembersDeletions(dataset) };
    return this.#writer.submit(dataset, this.#delete, deletion, deletionSizeOf(ids));
  }

  async newest(datasetId: string, sinceTs: number, limit: number): Promise<CreatedRecord[]> {
    const dataset = await this.#datasets.find(datasetId);
    return dataset ? this.#database.allOfMany<CreatedRecord>(NEWEST_SQL, [dataset.datasetNo, sinceTs, limit]) : [];
  }

  async list(datasetId: string, page: PageRequest, search?: string): Promise<Page<EntityRecord>> {
    const start = pageStart(page);
    const dataset = await this.#datasets.find(datasetId);
    if (!dataset) return { entries: [], next_page_token: null };
    const matching =
      search === undefined ? '' : String.raw`AND (id ILIKE ? ESCAPE '\' OR attributes ILIKE ? ESCAPE '\')`;
    const found = await this.#database[search === undefined ? 'all' : 'allOfMany']<RecordHead>(
      `SELECT id, version, octet_length(attributes) AS bytes FROM record WHERE dataset_no = ? AND version < ? ${matching}
       ORDER BY version DESC LIMIT ?`,
      [
        dataset.datasetNo,
        start.ts,
        ...(search === undefined ? [] : [searchPattern(search), jsonSearchPattern(search)]),
        page.page_size + 1,
      ],
    );
    return recordPage(found, page, (ids) => this.getMany(datasetId, ids));
  }

  async *scan(
    datasetId: string,
    blockSize: number = SCAN_BLOCK,
    ids?: IdRange,
  ): AsyncGenerator<EntityRecord[], void, undefined> {
    const dataset = await this.#datasets.find(datasetId);
    if (!dataset) return;
    for await (const rows of scanRecords(this.#database, dataset.datasetNo, blockSize, ids)) {
      yield await parseRecords(rows);
    }
  }

  async cuts(datasetId: string, every: number, most: number): Promise<string[]> {
    const dataset = await this.#datasets.find(datasetId);
    return dataset ? recordCuts(this.#database, dataset.datasetNo, every, most) : [];
  }

  async version(datasetId: string): Promise<number> {
    return (await this.#counts(datasetId)).version;
  }

  async changesSince(datasetId: string, version: number): Promise<RecordNews> {
    const now = await this.#counts(datasetId);
    if (version < now.changes_from || version > now.version) return null;
    if (version === now.version) return { version, ids: [] };
    const { datasetNo } = (await this.#datasets.find(datasetId))!;
    const range = [datasetNo, version, now.version];
    const rows = await this.#database.all<{ id: string }>(
      `SELECT id FROM record WHERE dataset_no = ? AND version > ? AND version <= ?
       UNION SELECT id FROM record_deletion WHERE dataset_no = ? AND version > ? AND version <= ? LIMIT ?`,
      [...range, ...range, MAX_CHANGES + 1],
    );
    return rows.length > MAX_CHANGES ? null : { version: now.version, ids: rows.map(({ id }) => id) };
  }

  async *deletedIds(datasetId: string): AsyncGenerator<string[], void, undefined> {
    const dataset = await this.#datasets.find(datasetId);
    if (dataset) yield* scanDeletedIds(this.#database, dataset.datasetNo);
  }

  async knowsAllDeletions(datasetId: string): Promise<boolean> {
    return (await this.#counts(datasetId)).changes_from === 0;
  }

  async #counts(datasetId: string): Promise<{ version: number; changes_from: number }> {
    const [row] = await this.#database.all<{ version: number; changes_from: number }>(
      'SELECT version, changes_from FROM dataset_count WHERE dataset_id = ?',
      [datasetId],
    );
    return row ?? { version: 0, changes_from: 0 };
  }
}
