// Brings events in files into another order of users, with one part of them in memory at a time: each part is sorted and written, then
// the users of each new part are read from all sorted ones, where they are next to each other.
import { inverse, NO_PLACE, tableInOrder } from './canonical-order.ts';
import { EventFiles } from './event-files.ts';
import { type EventTable, NO_DISLIKES } from './event-table.ts';
import { orderByKey } from './order-by-key.ts';
import type { EventNames, TrainingEvents } from './training-events.ts';
import type { UnorderedEvents } from './unordered-events.ts';

/** How many events are in memory at a time, and where the others are. */
export interface PartRoom {
  readonly partEvents: number;
  /** left out: the system's folder for temporary files */
  readonly folder?: string | undefined;
}

export interface OrderedEvents extends AsyncDisposable {
  readonly events: TrainingEvents;
}

/** A part that is sorted by its users' numbers among all. */
interface Run {
  readonly numbers: Uint32Array;
}

/** `formerRows`: where the users are now, in the order that they should have. */
export async function filesInOrder(
  unordered: UnorderedEvents,
  { names, formerRows }: { readonly names: EventNames; readonly formerRows: Uint32Array },
  room: PartRoom,
): Promise<OrderedEvents> {
  const numberOf = inverse(formerRows, unordered.userCount);
  const lengths = new Uint32Array(formerRows.length);
  const ordered = new EventFiles(room.folder);
  await using sorted = new EventFiles(room.folder);
  try {
    const runs: Run[] = [];
    for await (const part of unordered.parts()) {
      const own = numberOf.subarray(part.firstUser, part.firstUser + part.userCount);
      const rows = orderByKey([own]).filter((row) => own[row] !== NO_PLACE);
      for (const row of rows) lengths[own[row]] = part.userOffsets[row + 1] - part.userOffsets[row];
      await sorted.add(tableInOrder(part, rows));
      runs.push({ numbers: rows.map((row) => own[row]) });
    }
    for (const users of cutInParts(lengths, room.partEvents)) {
      await ordered.add(await gathered({ sorted, runs, lengths, names }, users));
    }
  } catch (error) {
    await ordered.close();
    throw error;
  }
  return {
    events: ordered.events(names, lengths),
    [Symbol.asyncDispose]: () => ordered.close(),
  };
}

interface UserRange {
  readonly from: number;
  readonly to: number;
}

/** At least one part, each with at least one user if there is one. */
function cutInParts(lengths: Uint32Array, partEvents: number): UserRange[] {
  const parts: UserRange[] = [];
  let from = 0;
  let events = 0;
  for (const [user, length] of lengths.entries()) {
    if (user > from && events + length > partEvents) {
      parts.push({ from, to: user });
      from = user;
      events = 0;
    }
    events += length;
  }
  parts.push({ from, to: lengths.length });
  return parts;
}

/** The table of some users, out of all runs. */
async function gathered(
  { sorted, runs, lengths, names }: { sorted: EventFiles; runs: Run[]; lengths: Uint32Array; names: EventNames },
  { from, to }: UserRange,
): Promise<EventTable> {
  const userOffsets = new Uint32Array(to - from + 1);
  for (let user = from; user < to; user++) userOffsets[user - from + 1] = userOffsets[user - from] + lengths[user];
  const length = userOffsets[to - from];
  const table = {
    ...{ ...names, userCount: to - from, length, userOffsets },
    ...{ item: new Uint32Array(length), type: new Uint8Array(length) },
    ...{ value: new Float32Array(length), ts: new Float64Array(length) },
  };
  const dislikes: { user: number; item: number; ts: number }[] = [];
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
    for (const [k, row] of user.entries()) {
      dislikes.push({ user: numbers[rows.from + row] - from, item: item[k], ts: ts[k] });
    }
  }
  // Stable: those of a user are all of one run and keep their order.
  dislikes.sort((a, b) => a.user - b.user);
  return {
    ...table,
    dislikes: {
      user: Uint32Array.from(dislikes, ({ user }) => user),
      item: Uint32Array.from(dislikes, ({ item }) => item),
      ts: Float64Array.from(dislikes, ({ ts }) => ts),
    },
  };
}

/** Place of the first number that is not smaller, of ascending ones. */
function firstAtLeast(numbers: Uint32Array, least: number): number {
  let [from, to] = [0, numbers.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (numbers[middle] < least) from = middle + 1;
    else to = middle;
  }
  return from;
}
