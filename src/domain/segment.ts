// From messages of Segment and RudderStack (`track`, `identify`) to events and users' attributes, by the project's mapping. Ids of events
// come from the message's own id, so that a message that is delivered again is stored once; together with the user's id, so that nobody
// replaces events of another user.
//
// Each product of an order repeats what its message has: ids and attributes are checked before, and what is made has limits.
import { createHash } from 'node:crypto';
import type { Steps } from '../base/steps.ts';
import { AppError } from '../errors.ts';
import { valueProblem } from './attribute-check.ts';
import { clientIdProblem } from './client-text.ts';
import { SEGMENT_DEFAULTS, type SegmentEventRule, type SegmentMapping } from './segment-mapping.ts';
import type { Identified, MessageFailure } from './segment-users.ts';

const ITEM_ID_NAMES = ['product_id', 'productId', 'sku', 'id'];
/** Traits that are ignored unless the mapping names them: recommendations do not need to know who someone is. */
const PERSONAL_TRAITS = new Set(
  'address,avatar,birthday,email,firstname,lastname,name,phone,title,username,website,id'.split(','),
);
/** An order has a few products. */
export const MAX_SEGMENT_EVENTS = 5000;
/** Limit for the attributes of all events together, as JSON. */
export const MAX_SEGMENT_ATTRIBUTE_BYTES = 4 * 1024 * 1024;
/** A response has at most these. */
export const MAX_SEGMENT_FAILURES = 50;
const MAX_SKIPPED_NAMES = 20;
const MAX_NAME_LENGTH = 128;

type Fields = Record<string, unknown>;

export interface SegmentReading {
  /** Records in the form of an upsert, not checked yet; each with the index of its message. */
  events: { message: number; record: Fields }[];
  /** The traits of each `identify` message, not checked yet. */
  identified: Identified[];
  /** The first attributes of events that cannot be stored; their events have the others. */
  failures: MessageFailure[];
  /** How many messages, and products of messages, produced nothing, and the event names of at most MAX_SKIPPED_NAMES of them. */
  skipped: number;
  skippedNames: Record<string, number>;
  attributeBytes: number;
}

export function* readSegment(
  messages: readonly unknown[],
  mapping: SegmentMapping | null | undefined,
  nowMs: number,
): Steps<SegmentReading> {
  const reading: SegmentReading = {
    events: [],
    identified: [],
    failures: [],
    skipped: 0,
    skippedNames: {},
    attributeBytes: 0,
  };
  for (const [index, message] of messages.entries()) {
    const taking = { index, mapping: mapping ?? {}, nowMs, reading };
    const isTaken = isObject(message) && (yield* takeMessage(message, taking));
    if (!isTaken) skip(message, reading);
    yield;
  }
  return reading;
}

interface Taking {
  index: number;
  mapping: SegmentMapping;
  nowMs: number;
  reading: SegmentReading;
}

function* takeMessage(message: Fields, taking: Taking): Steps<boolean> {
  const userId = firstText([message.userId, message.anonymousId]);
  if (userId === null || clientIdProblem(userId) !== null) return false;
  if (message.type === 'identify') return takeTraits(message, userId, taking);
  return message.type === 'track' && (yield* takeEvents(message, userId, taking));
}

function takeTraits({ traits }: Fields, userId: string, { index, mapping, reading }: Taking): boolean {
  if (!isObject(traits)) return false;
  const kept = Object.entries(traits).filter(([name, value]) => {
    const isWanted = mapping.traits ? mapping.traits.includes(name) : !PERSONAL_TRAITS.has(name.toLowerCase());
    return isWanted && name !== '__proto__' && value !== null;
  });
  if (kept.length === 0) return false;
  reading.identified.push({ message: index, user_id: userId, traits: Object.fromEntries(kept) });
  return true;
}

function* takeEvents(message: Fields, userId: string, { index, mapping, nowMs, reading }: Taking): Steps<boolean> {
  const messageId = textOf(message.messageId);
  if (messageId !== null && clientIdProblem(messageId) !== null) return false;
  const rule = ruleOf(message.event, mapping);
  if (rule === null) return false;
  const products = rule.products === undefined ? [message] : at(message, rule.products);
  if (!Array.isArray(products)) return false;
  const ts = timeOf(message, nowMs);
  if (ts === null) return false;
  const itemIds = products.map((product) => itemIdOf(product, rule));
  const made = itemIds.filter((id) => id !== null).length;
  if (made === 0) return false;
  const { attributes, problems } = attributesOf(message, mapping);
  const failures = problems.map((problem) => ({ index, code: 'ATTRIBUTE_TYPE_MISMATCH' as const, message: problem }));
  reading.failures.push(...failures.slice(0, MAX_SEGMENT_FAILURES - reading.failures.length));
  limitMade(reading, made, attributes);
  for (const [place, product] of products.entries()) {
    const item_id = itemIds[place];
    if (item_id === null) {
      skip(message, reading);
      continue;
    }
    const event_id = eventId([userId, messageId ?? [message.event, item_id, ts], place]);
    // The id may be in the product or in the message.
    const recommendation_id =
      textOf(at(product, 'recommendation_id')) ?? textOf(at(message, 'properties.recommendation_id'));
    const value = rule.value === undefined ? Number.NaN : numberOf(at(product, rule.value));
    reading.events.push({
      message: index,
      record: {
        event_id,
        user_id: userId,
        item_id,
        ts,
        event_type: rule.event_type,
        event_value: Number.isFinite(value) ? value : 1,
        attributes,
        ...(recommendation_id !== null && { recommendation_id }),
      },
    });
    yield;
  }
  return true;
}

