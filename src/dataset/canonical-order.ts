// Numbers users, items and types by what they are, not by when they were written: rows in another order, or other ids, give the same
// table. Training draws users and items by these numbers, sums in their order, and lets them decide between equals.
//
// A user's key is made of the times, types and values of its events, an item's of those and of the keys of its users, and so on in
// turns. The second round tells users apart whose events have no times. Items that are alike even then are in the order of their ids.
// Keys are sums, so in which order events of the same time were written plays no part in them. It stays within a user, where it says
// what came first.
//
// Events are read part by part, in three passes, and again where not all items fit (kept-items.ts). What is kept is a key per item, and in the end one per user.
import { IdTable } from '../base/id-table.ts';
import { type Dislikes, DislikesInPlace, NO_DISLIKES } from './dislikes.ts';
import type { EventTable, IdIndex } from './event-table.ts';
import { type ItemRoom, keptItems } from './kept-items.ts';
import { orderByKey } from './order-by-key.ts';
import { hash32 } from './random.ts';
import { tableOfUsers } from './sample-users.ts';
import { type EventNames, type EventPart, perPart } from './training-events.ts';
import { NO_ITEM, UnorderedEvents } from './unordered-events.ts';

export interface CanonicalOrder {
  readonly names: EventNames;
  /** the row that each user had before, and the number that each item had */
  readonly formerRows: Uint32Array;
  readonly formerItems: Uint32Array;
  /** items that do not fit in memory; users who have only such items are left out too */
  readonly itemsLeftOut: number;
}

export interface CanonicalTable extends Omit<CanonicalOrder, 'names'> {
  readonly table: EventTable;
}

/** Keys of 64 bits, in two halves. */
interface Keys {
  readonly low: Uint32Array;
  readonly high: Uint32Array;
}

const ROUNDS = 2;
export const NO_PLACE = NO_ITEM;

/** Gives types and items their canonical numbers, and says which order of users is canonical. `room`: left out, all items fit. */
export async function canonicalOrder(events: UnorderedEvents, room?: ItemRoom): Promise<CanonicalOrder> {
  const { typeNames, targetType } = events;
  const given = events.itemIds.length;
  const formerTypes = Uint32Array.from(typeNames.keys()).sort((a, b) => compareText(typeNames[a], typeNames[b]));
  const typeNumbers = inverse(formerTypes);
  events.renumber('type', typeNumbers);
  let formerItems = await orderItems(events);
  const kept = room ? await keptItems(events, room) : null;
  if (kept === null) events.itemIds = idsInOrder(events.itemIds, formerItems);
  else {
    const all = formerItems;
    const keptBefore = kept.map((item) => all[item]);
    events.renumber('item', inverse(kept, given));
    events.itemIds = idsInOrder(events.itemIds, keptBefore);
    // Orders the kept items as if the others had never existed.
    const order = await orderItems(events);
    events.itemIds = idsInOrder(events.itemIds, order);
    formerItems = order.map((item) => keptBefore[item]);
  }
  const names = {
    itemIds: events.itemIds,
    itemCount: formerItems.length,
    typeNames: Array.from(formerTypes, (type) => typeNames[type]),
    targetType: targetType < 0 ? targetType : typeNumbers[targetType],
  };
  return { names, formerRows: await orderUsers(events), formerItems, itemsLeftOut: given - formerItems.length };
}

/** Gives items the numbers of their order; `itemIds` are as before. Returns the number that each had. */
async function orderItems(events: UnorderedEvents): Promise<Uint32Array> {
  const { itemIds } = events;
  const factsOfPart = perPart(factsOf);
  let items = emptyKeys(itemIds.length);
  for (let round = 0; round < ROUNDS; round++) {
    const next = emptyKeys(itemIds.length);
    for await (const part of events.parts()) {
      const facts = factsOfPart(part);
      const users = emptyKeys(part.userCount);
      addKeys('users', part, facts, { from: items, to: users });
      addKeys('items', part, facts, { from: users, to: next });
    }
    items = next;
  }
  const order = orderOf(items, (a, b) => compareText(itemIds.at(a) ?? '', itemIds.at(b) ?? ''));
  events.renumber('item', inverse(order));
  return order;
}

/**
 * The rows of users with events, in canonical order. Because items are in order already, users with equal keys have the same
 * events.
 */
async function orderUsers(events: UnorderedEvents): Promise<Uint32Array> {
  const items = numberKeys(events.itemIds.length);
  const users = emptyKeys(events.userCount);
  const lengths = new Uint32Array(events.userCount);
  for await (const part of events.parts()) {
    addKeys('users', part, factsOf(part), { from: items, to: someOf(users, part) });
    const { firstUser, userCount, userOffsets } = part;
    for (let row = 0; row < userCount; row++) lengths[firstUser + row] = userOffsets[row + 1] - userOffsets[row];
  }
  return orderOf(users).filter((row) => lengths[row] > 0);
}

function idsInOrder(ids: IdIndex, order: Uint32Array): IdTable {
  const table = new IdTable();
  for (const index of order) table.append(ids.at(index) ?? '');
  return table;
}

/** Overwrites columns of the table that it is given. */
export async function inCanonicalOrder(given: EventTable, room?: ItemRoom): Promise<CanonicalTable> {
  return tableOfOrder(new UnorderedEvents(given, given), room);
}

/** Orders events that are in memory as one table. */
export async function tableOfOrder(events: UnorderedEvents, room?: ItemRoom): Promise<CanonicalTable> {
  const { names, ...order } = await canonicalOrder(events, room);
  const [part] = await Array.fromAsync(events.parts());
  return { table: { ...tableInOrder(part, order.formerRows), ...names }, ...order };
}

/** The users of these rows, in that order, with their dislikes. */
export function tableInOrder(table: EventTable, rows: Uint32Array): EventTable {
  const dislikes = inOrder(table.dislikes ?? NO_DISLIKES, rows, table.userCount);
  return { ...tableOfUsers(table, rows), dislikes };
}

/** Hashes the time, type and value of each event, which do not depend on numbering. */
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

/** Adds to the keys of users, or of items, the facts of each of their events and the key of the event's item, or user. */
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

/** Sorts by key and returns which index is at each position. Without `compareEqual`, equal keys keep their order. */
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

/** The place of each number in the order, NO_PLACE of those below `count` that are not in it. */
export function inverse(order: Uint32Array, count = order.length): Uint32Array {
  const places = new Uint32Array(count).fill(NO_PLACE);
  for (let place = 0; place < order.length; place++) places[order[place]] = place;
  return places;
}

function inOrder({ user, item, ts }: Dislikes, rows: Uint32Array, userCount: number): Dislikes {
  if (user.length === 0) return NO_DISLIKES;
  const rowOf = inverse(rows, userCount);
  const counts = new Uint32Array(rows.length);
  for (const own of user) if (rowOf[own] !== NO_PLACE) counts[rowOf[own]]++;
  const ordered = new DislikesInPlace(counts);
  for (let n = 0; n < user.length; n++) {
    if (rowOf[user[n]] !== NO_PLACE) ordered.add(rowOf[user[n]], item[n], ts[n]);
  }
  return ordered.finish();
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
