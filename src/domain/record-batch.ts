// Turns the untrusted records of an upsert call into records that can be stored, and failures for the others. Hand-written
// for speed, because up to a thousand records per call may be checked on the thread that also serves recommendations.
//
// If an id is in a batch twice, its last record decides, valid or not, and the id is reported once. Every other record is
// reported too: one with an unusable id by what was given, as text, or by its index, such as "#12".
//
// Batches of a stream contain what happened to arrive. There the last valid record of an id counts, and every invalid one
// is reported, as if each had come alone.

import { nearestName } from '../base/nearest-name.ts';
import { checkAttributes, schemaMismatch } from './attribute-check.ts';
import { clientIdProblem } from './client-text.ts';
import { type AttributeSchema, MAX_EVENT_BYTES } from './dataset.ts';
import { MAX_LIST_AGE_MS, MAX_RECOMMENDATION_ID_LENGTH, type ReadList } from './recommendation.ts';
import type {
  Attributes,
  EntityRecord,
  EventRecord,
  RecordFailure,
  RecordFailureCode,
  RecordWarning,
  RecordWarningCode,
} from './record.ts';
import { suspiciousTime } from './suspicious-time.ts';

/** Keeps a single user or item from filling a page of a response. */
export const MAX_ENTITY_BYTES = 1_048_576;
const MAX_TS = 8.64e15;
/** A longer id is reported by its index. */
const MAX_ECHOED_ID_LENGTH = 1024;

export interface RecordBatch<T> {
  /** The valid records in the batch's order, one per id. */
  records: T[];
  /** The position of records[i] in the batch. */
  indexes: number[];
  failures: RecordFailure[];
  /** Warnings about records that can be stored. */
  warnings: RecordWarning[];
}

/** The record, or the failure: of this record, unless it names another one of the batch with the same id. */
export type Reading<T> = T | { code: RecordFailureCode; message: string; index?: number };

export interface BatchOptions {
  /** Whether an invalid record leaves an earlier one of its id in force. */
  readonly isStream?: boolean;
}

export function readEntities(
  batch: readonly unknown[],
  idField: 'user_id' | 'item_id',
  schema: AttributeSchema | null,
  options: BatchOptions = {},
): RecordBatch<EntityRecord> {
  const known = [idField, 'attributes'];
  const read = (record: Record<string, unknown>): Reading<EntityRecord> => {
    for (const field in record) if (!known.includes(field)) return unknownField(field, known);
    const attributes = record.attributes ?? {};
    const checked = checkAttributes(attributes);
    if (typeof checked === 'string') return invalid(checked);
    if (checked > MAX_ENTITY_BYTES && jsonBytes(record) > MAX_ENTITY_BYTES) return tooLarge(MAX_ENTITY_BYTES);
    const mismatch = schema === null ? null : schemaMismatch(attributes as Attributes, schema);
    if (mismatch !== null) return { code: 'ATTRIBUTE_TYPE_MISMATCH', message: mismatch };
    return { id: record[idField] as string, attributes: attributes as Attributes };
  };
  return readBatch(batch, idField, read, options);
}

const EVENT_FIELDS = [
  'event_id',
  'user_id',
  'item_id',
  'ts',
  'event_type',
  'event_value',
  'attributes',
  'recommendation_id',
];
/** Upper bound of an event's JSON without its attributes: four texts, three numbers, the id of a list, the field names. */
const MAX_EVENT_FRAME_BYTES = 4 * 256 * 2 * 6 + MAX_RECOMMENDATION_ID_LENGTH + 300;

export interface EventRules extends BatchOptions {
  readonly nowMs: number;
  /** If left out, an event with the id of a list is rejected. */
  readonly readList?: ReadList;
}

export function readEvents(
  batch: readonly unknown[],
  { nowMs, readList = () => null, isStream = false }: EventRules,
): RecordBatch<EventRecord> {
  const expired = new Set<string>();
  const ageOf = listAges(readList, nowMs);
  const readOne = (record: Record<string, unknown>): Reading<EventRecord> => {
    const reading = readEvent(record);
    if ('code' in reading || reading.recommendation_id === undefined) return reading;
    const age = ageOf(reading.recommendation_id);
    if (age === 'invalid') return INVALID_LIST;
    if (age === 'expired') expired.add(reading.event_id);
    return reading;
  };
  const read = readBatch(batch, 'event_id', readOne, { isStream });
  for (let i = 0; i < read.records.length; i++) {
    const { event_id, ts } = read.records[i];
    const warn = (code: RecordWarningCode, message: string) =>
      read.warnings.push({ index: read.indexes[i], id: event_id, code, message });
    const message = suspiciousTime(ts, nowMs);
    if (message !== null) warn('SUSPICIOUS_TIME', message);
    if (expired.has(event_id)) warn('RECOMMENDATION_EXPIRED', EXPIRED_LIST);
  }
  return read;
}

/** Checks the signature of each list id once, because several events of a batch may carry the same one. */
function listAges(readList: ReadList, nowMs: number): (recommendationId: string) => 'live' | 'expired' | 'invalid' {
  const known = new Map<string, 'live' | 'expired' | 'invalid'>();
  return (recommendationId) => {
    let age = known.get(recommendationId);
    if (age === undefined) {
      const list = readList(recommendationId);
      age = list === null ? 'invalid' : list.createdMs < nowMs - MAX_LIST_AGE_MS ? 'expired' : 'live';
      known.set(recommendationId, age);
    }
    return age;
  };
}

