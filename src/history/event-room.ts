// Columns of events that grow.
import { grown } from '../base/grown.ts';
import type { EventRun } from './fold-events.ts';

/** Has the types of the store's blocks. */
export type EventRoom = ReturnType<typeof eventRoom>;

export function eventRoom(length: number) {
  return {
    item: new Uint32Array(length),
    type: new Uint32Array(length),
    ts: new Float64Array(length),
    value: new Float64Array(length),
  };
}

/** Copies events to place `at` of a room. Returns that room, or one at least twice as large if it was too small. */
export function withEvents(room: EventRoom, at: number, { columns, from, to }: EventRun): EventRoom {
  const end = at + to - from;
  const length = room.item.length;
  const events = end > length ? enlarged(room, Math.max(end, 2 * length)) : room;
  events.item.set(columns.item.subarray(from, to), at);
  events.type.set(columns.type.subarray(from, to), at);
  events.ts.set(columns.ts.subarray(from, to), at);
  events.value.set(columns.value.subarray(from, to), at);
  return events;
}

function enlarged({ item, type, ts, value }: EventRoom, length: number): EventRoom {
  const larger = eventRoom(length);
  return {
    item: grown(item, larger.item),
    type: grown(type, larger.type),
    ts: grown(ts, larger.ts),
    value: grown(value, larger.value),
  };
}