/** Left out like a trait that is null: a path that leads nowhere. */
function attributesOf(message: Fields, mapping: SegmentMapping): { attributes: Fields; problems: string[] } {
  const found = Object.entries(mapping.attributes ?? {}).map(([name, path]) => ({
    name,
    value: at(message, path) ?? null,
  }));
  const given = found
    .filter(({ value }) => value !== null)
    .map((one) => ({ ...one, problem: valueProblem(one.name, one.value) }));
  return {
    attributes: Object.fromEntries(
      given.flatMap(({ name, value, problem }) => (problem === null ? [[name, value]] : [])),
    ),
    problems: given.flatMap(({ problem }) => problem ?? []),
  };
}

function limitMade(reading: SegmentReading, made: number, attributes: Fields): void {
  if (reading.events.length + made > MAX_SEGMENT_EVENTS) {
    throw tooMuch(`${MAX_SEGMENT_EVENTS.toLocaleString('en-US')} events`);
  }
  reading.attributeBytes += made * Buffer.byteLength(JSON.stringify(attributes));
  if (reading.attributeBytes > MAX_SEGMENT_ATTRIBUTE_BYTES) {
    throw tooMuch(`${MAX_SEGMENT_ATTRIBUTE_BYTES / 1024 ** 2} MiB of attributes of events`);
  }
}

const tooMuch = (limit: string): AppError =>
  new AppError(
    'BATCH_TOO_LARGE',
    `One call can have up to ${limit}. Nothing was changed. Send fewer messages per call.`,
  );

function ruleOf(name: unknown, { events = {} }: SegmentMapping): SegmentEventRule | null {
  if (typeof name !== 'string') return null;
  if (Object.hasOwn(events, name)) return events[name];
  return Object.hasOwn(SEGMENT_DEFAULTS, name) ? SEGMENT_DEFAULTS[name] : null;
}

function itemIdOf(product: unknown, { item_id, products }: SegmentEventRule): string | null {
  if (item_id !== undefined) return textOf(at(product, item_id));
  const place = products === undefined ? at(product, 'properties') : product;
  return firstText(ITEM_ID_NAMES.map((name) => at(place, name)));
}

/** The first value that can be an id, or null if there is none or if it was a number that has lost digits. */
function firstText(values: readonly unknown[]): string | null {
  const first = values.find((value) => textOf(value) !== null || hasLostDigits(value));
  return textOf(first);
}

/** `timestamp` is corrected for a clock that is wrong, so it comes first. null: none of those given can be read. */
function timeOf({ timestamp, originalTimestamp, sentAt }: Fields, nowMs: number): number | null {
  const given = [timestamp, originalTimestamp, sentAt].filter(
    (time) => time !== undefined && time !== null && time !== '',
  );
  for (const time of given) {
    const ms = typeof time === 'string' ? Date.parse(time) : Number.NaN;
    if (Number.isFinite(ms) && ms >= 0) return ms;
  }
  return given.length === 0 ? nowMs : null;
}

/** The value at `properties.product_id`; undefined when there is none. */
function at(value: unknown, path: string): unknown {
  let place = value;
  for (const name of path.split('.')) {
    if (!isObject(place) || !Object.hasOwn(place, name)) return undefined;
    place = place[name];
  }
  return place;
}

function skip(message: unknown, reading: SegmentReading): void {
  reading.skipped += 1;
  const { type, event } = isObject(message) ? message : {};
  const name = (textOf(event) ?? textOf(type) ?? 'unknown').slice(0, MAX_NAME_LENGTH);
  const names = reading.skippedNames;
  if (Object.hasOwn(names, name)) names[name] += 1;
  else if (Object.keys(names).length < MAX_SKIPPED_NAMES && name !== '__proto__') names[name] = 1;
}

/** JSON has whole numbers of any length; those that are longer than numbers of JavaScript become others. */
const hasLostDigits = (value: unknown): boolean => Number.isInteger(value) && !Number.isSafeInteger(value);

const textOf = (value: unknown): string | null => {
  if (typeof value === 'number' && Number.isFinite(value)) return hasLostDigits(value) ? null : String(value);
  return typeof value === 'string' && value !== '' ? value : null;
};

/** Returns NaN if there is no number: a blank text is not 0. */
function numberOf(value: unknown): number {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && value.trim() !== '' ? Number(value) : Number.NaN;
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const eventId = (parts: unknown[]): string =>
  `seg_${createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 27)}`;
