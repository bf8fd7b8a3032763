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
  const gathered = emptyTable(
    table,
    users.length,
    (row) => table.userOffsets[users[row] + 1] - table.userOffsets[users[row]],
  );
  for (const [row, user] of users.entries()) copyUser(table, user, gathered, row);
  return gathered;
}

/** The events of these users, ascending, as a table of their own, without dislikes (gather-dislikes.ts); left out: of all users. */
export async function gatherUsers(events: TrainingEvents, users?: Uint32Array): Promise<EventTable> {
  if (users === undefined && events.held !== null) return events.held;
  const rowCount = users?.length ?? events.userCount;
  const userOf = (row: number) => users?.[row] ?? row;
  const gathered = emptyTable(events, rowCount, (row) => events.lengthOf(userOf(row)));
  let row = 0;
  for await (const part of events.parts()) {
    const end = part.firstUser + part.userCount;
    for (; row < rowCount && userOf(row) < end; row++) copyUser(part, userOf(row) - part.firstUser, gathered, row);
  }
  return gathered;
}

/** A table with room for the events of these users, and the items and types of another. */
function emptyTable(
  { itemCount, itemIds, typeNames, targetType }: Pick<EventTable, 'itemCount' | 'itemIds' | 'typeNames' | 'targetType'>,
  userCount: number,
  lengthOf: (row: number) => number,
): EventTable {
  const userOffsets = new Uint32Array(userCount + 1);
  for (let row = 0; row < userCount; row++) userOffsets[row + 1] = userOffsets[row] + lengthOf(row);
  const length = userOffsets[userCount];
  return {
    userCount,
    length,
    userOffsets,
    item: new Uint32Array(length),
    type: new Uint8Array(length),
    value: new Float32Array(length),
    ts: new Float64Array(length),
    itemCount,
    itemIds,
    typeNames,
    targetType,
  };
}

type UserEvents = Pick<EventTable, 'userOffsets' | 'item' | 'type' | 'value' | 'ts'>;

function copyUser(from: UserEvents, user: number, to: UserEvents, row: number): void {
  const [first, end] = [from.userOffsets[user], from.userOffsets[user + 1]];
  const at = to.userOffsets[row];
  to.item.set(from.item.subarray(first, end), at);
  to.type.set(from.type.subarray(first, end), at);
  to.value.set(from.value.subarray(first, end), at);
  to.ts.set(from.ts.subarray(first, end), at);
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
