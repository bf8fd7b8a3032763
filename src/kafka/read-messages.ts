// Reads messages of a topic: records of one kind, and messages that are not valid records. A message is the JSON of one record in
// the form of the upsert calls. An event without an `event_id`, or with an empty one, gets the message's position in the topic as its
// id, and one without `ts` the message's time.
import type { AttributeSchema } from '../domain/dataset.ts';
import type { EntityRecord, EventRecord } from '../domain/record.ts';
import { type EventRules, readEntities, readEvents } from '../domain/record-batch.ts';

export interface StreamMessage {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
  /** in milliseconds */
  readonly timestamp: number;
  /** null: a tombstone, which tells Kafka to drop earlier messages of its key */
  readonly value: Uint8Array | null;
}

export interface BadMessage {
  readonly message: StreamMessage;
  readonly reason: string;
}

export interface ReadMessages<T> {
  /** One per id: the last valid message with an id counts. */
  records: T[];
  /** The message that each record came from. */
  sources: StreamMessage[];
  bad: BadMessage[];
  /** Messages without a value: neither records nor bad. */
  tombstones: number;
}

const MAX_MESSAGE_BYTES = 1_100_000;

export function readEventMessages(messages: readonly StreamMessage[], rules: EventRules): ReadMessages<EventRecord> {
  return read(messages, completeEvent, (values) => readEvents(values, { ...rules, isStream: true }));
}

export function readEntityMessages(
  messages: readonly StreamMessage[],
  idField: 'user_id' | 'item_id',
  schema: AttributeSchema | null,
): ReadMessages<EntityRecord> {
  const asItIs = (value: unknown) => value;
  return read(messages, asItIs, (values) => readEntities(values, idField, schema, { isStream: true }));
}

interface Checked<T> {
  records: T[];
  indexes: number[];
  failures: { index: number; message: string }[];
}

function read<T>(
  messages: readonly StreamMessage[],
  complete: (value: unknown, message: StreamMessage) => unknown,
  check: (values: unknown[]) => Checked<T>,
): ReadMessages<T> {
  const bad: BadMessage[] = [];
  let tombstones = 0;
  const parsed: { message: StreamMessage; value: unknown }[] = [];
  for (const message of messages) {
    if (message.value === null) {
      tombstones++;
      continue;
    }
    const value = parse(message.value);
    if (value instanceof Error) bad.push({ message, reason: value.message });
    else parsed.push({ message, value: complete(value, message) });
  }
  const { records, indexes, failures } = check(parsed.map(({ value }) => value));
  for (const { index, message: reason } of failures) bad.push({ message: parsed[index].message, reason });
  return { records, sources: indexes.map((index) => parsed[index].message), bad, tombstones };
}

function parse(value: Uint8Array): unknown {
  if (value.byteLength === 0) return new Error('The message is empty.');
  if (value.byteLength > MAX_MESSAGE_BYTES)
    return new Error(`The message has over ${MAX_MESSAGE_BYTES.toLocaleString('en-US')} bytes.`);
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(value)) as unknown;
  } catch {
    return new Error('The message is not JSON in UTF-8.');
  }
}

function completeEvent(value: unknown, { topic, partition, offset, timestamp }: StreamMessage): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const { event_id, ts, ...rest } = value as Record<string, unknown>;
  const isMissing = event_id === undefined || event_id === null || event_id === '';
  return { event_id: isMissing ? `kafka:${topic}:${partition}:${offset}` : event_id, ts: ts ?? timestamp, ...rest };
}
