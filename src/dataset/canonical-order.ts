// Numbers users, items and types by what they are, not by when they were written: rows in another order, or other ids, give the same
// table. Training draws users and items by these numbers, sums in their order, and lets them decide between equals.
//
// A user's key is made of the times, types and values of its events, an item's of those and of the keys of its users, and so on in
// turns. The second round tells users apart whose events have no times. Items that are alike even then are in the order of their ids.
// Keys are sums, so in which order events of the same time were written plays no part in them. It stays within a user, where it says
// what came first.
//
// Events are read part by part, in three passes. What is kept is a key per item, and in the end one per user.
import { IdTable } from '../domain/id-table.ts';
import { type Dislikes, type EventTable, NO_DISLIKES } from './event-table.ts';
import { orderByKey } from './order-by-key.ts';
import { hash32 } from './random.ts';
import { tableOfUsers } from './sample-users.ts';
import { type EventNames, type EventPart, perPart } from './training-events.ts';
import { UnorderedEvents } from './unordered-events.ts';

export interface CanonicalOrder {
  readonly names: EventNames;
  /** the row that each user had before, and the number that each item had */
  readonly formerRows: Uint32Array;
  readonly formerItems: Uint32Array;
}

export interface CanonicalTable {
  readonly table: EventTable;
  readonly formerRows: Uint32Array;
  readonly formerItems: Uint32Array;
}

/** 64 bits each. */
interface Keys {
  readonly low: Uint32Array;
  readonly high: Uint32Array;
}

const ROUNDS = 2;

/** Gives types and items their canonical numbers, and says which order of users is canonical. */
export async function canonicalOrder(events: UnorderedEvents): Promise<CanonicalOrder> {
  const { typeNames, targetType, itemIds } = events;
  const itemCount = itemIds.length;
  const formerTypes = Uint32Array.from(typeNames.keys()).sort((a, b) => compareText(typeNames[a], typeNames[b]));
  const typeNumbers = inverse(formerTypes);
  events.renumber('type', typeNumbers);
  const factsOfPart = perPart(factsOf);
  let items = emptyKeys(itemCount);
  for (let round = 0; round < ROUNDS; round++) {
    const next = emptyKeys(itemCount);
    for await (const part of events.parts()) {
      const facts = factsOfPart(part);
      const users = emptyKeys(part.userCount);
      addKeys('users', part, facts, { from: items, to: users });
      addKeys('items', part, facts, { from: users, to: next });
    }
    items = next;
  }
  const formerItems = orderOf(items, (a, b) => compareText(itemIds.at(a) ?? '', itemIds.at(b) ?? ''));
  events.renumber('item', inverse(formerItems));
  // With items told apart, users who still have equal keys have the same events.
  items = numberKeys(itemCount);
  const users = emptyKeys(events.userCount);
  for await (const part of events.parts()) {
    addKeys('users', part, factsOfPart(part), { from: items, to: someOf(users, part) });
  }
  const ids = new IdTable();
  for (const item of formerItems) ids.append(itemIds.at(item) ?? '');
  const names = {
    ...{ itemIds: ids, itemCount, typeNames: Array.from(formerTypes, (type) => typeNames[type]) },
    targetType: targetType < 0 ? targetType : typeNumbers[targetType],
  };
  return { names, formerRows: orderOf(users), formerItems };
}

/** Overwrites columns of the table that it is given. */
export async function inCanonicalOrder(given: EventTable): Promise<CanonicalTable> {
  return tableOfOrder(new UnorderedEvents(given, given));
}

/** Of events that are a table in memory. */
export async function tableOfOrder(events: UnorderedEvents): Promise<CanonicalTable> {
  const { names, formerRows, formerItems } = await canonicalOrder(events);
  const [part] = await Array.fromAsync(events.parts());
  return { table: { ...tableInOrder(part, formerRows), ...names }, formerRows, formerItems };
}

/** The users of these rows, in that order, with their dislikes. */
export function tableInOrder(table: EventTable, rows: Uint32Array): EventTable {
  const dislikes = inOrder(table.dislikes ?? NO_DISLIKES, inverse(rows));
  return { ...tableOfUsers(table, rows), dislikes };
}

/** Of each event what has no number: time, type and value. */
function factsOf({ length, ts, type, value }: EventTable): Uint32Array {
  const facts = new Uint32Array(length);
  const valueBits = new Uint32Array(value.buffer, value.byteOffset, length);
  for (let event = 0; event < length; event++) {
    const time = hash32(Math.floor(ts[event] / 2 ** 32), ts[event] % 2 ** 32);
    facts[event] = hash32(hash32(time, type[event]), valueBits[event]);
  }
  return facts;
}

function emptyKeys(length: number): Keys {
  return { low: new Uint32Array(length), high: new Uint32Array(length) };
}

function numberKeys(length: number): Keys {
  const keys = emptyKeys(length);
  for (let n = 0; n < length; n++) keys.low[n] = n;
  return keys;
}

function someOf({ low, high }: Keys, { firstUser, userCount }: EventPart): Keys {
  const to = firstUser + userCount;
  return { low: low.subarray(firstUser, to), high: high.subarray(firstUser, to) };
}

/** Adds to the keys of users, or of items, what each of their events says, and the key of who else takes part in it. */
function addKeys(
  of: 'users' | 'items',
  part: EventPart,
  facts: Uint32Array,
  { from, to }: { from: Keys; to: Keys },
): void {
  const { userCount, userOffsets, item } = part;
  const areUsers = of === 'users';
  for (let user = 0; user < userCount; user++) {
    for (let event = userOffsets[user]; event < userOffsets[user + 1]; event++) {
      const at = areUsers ? user : item[event];
      const other = areUsers ? item[event] : user;
      const low = hash32(facts[event], from.low[other]);
      to.low[at] += low;
      to.high[at] += hash32(low, hash32(from.high[other], facts[event]));
    }
  }
}

/** What is at each place when sorted by key. `compareEqual`: left out, equal ones keep their order. */
function orderOf({ low, high }: Keys, compareEqual?: (a: number, b: number) => number): Uint32Array {
  // 53 bits, as earlier versions took: the same events give the same model as before.
  const order = orderByKey([low, high.map((bits) => bits % 2 ** 21)]);
  if (compareEqual === undefined) return order;
  const isEqual = (a: number, b: number): boolean => low[a] === low[b] && (high[a] ^ high[b]) % 2 ** 21 === 0;
  for (let from = 0, to = 0; from < order.length; from = to) {
    while (to < order.length && isEqual(order[from], order[to])) to++;
    if (to - from > 1) order.subarray(from, to).sort(compareEqual);
  }
  return order;
}

export function inverse(order: Uint32Array): Uint32Array {
  const places = new Uint32Array(order.length);
  for (let place = 0; place < order.length; place++) places[order[place]] = place;
  return places;
}

function inOrder({ user, item, ts }: Dislikes, rows: Uint32Array): Dislikes {
  const order = orderByKey([user.map((row) => rows[row])]);
  return {
    user: order.map((n) => rows[user[n]]),
    item: order.map((n) => item[n]),
    ts: Float64Array.from(order, (n) => ts[n]),
  };
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
