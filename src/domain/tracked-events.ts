// Events as a web page sends them: of one visitor, with ids made here. An id is made from what the page sent, so that a beacon that is
// sent again stores its events once, and together with the visitor's id, so that no page can replace events of another user.
import { createHash } from 'node:crypto';
import { DAY_MS, MINUTE_MS } from '../base/durations.ts';
import { plural } from '../base/plural.ts';
import type { Steps } from '../base/steps.ts';
import type { EventRecord, RecordFailure } from './record.ts';
import { type EventRules, type RecordBatch, readEvents } from './record-batch.ts';

export const MAX_TRACKED_EVENTS = 20;
export const MAX_TRACKED_BYTES = 4096;
export const MAX_TRACKED_VALUE = 1_000_000;
/** A page may keep events while it is offline. */
export const MAX_TRACKED_AGE_MS = 7 * DAY_MS;

type Fields = Record<string, unknown>;

export function* readTracked(
  events: readonly unknown[],
  visitorId: string,
  rules: EventRules,
): Steps<RecordBatch<EventRecord>> {
  const { nowMs } = rules;
  const failures: RecordFailure[] = [];
  const candidates: Fields[] = [];
  const places: number[] = [];
  for (const [index, event] of events.entries()) {
    const problem = problemOf(event, nowMs);
    if (problem === null) {
      candidates.push(toRecord(event as Fields, { visitorId, index, nowMs }));
      places.push(index);
    } else failures.push({ index, id: `#${index}`, ...problem });
    yield;
  }
  const { records, indexes, failures: refused, warnings } = readEvents(candidates, rules);
  const atPlace = <T extends { index: number }>(entry: T): T => ({ ...entry, index: places[entry.index] });
  return {
    records,
    indexes: indexes.map((index) => places[index]),
    failures: [...failures, ...refused.map(atPlace)].sort((a, b) => a.index - b.index),
    warnings: warnings.map(atPlace),
  };
}

function problemOf(event: unknown, nowMs: number): Pick<RecordFailure, 'code' | 'message'> | null {
  const invalid = (message: string) => ({ code: 'INVALID_RECORD' as const, message });
  if (typeof event !== 'object' || event === null || Array.isArray(event))
    return invalid('The event must be an object.');
  if (Buffer.byteLength(JSON.stringify(event)) > MAX_TRACKED_BYTES) {
    return { code: 'RECORD_TOO_LARGE', message: `The event is over ${plural(MAX_TRACKED_BYTES, 'byte')} of JSON.` };
  }
  const { user_id, event_id, ts, event_value } = event as Fields;
  if (user_id !== undefined) return invalid('Send user_id next to events, not in an event.');
  if (event_id !== undefined && (typeof event_id !== 'string' || event_id === '')) {
    return invalid('event_id must be a text.');
  }
  if (typeof event_value === 'number' && Math.abs(event_value) > MAX_TRACKED_VALUE) {
    return invalid(`event_value must be from -${MAX_TRACKED_VALUE} to ${MAX_TRACKED_VALUE}.`);
  }
  if (typeof ts !== 'number') return null;
  if (ts < nowMs - MAX_TRACKED_AGE_MS) return invalid('ts is more than 7 days old. It must be in milliseconds.');
  if (ts > nowMs + DAY_MS) return invalid('ts is more than a day ahead of the clock. It must be in milliseconds.');
  return null;
}

interface Sent {
  visitorId: string;
  index: number;
  nowMs: number;
}

function toRecord(event: Fields, { visitorId, index, nowMs }: Sent): Fields {
  const { event_id, ts, ...rest } = event;
  return {
    ...rest,
    user_id: visitorId,
    event_id: idOf(event, { visitorId, index, nowMs }),
    // A clock that is ahead would keep the event the newest for as long.
    ts: ts === undefined ? nowMs : typeof ts === 'number' && Number.isInteger(ts) ? Math.min(ts, nowMs) : ts,
  };
}

/** An event without an id and a time counts as a repeat if an equal one was sent in the same minute. */
function idOf({ event_id, ...event }: Fields, { visitorId, index, nowMs }: Sent): string {
  const parts =
    event_id !== undefined
      ? ['id', visitorId, event_id]
      : event.ts !== undefined
        ? ['at', visitorId, event]
        : ['minute', visitorId, event, index, Math.floor(nowMs / MINUTE_MS)];
  return `trk_${createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 27)}`;
}
