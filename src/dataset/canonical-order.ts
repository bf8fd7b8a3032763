// Numbers users, items and types by what they are, not by when they were written: rows in another order, or other ids, give the same
// table. Training draws users and items by these numbers, sums in their order, and lets them decide between equals.
//
// A user's key is made of the times, types and values of its events, an item's of those and of the keys of its users, and so on in
// turns. The second round tells users apart whose events have no times. Items that are alike even then are in the order of their ids.
// Keys are sums, so in which order events of the same time were written plays no part in them. It stays within a user, where it says
// what came first.
import { IdTable } from '../domain/id-table.ts';
import type { Dislikes, EventTable } from './event-table.ts';
import { hash32 } from './random.ts';
import { tableOfUsers } from './sample-users.ts';

export interface CanonicalTable {
  readonly table: EventTable;
  /** the row that each user had before */
  readonly formerRows: Uint32Array;
}

/** 64 bits each. */
interface Keys {
  readonly low: Uint32Array;
  readonly high: Uint32Array;
}

const ROUNDS = 2;

/** Overwrites columns of the table that it is given. */
export function inCanonicalOrder(given: EventTable): CanonicalTable {
  const { itemIds, itemCount } = given;
  const typed = withSortedTypes(given);
  const facts = factsOf(typed);
  let users = keysOf('users', typed, facts, emptyKeys(itemCount));
  let items = emptyKeys(0);
  for (let round = 0; round < ROUNDS; round++) {
    items = keysOf('items', typed, facts, users);
    users = keysOf('users', typed, facts, items);
  }
  const formerItems = orderOf(items, (a, b) => compareText(itemIds.at(a) ?? '', itemIds.at(b) ?? ''));
  const itemNumbers = inverse(formerItems);
  for (let event = 0; event < typed.length; event++) typed.item[event] = itemNumbers[typed.item[event]];
  // With items told apart, users who still have equal keys have the same events.
  users = keysOf('users', typed, facts, numberKeys(itemCount));
  const formerRows = orderOf(users, () => 0);
  const ids = new IdTable();
  for (const item of formerItems) ids.append(itemIds.at(item) ?? '');
  const dislikes = given.dislikes && renumbered(given.dislikes, inverse(formerRows), itemNumbers);
  return {
    table: { ...tableOfUsers(typed, formerRows), itemIds: ids, ...(dislikes && { dislikes }) },
    formerRows,
  };
}

function withSortedTypes(table: EventTable): EventTable {
  const { typeNames, targetType } = table;
  const former = [...typeNames.keys()].sort((a, b) => compareText(typeNames[a], typeNames[b]));
  const numbers = inverse(Uint32Array.from(former));
  for (let event = 0; event < table.length; event++) table.type[event] = numbers[table.type[event]];
  return {
    ...table,
    typeNames: former.map((type) => typeNames[type]),
    targetType: targetType < 0 ? targetType : numbers[targetType],
  };
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

/** The keys of all users or all items, from what each of their events says and from the key of who else takes part in it. */
function keysOf(of: 'users' | 'items', table: EventTable, facts: Uint32Array, others: Keys): Keys {
  const { userCount, userOffsets, itemCount, item } = table;
  const areUsers = of === 'users';
  const keys = emptyKeys(areUsers ? userCount : itemCount);
  for (let user = 0; user < userCount; user++) {
    for (let event = userOffsets[user]; event < userOffsets[user + 1]; event++) {
      const at = areUsers ? user : item[event];
      const other = areUsers ? item[event] : user;
      const low = hash32(facts[event], others.low[other]);
      keys.low[at] += low;
      keys.high[at] += hash32(low, hash32(others.high[other], facts[event]));
    }
  }
  return keys;
}

/** What is at each place when sorted by key. */
function orderOf({ low, high }: Keys, compareEqual: (a: number, b: number) => number): Uint32Array {
  // The 53 bits that a number holds exactly.
  const keys = Float64Array.from(low, (bits, n) => (high[n] % 2 ** 21) * 2 ** 32 + bits);
  return Uint32Array.from(low.keys()).sort((a, b) => keys[a] - keys[b] || compareEqual(a, b));
}

function inverse(order: Uint32Array): Uint32Array {
  const places = new Uint32Array(order.length);
  for (let place = 0; place < order.length; place++) places[order[place]] = place;
  return places;
}

function renumbered({ user, item, ts }: Dislikes, rows: Uint32Array, items: Uint32Array): Dislikes {
  const order = Uint32Array.from(user.keys()).sort((a, b) => rows[user[a]] - rows[user[b]] || a - b);
  return {
    user: order.map((n) => rows[user[n]]),
    item: order.map((n) => items[item[n]]),
    ts: Float64Array.from(order, (n) => ts[n]),
  };
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
