// Users and items: records by id with attributes. `dataset.dataset_id` was resolved for the caller's account beforehand.
import { capacityOf, type Dataset } from '../domain/dataset.ts';
import type { EntityRecord } from '../domain/record.ts';
import type { RecordColumns } from '../domain/record-columns.ts';
import type { Page, PageRequest } from './page.ts';

/** Outcome of one record of a batch, in the batch's order. 'foreign': the event names a list of a project without this dataset. */
export type UpsertOutcome = 'stored' | 'full' | 'foreign';

/** Outcome of one patch of a batch. 'too-much': the records of the call would be too large together. */
export type PatchOutcome = UpsertOutcome | 'unknown' | 'too-large' | 'too-much';

export interface PatchOptions {
  /** Whether an unknown id gets a record with the patched attributes. Default: the outcome is 'unknown'. */
  readonly creates?: boolean;
}

/** A record and when it was first written since its last deletion; 0 if it is older than this information. */
export interface CreatedRecord {
  id: string;
  created_ts: number;
}

/** Ids greater than `after` up to `upTo`; null: all that follow. Ids compare by their bytes. */
export interface IdRange {
  readonly after: string;
  readonly upTo: string | null;
}

/** All ids: an id is never empty, so every one comes after ''. */
export const ALL_IDS: IdRange = { after: '', upTo: null };

/** The most changes `changesSince` returns. */
export const MAX_CHANGES = 50_000;
const MAX_REMEMBERED_DELETIONS = 1_000_000;

/** How many deleted items a dataset remembers. The oldest are forgotten first. */
export function rememberedDeletions(dataset: Pick<Dataset, 'num_shards'>): number {
  return Math.min(capacityOf(dataset), MAX_REMEMBERED_DELETIONS);
}

/** Deleted items are remembered, so that they are not recommended again. Nothing remains of a deleted user. */
export function remembersDeletions({ kind }: Pick<Dataset, 'kind'>): boolean {
  return kind === 'item';
}

/** The dataset's version and the ids of the records that changed up to it; null if unknown. */
export type RecordNews = { version: number; ids: string[] } | null;

export interface RecordStore {
  /** Ids are unique within the batch. Durable when it resolves. A record over the dataset's capacity is 'full', the others are stored. */
  upsert(dataset: Dataset, records: RecordColumns | readonly EntityRecord[]): Promise<UpsertOutcome[]>;
  /**
   * Changes single attributes, see domain/record-patch.ts: `attributes` contains the changes, null removes. Each record is
   * changed completely or not at all, based on its state at the time of the write. Ids are unique within the batch. Durable when
   * it resolves.
   */
  patch(
    dataset: Dataset,
    patches: RecordColumns | readonly EntityRecord[],
    options?: PatchOptions,
  ): Promise<PatchOutcome[]>;
  get(datasetId: string, id: string): Promise<EntityRecord | null>;
  /** Returns records in the order of the ids, null for those that do not exist. */
  getMany(datasetId: string, ids: readonly string[]): Promise<(EntityRecord | null)[]>;
  /**
   * Returns how many existed. Works whatever the plan allows. An item is remembered as deleted even if it had no record; where
   * the plan has no room for all of these in a call, only if an event dataset of the account knows it.
   */
  delete(dataset: Dataset, ids: readonly string[]): Promise<number>;
  /** Records first written at a time or later, the newest first. */
  newest(datasetId: string, sinceTs: number, limit: number): Promise<CreatedRecord[]>;
  /** Lists the last written records first. */
  list(datasetId: string, page: PageRequest, search?: string): Promise<Page<EntityRecord>>;
  /** Every record by id, in blocks of up to this many, fewer if they are large; never the whole dataset in memory. */
  scan(datasetId: string, blockSize?: number, ids?: IdRange): AsyncIterable<EntityRecord[]>;
  /** Ids that cut the records into ranges of `every` records, in order; at most `most` of them. */
  cuts(datasetId: string, every: number, most: number): Promise<string[]>;
  /** Increases with every change of the dataset's records, for comparison by caches. */
  version(datasetId: string): Promise<number>;
  /**
   * Records written or deleted since a version, so that a cache can follow without reading all; null when that is not known any
   * more. Every recommendation asks this, so a store that need not wait returns it at once.
   */
  changesSince(datasetId: string, version: number): RecordNews | Promise<RecordNews>;
  /** Ids of items that were deleted and not written since, in blocks. */
  deletedIds(datasetId: string): AsyncIterable<string[]>;
  /** False once the oldest deletions were forgotten, because there were too many. */
  knowsAllDeletions(datasetId: string): Promise<boolean>;
}
