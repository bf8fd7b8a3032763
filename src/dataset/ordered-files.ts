// Brings events in files into another order of users, with one part of them in memory at a time: each part is sorted and written, then
// the users of each new part are read from all sorted ones, where they are next to each other.
import { inverse, NO_PLACE, tableInOrder } from './canonical-order.ts';
import { DislikesInPlace, NO_DISLIKES } from './dislikes.ts';
import { EventFiles } from './event-files.ts';
import type { EventTable } from './event-table.ts';
import { firstAtLeast } from './first-at-least.ts';
import { orderByKey } from './order-by-key.ts';
import type { EventNames, TrainingEvents } from './training-events.ts';
import type { UnorderedEvents } from './unordered-events.ts';

/** How many events and dislikes are in memory at a time, and the folder for the others. */
export interface PartRoom {
  readonly partEvents: number;
  /** if left out, the system's folder for temporary files */
  readonly folder?: string | undefined;
}

export interface OrderedEvents extends AsyncDisposable {
  readonly events: TrainingEvents;
}

/** A part that is sorted by its users' numbers among all. */
interface Run {
  readonly numbers: Uint32Array;
}

/** Number of events and dislikes of each user. */
interface Counts {
  readonly events: Uint32Array;
  readonly dislikes: Uint32Array;
}

/** `formerRows`: where the users are now, in the order that they should have. */
export async function filesInOrder(
  unordered: UnorderedEvents,
  { names, formerRows }: { readonly names: EventNames; readonly formerRows: Uint32Array },
  room: PartRoom,
): Promise<OrderedEvents> {
  const numberOf = inverse(formerRows, unordered.userCount);
  const counts = { events: new Uint32Array(formerRows.length), dislikes: new Uint32Array(formerRows.length) };
  const ordered = new EventFiles(room.folder);
  await using sorted = new EventFiles(room.folder);
  try {
    const runs: Run[] = [];
    for await (const part of unordered.parts()) {
      const own = numberOf.subarray(part.firstUser, part.firstUser + part.userCount);
      const rows = orderByKey([own]).filter((row) => own[row] !== NO_PLACE);
      for (const row of rows) counts.events[own[row]] = part.userOffsets[row + 1] - part.userOffsets[row];
      for (const row of part.dislikes?.user ?? []) if (own[row] !== NO_PLACE) counts.dislikes[own[row]]++;
      await sorted.add(tableInOrder(part, rows));
      runs.push({ numbers: rows.map((row) => own[row]) });
    }
    for (const users of cutInParts(counts, room.partEvents)) {
      await ordered.add(await gathered({ sorted, runs, counts, names }, users));
    }
  } catch (error) {
    await ordered.close();
    throw error;
  }
  return {
    events: ordered.events(names, counts.events),
    [Symbol.asyncDispose]: () => ordered.close(),
  };
}

interface UserRange {
  readonly from: number;
  readonly to: number;
}

/** Returns at least one part, each with at least one user if there are users. */
function cutInParts({ events, dislikes }: Counts, partEvents: number): UserRange[] {
  const parts: UserRange[] = [];
  let from = 0;
  let size = 0;
  for (let user = 0; user < events.length; user++) {
    const own = events[user] + dislikes[user];
    if (user > from && size + own > partEvents) {
      parts.push({ from, to: user });
      from = user;
      size = 0;
    }
    size += own;
  }
  parts.push({ from, to: events.length });
  return parts;
}

/** The table of some users, out of all runs. */
async function gathered(
  { sorted, runs, counts, names }: { sorted: EventFiles; runs: Run[]; counts: Counts; names: EventNames },
  { from, to }: UserRange,
): Promise<EventTable> {
  const userOffsets = new Uint32Array(to - from + 1);
  for (let user = from; user < to; user++)
    userOffsets[user - from + 1] = userOffsets[user - from] + counts.events[user];
  const length = userOffsets[to - from];
  const table = {
    ...names,
    userCount: to - from,
    length,
    userOffsets,
    item: new Uint32Array(length),
    type: new Uint8Array(length),
    value: new Float32Array(length),
    ts: new Float64Array(length),
  };
  const dislikes = new DislikesInPlace(counts.dislikes.subarray(from, to));
  for (const [n, { numbers }] of runs.entries()) {
    const rows = { from: firstAtLeast(numbers, from), to: firstAtLeast(numbers, to) };
    const own = await sorted.some(n, rows, names);
    for (let row = 0; row < own.userCount; row++) {
      const [first, end] = [own.userOffsets[row], own.userOffsets[row + 1]];
      const at = userOffsets[numbers[rows.from + row] - from];
      table.item.set(own.item.subarray(first, end), at);
      table.type.set(own.type.subarray(first, end), at);
      table.value.set(own.value.subarray(first, end), at);
      table.ts.set(own.ts.subarray(first, end), at);
    }
    const { user, item, ts } = own.dislikes ?? NO_DISLIKES;
    // All dislikes of a user are in one run.
    for (let k = 0; k < user.length; k++) dislikes.add(numbers[rows.from + user[k]] - from, item[k], ts[k]);
  }
  return { ...table, dislikes: dislikes.finish() };
}
