// A sample of users that keeps the events in bounds, chosen by hash: the same users whatever else is there.
import type { EventTable } from './event-table.ts';
import { hash32 } from './random.ts';

/** undefined: all users. Otherwise a sample of users who have about `events` events together. */
export function sampleUsers(table: EventTable, events: number, seed: number): Uint32Array | undefined {
  if (table.length <= events) return undefined;
  const share = events / table.length;
  const chosen: number[] = [];
  for (let user = 0; user < table.userCount; user++) {
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
