// Bodies with a batch of records: their frame (dataset, records) and how the records are checked. Runs on the API thread for
// small bodies and on parser threads for all others.
import { type TProperties, Type } from 'typebox';
import { plural } from '../../base/plural.ts';
import { traced } from '../../base/trace.ts';
import { type AttributeSchema, MAX_BATCH_RECORDS } from '../../domain/dataset.ts';
import { type RecordBatch, readEntities, readEvents } from '../../domain/record-batch.ts';
import { type EventColumns, eventColumns, type RecordColumns, recordColumns } from '../../domain/record-columns.ts';
import { readPatches } from '../../domain/record-patch.ts';
import { AppError } from '../../errors.ts';
import { type ListKey, ownLists } from '../../outcomes/own-lists.ts';
import { closed, recordsOf, ServiceId } from '../schemas/common.ts';
import { EventRecord, ItemPatch, ItemRecord, UserPatch, UserRecord } from '../schemas/datasets.ts';
import { lazyCheck } from '../validation.ts';

/** A checked batch: the valid records as columns, and the failures of the others. */
export interface CheckedBatch<Columns = RecordColumns | EventColumns> extends Omit<RecordBatch<never>, 'records'> {
  /** The ids of the records, in the order of the columns. */
  ids: string[];
  columns: Columns;
}

/** The records of a bulk call as passed to its handler. They are not checked yet, because that needs the dataset's schema. */
export interface Batch<Columns = RecordColumns | EventColumns> {
  /** Checks and converts the records. May be called once. */
  check(schema: AttributeSchema | null, given: CheckInputs): Promise<CheckedBatch<Columns>>;
  /** Frees a batch that will not be checked. */
  drop(): void;
}

/** Inputs of a check besides the records and their schema. */
export interface CheckInputs {
  readonly nowMs: number;
  /** The key that signed the list ids which events may carry; default: no list id is accepted. */
  readonly lists?: ListKey;
}

type BulkName = 'users' | 'items' | 'events' | 'user-patches' | 'item-patches';
type RecordsField = 'users' | 'items' | 'events';

/** Static type of the records' field: a handler gets a Batch. */
const batchOf = <Columns>(record: Parameters<typeof recordsOf>[0]) =>
  Type.Unsafe<Batch<Columns>>(recordsOf(record, `Up to ${plural(MAX_BATCH_RECORDS, 'record')}.`));

export const BULK_BODIES = {
  users: bulkBody(
    { name: 'users', field: 'users' },
    { user_dataset_id: ServiceId, users: batchOf<RecordColumns>(UserRecord) },
    (records, schema) => checkedEntities(readEntities(records, 'user_id', schema)),
  ),
  items: bulkBody(
    { name: 'items', field: 'items' },
    { item_dataset_id: ServiceId, items: batchOf<RecordColumns>(ItemRecord) },
    (records, schema) => checkedEntities(readEntities(records, 'item_id', schema)),
  ),
  events: bulkBody(
    { name: 'events', field: 'events' },
    { event_dataset_id: ServiceId, events: batchOf<EventColumns>(EventRecord) },
    (batch, _, { nowMs, lists }) => {
      const { records, ...rest } = traced('read records', () =>
        readEvents(batch, { nowMs, ...(lists && { readList: ownLists(lists) }) }),
      );
      const columns = traced('make columns', () => eventColumns(records));
      return { ...rest, ids: records.map(({ event_id }) => event_id), columns };
    },
  ),
  'user-patches': bulkBody(
    { name: 'user-patches', field: 'users' },
    { user_dataset_id: ServiceId, users: batchOf<RecordColumns>(UserPatch) },
    (records, schema) => checkedEntities(readPatches(records, 'user_id', schema)),
  ),
  'item-patches': bulkBody(
    { name: 'item-patches', field: 'items' },
    { item_dataset_id: ServiceId, items: batchOf<RecordColumns>(ItemPatch) },
    (records, schema) => checkedEntities(readPatches(records, 'item_id', schema)),
  ),
};

export type BulkBody = (typeof BULK_BODIES)[BulkName];

function checkedEntities({ records, ...rest }: ReturnType<typeof readEntities>): CheckedBatch<RecordColumns> {
  return { ...rest, ids: records.map(({ id }) => id), columns: recordColumns(records) };
}

/** Declares a bulk body whose records are in `field`. */
function bulkBody<const Fields extends TProperties>(
  { name, field }: { name: BulkName; field: RecordsField },
  fields: Fields,
  checkRecords: (records: readonly unknown[], schema: AttributeSchema | null, given: CheckInputs) => CheckedBatch,
) {
  const schema = closed(fields);
  const check = lazyCheck(schema);
  return {
    name,
    field,
    schema,
    checkRecords,
    /** Splits the body into its frame and its records; throws if either is invalid. */
    open(value: unknown): { frame: Record<string, unknown>; records: unknown[] } {
      const outcome = check(value);
      if (outcome !== true) throw outcome.error;
      const { [field]: records, ...frame } = value as Record<string, unknown[]>;
      refuseLargeBatch(records, field);
      return { frame, records };
    },
  };
}

export function refuseLargeBatch(batch: readonly unknown[], field: string): void {
  if (batch.length <= MAX_BATCH_RECORDS) return;
  throw new AppError(
    'BATCH_TOO_LARGE',
    `The call has ${plural(batch.length, 'record')}; the limit is ${plural(MAX_BATCH_RECORDS, 'record')}. Nothing was changed. Split the batch.`,
    { errors: [{ pointer: `/${field}`, message: `must have at most ${plural(MAX_BATCH_RECORDS, 'element')}` }] },
  );
}
