// A sample of users that keeps the events in bounds, chosen by hash: the same users whatever else is there. And tables of chosen users.
import type { EventTable } from './event-table.ts';
import { hash32 } from './random.ts';
import type { EventPart, TrainingEvents } from './training-events.ts';

/** Returns a sample of users who together have about `events` events; undefined means all users. */
export function sampleUsers(
  all: Pick<TrainingEvents, 'length' | 'userCount'>,
  events: number,
  seed: number,
): Uint32Array | undefined {
  if (all.length <= events) return undefined;
  const share = events / all.length;
  const chosen: number[] = [];
  for (let user = 0; user < all.userCount; user++) {
    if (hash32(seed ^ 0x5bd1e995, user) / 4294967296 < share) chosen.push(user);
  }
  return Uint32Array.from(chosen.length > 0 ? chosen : [0]);
}

/** The events of these users, as a table of the same items. */
export function tableOfUsers(table: EventTable, users: Uint32Array): EventTable {
  const userOffsets = new Uint32Array(users.length + 1);
  for (const [row, user] of users.entries()) {
    userOffsets[row + 1] = userOffsets[row] + table.userOffsets[user + 1] - table.userOffsets[user];
  }
  const length = userOffsets[users.length];
  const item = new Uint32Array(length);
  const type = new Uint8Array(length);
  const value = new Float32Array(length);
  const ts = new Float64Array(length);
  for (const [row, user] of users.entries()) {
    const [from, to] = [table.userOffsets[user], table.userOffsets[user + 1]];
    item.set(table.item.subarray(from, to), userOffsets[row]);
    type.set(table.type.subarray(from, to), userOffsets[row]);
    value.set(table.value.subarray(from, to), userOffsets[row]);
    ts.set(table.ts.subarray(from, to), userOffsets[row]);
  }
  const { itemCount, itemIds, typeNames, targetType } = table;
  return {
    userCount: users.length,
    length,
    userOffsets,
    item,
    type,
    value,
    ts,
    itemCount,
    itemIds,
    typeNames,
    targetType,
  };
}

/** The events of these users, ascending, as a table of their own, without dislikes (gather-dislikes.ts); left out: of all users. */
export async function gatherUsers(events: TrainingEvents, users?: Uint32Array): Promise<EventTable> {
  if (users === undefined && events.held !== null) return events.held;
  const rowCount = users?.length ?? events.userCount;
  const userOf = (row: number) => users?.[row] ?? row;
  const userOffsets = new Uint32Array(rowCount + 1);
  for (let row = 0; row < rowCount; row++) userOffsets[row + 1] = userOffsets[row] + events.lengthOf(userOf(row));
  const length = userOffsets[rowCount];
  const item = new Uint32Array(length);
  const type = new Uint8Array(length);
  const value = new Float32Array(length);
  const ts = new Float64Array(length);
  let row = 0;
  for await (const part of events.parts()) {
    const end = part.firstUser + part.userCount;
    for (; row < rowCount && userOf(row) < end; row++) {
      const own = userOf(row) - part.firstUser;
      const [from, to] = [part.userOffsets[own], part.userOffsets[own + 1]];
      item.set(part.item.subarray(from, to), userOffsets[row]);
      type.set(part.type.subarray(from, to), userOffsets[row]);
      value.set(part.value.subarray(from, to), userOffsets[row]);
      ts.set(part.ts.subarray(from, to), userOffsets[row]);
    }
  }
  const { itemCount, itemIds, typeNames, targetType } = events;
  return {
    userCount: rowCount,
    length,
    userOffsets,
    item,
    type,
    value,
    ts,
    itemCount,
    itemIds,
    typeNames,
    targetType,
  };
}

/** A table of all users under their own numbers, in which users outside the sample have no events. */
export async function tableOfSample(events: TrainingEvents, users: Uint32Array | undefined): Promise<EventPart> {
  if (users === undefined && events.held !== null) return events.held;
  const some = await gatherUsers(events, users);
  if (users === undefined) return { ...some, firstUser: 0, firstEvent: 0 };
  const userOffsets = new Uint32Array(events.userCount + 1);
  for (const user of users) userOffsets[user + 1] = events.lengthOf(user);
  for (let user = 0; user < events.userCount; user++) userOffsets[user + 1] += userOffsets[user];
  return { ...some, userCount: events.userCount, userOffsets, firstUser: 0, firstEvent: 0 };
}
