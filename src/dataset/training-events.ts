// The events of a training, some users at a time. Events that fit in memory are one part, which stays there; others are in files, of
// which one part at a time is in memory. What is made of all events is a fold over the parts. Parts come in the order of users, so
// a fold visits all events in one order, and gives the same to the last bit however many parts there are.
import type { EventTable } from './event-table.ts';

/** The events of consecutive users. Rows and events are numbered from 0. */
export interface EventPart extends EventTable {
  /** numbers of its first user and its first event among all */
  readonly firstUser: number;
  readonly firstEvent: number;
}

export type EventNames = Pick<EventTable, 'itemCount' | 'itemIds' | 'typeNames' | 'targetType'>;

export interface TrainingEvents extends EventNames {
  readonly userCount: number;
  readonly length: number;
  /** events with a value below 0, which are not of the others */
  readonly dislikeCount: number;
  /** the only part, with all events, if they are in memory; null if they are in files */
  readonly held: EventPart | null;
  /** Returns the number of events of a user. */
  lengthOf(user: number): number;
  /** Yields at least one part. Reading the next part overwrites the previous one. */
  parts(): AsyncIterable<EventPart>;
}

/**
 * Times after now become now: one wrong time would make all other events of its user old. Where most are later, the events have
 * another clock than this machine, and keep their times.
 */
export async function upToNow(events: TrainingEvents, nowMs: number): Promise<TrainingEvents> {
  let later = 0;
  for await (const { ts, dislikes } of events.parts()) later += countLater(ts, nowMs) + countLater(dislikes?.ts, nowMs);
  if (later === 0 || later > (events.length + events.dislikeCount) / 2) return events;
  const capped = (part: EventPart): EventPart => {
    capTimes(part.ts, nowMs);
    if (part.dislikes) capTimes(part.dislikes.ts, nowMs);
    return part;
  };
  if (events.held !== null) {
    capped(events.held);
    return events;
  }
  return {
    ...events,
    async *parts() {
      for await (const part of events.parts()) yield capped(part);
    },
  };
}

function countLater(times: Float64Array = new Float64Array(0), nowMs: number): number {
  let count = 0;
  for (let n = 0; n < times.length; n++) if (times[n] > nowMs) count++;
  return count;
}

function capTimes(times: Float64Array, nowMs: number): void {
  for (let n = 0; n < times.length; n++) if (times[n] > nowMs) times[n] = nowMs;
}

/** Returns 1 for each event of a part that is held out, else 0. */
export type HiddenOf = (part: EventPart) => Uint8Array;

export function heldEvents(table: EventTable): TrainingEvents {
  const held: EventPart = { ...table, firstUser: 0, firstEvent: 0 };
  const { userCount, length, userOffsets, itemCount, itemIds, typeNames, targetType } = table;
  return {
    userCount,
    length,
    itemCount,
    itemIds,
    typeNames,
    targetType,
    held,
    dislikeCount: table.dislikes?.user.length ?? 0,
    lengthOf: (user) => userOffsets[user + 1] - userOffsets[user],
    async *parts() {
      yield held;
    },
  };
}

/** Caches the result for a part while the part is in memory. If all events are in memory, it is made once. */
export function perPart<T>(make: (part: EventPart) => T): (part: EventPart) => T {
  const made = new WeakMap<EventPart, { readonly value: T }>();
  return (part) => {
    const known = made.get(part) ?? { value: make(part) };
    made.set(part, known);
    return known.value;
  };
}