export const INVALID_LIST = {
  code: 'INVALID_RECOMMENDATION_ID' as const,
  message: 'recommendation_id is not from a response to this account. Send it unchanged, or leave it out.',
};
export const FOREIGN_LIST = {
  code: 'INVALID_RECOMMENDATION_ID' as const,
  message: 'recommendation_id is from a project that does not use this dataset or was deleted. Leave it out.',
};
export const EXPIRED_LIST = 'The recommendation is over 31 days old, so the event does not count in reports.';

function readEvent(record: Record<string, unknown>): Reading<EventRecord> {
  for (const field in record) if (!EVENT_FIELDS.includes(field)) return unknownField(field, EVENT_FIELDS);
  const { event_id, user_id, item_id, ts, event_type } = record;
  const event_value = record.event_value ?? 1;
  const attributes = record.attributes ?? undefined;
  const recommendation_id = record.recommendation_id ?? undefined;
  const idProblem =
    problemOf('user_id', user_id) ?? problemOf('item_id', item_id) ?? problemOf('event_type', event_type);
  if (idProblem !== null) return invalid(idProblem);
  if (!Number.isInteger(ts) || (ts as number) < 0 || (ts as number) > MAX_TS) {
    return invalid(
      ts === undefined || ts === null ? 'ts is missing' : 'ts must be a whole number of milliseconds from 0 to 8.64e15',
    );
  }
  if (typeof event_value !== 'number' || !Number.isFinite(event_value)) {
    return invalid('event_value must be a finite number');
  }
  if (recommendation_id !== undefined && typeof recommendation_id !== 'string') return INVALID_LIST;
  if (attributes !== undefined) {
    const checked = checkAttributes(attributes);
    if (typeof checked === 'string') return invalid(checked);
    if (checked > MAX_EVENT_BYTES - MAX_EVENT_FRAME_BYTES && jsonBytes(record) > MAX_EVENT_BYTES) {
      return tooLarge(MAX_EVENT_BYTES);
    }
  }
  return {
    event_id: event_id as string,
    user_id: user_id as string,
    item_id: item_id as string,
    ts: ts as number,
    event_type: event_type as string,
    event_value,
    attributes: (attributes as Attributes | undefined) ?? {},
    ...(recommendation_id !== undefined && { recommendation_id }),
  };
}

export function readBatch<T extends object>(
  batch: readonly unknown[],
  idField: string,
  read: (record: Record<string, unknown>) => Reading<T>,
  { isStream = false }: BatchOptions = {},
): RecordBatch<T> {
  const records: T[] = [];
  const indexes: number[] = [];
  const failures: RecordFailure[] = [];
  const seenIds = new Set<string>();
  const seenOthers = new Set<string>();
  // Goes from the end, so that the last record of an id in the batch is used.
  for (let index = batch.length - 1; index >= 0; index--) {
    const record = batch[index];
    if (typeof record !== 'object' || record === null || Array.isArray(record)) {
      failures.push({ index, id: `#${index}`, code: 'INVALID_RECORD', message: 'The record must be an object.' });
      continue;
    }
    const id = (record as Record<string, unknown>)[idField];
    const given = nameOf(id);
    // The number 7 is not the id "7": its failure must not hide the record of that id.
    const seen = typeof id === 'string' ? seenIds : seenOthers;
    const isReplaced = given !== null && seen.has(given);
    if (isReplaced && !isStream) continue;
    const idProblem = problemOf(idField, id);
    const reading = idProblem === null ? read(record as Record<string, unknown>) : invalid(idProblem);
    const isRefused = 'code' in reading && 'message' in reading;
    if (given !== null && !(isRefused && isStream)) seen.add(given);
    if (isRefused) {
      const at = 'index' in reading && typeof reading.index === 'number' ? reading.index : index;
      failures.push({ index: at, id: given ?? `#${index}`, code: reading.code, message: sentence(reading.message) });
    } else if (!isReplaced) {
      records.push(reading as T);
      indexes.push(index);
    }
  }
  return { records: records.reverse(), indexes: indexes.reverse(), failures: failures.reverse(), warnings: [] };
}

/** The given id as text, or null if it cannot name a record. */
function nameOf(id: unknown): string | null {
  if (typeof id === 'number' || typeof id === 'boolean') return String(id);
  return typeof id === 'string' && id.length > 0 && id.length <= MAX_ECHOED_ID_LENGTH ? id : null;
}

function problemOf(field: string, id: unknown): string | null {
  const problem = clientIdProblem(id);
  return problem === null ? null : `${field} ${problem}`;
}

export function unknownField(field: string, known: readonly string[], home = 'attributes') {
  const nearest = nearestName(field, known);
  const hint = nearest ? `did you mean "${nearest}"?` : `put properties of your own into ${home}`;
  return invalid(`unknown field "${field.slice(0, 64)}"; ${hint}`);
}

export const invalid = (message: string) => ({ code: 'INVALID_RECORD' as const, message });

export const tooLarge = (limit: number) => ({
  code: 'RECORD_TOO_LARGE' as const,
  message: `the record is over ${limit} bytes of JSON`,
});

const jsonBytes = (record: unknown): number => Buffer.byteLength(JSON.stringify(record));

const sentence = (text: string): string => (/[.?]$/.test(text) ? text : `${text}.`);
