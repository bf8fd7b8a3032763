// Counts the stored bytes of a dataset: the texts of its rows as UTF-8, plus an estimate per row for its numbers, keys and index
// entries. Counted in the transaction that changes the rows, for the dataset (`dataset_count.stored_bytes`) and for its account
// (`account.storage_bytes`), which is the sum over its datasets. Both databases count the same.

import { plural } from '../base/plural.ts';
import type { EventColumns, RecordColumns, TextColumn } from '../domain/record-columns.ts';
import { AppError } from '../errors.ts';

/** Bytes of a row besides its texts. Migration 11 has the same numbers. */
export const RECORD_ROW_BYTES = 64;
export const EVENT_ROW_BYTES = 160;
/** bytes of an id with its number, or of the id of a deleted item that is remembered */
export const ID_ROW_BYTES = 64;

export const idRowBytes = (id: string): number => ID_ROW_BYTES + Buffer.byteLength(id);

export const sumOf = <T>(rows: readonly T[], bytesOf: (row: T) => number): number =>
  rows.reduce((sum, row) => sum + bytesOf(row), 0);

function lengthAt({ ends }: TextColumn, row: number): number {
  return ends[row] - (row === 0 ? 0 : ends[row - 1]);
}

export function recordRowBytes({ ids, attributes }: RecordColumns, row: number): number {
  return RECORD_ROW_BYTES + lengthAt(ids, row) + lengthAt(attributes, row);
}

export function eventRowBytes({ eventIds, attributes, recommendations }: EventColumns, row: number): number {
  return EVENT_ROW_BYTES + lengthAt(eventIds, row) + lengthAt(attributes, row) + lengthAt(recommendations, row);
}

/** The most bytes that a batch of records can add. */
export function mostRecordBytes({ length, ids, attributes }: RecordColumns): number {
  return length * RECORD_ROW_BYTES + ids.bytes.length + attributes.bytes.length;
}

/** The most bytes that a batch of events can add, if all ids are new. */
export function mostEventBytes(columns: EventColumns): number {
  const { length, eventIds, userIds, itemIds, types, attributes, recommendations } = columns;
  const texts = [eventIds, userIds, itemIds, types, attributes, recommendations];
  return length * (EVENT_ROW_BYTES + 3 * ID_ROW_BYTES) + sumOf(texts, ({ bytes }) => bytes.length);
}

export function storageExceeded(maxBytes: number): AppError {
  return new AppError(
    'PLAN_LIMIT_EXCEEDED',
    `The account would store more than the ${plural(maxBytes, 'byte')} of its plan (max_storage_bytes). Nothing of this call was stored. Delete data that is not needed, or raise the plan.`,
  );
}
