// What is held out to choose settings and to measure: the newest target events of each user. Events of every type from a
// user's first held-out event on are hidden too, so that nothing newer leaks in.
import type { EventTable } from './event-table.ts';
import { hash32 } from './random.ts';

export type ValidationKind = 'last_item' | 'last_fifth' | 'random_fifth';

export interface Split {
  readonly kind: ValidationKind;
  /** 1: hidden from training */
  readonly hidden: Uint8Array;
  /** held-out distinct items of each user, oldest first: targets[targetOffsets[u] …) */
  readonly targetOffsets: Uint32Array;
  readonly targets: Uint32Array;
}

const MIN_ITEMS = 3;
const HELD_OUT_SHARE = 0.2;
/** Of a user's last items so many are asked for one by one, each after those before it. */
const NEXT_ITEMS = 3;

/** `withSeen`: items the user had before may be targets (users come back to items). */
export function splitEvents(table: EventTable, kind: ValidationKind, seed: number, withSeen: boolean): Split {
  const hidden = new Uint8Array(table.length);
  const targetOffsets = new Uint32Array(table.userCount + 1);
  const targets: number[] = [];
  const mark = new Int32Array(table.itemCount).fill(-1);
  for (let user = 0; user < table.userCount; user++) {
    const from = table.userOffsets[user];
    const to = table.userOffsets[user + 1];
    if (kind === 'random_fifth') hideRandom(table, user, from, to, seed, hidden, mark, targets);
    else hideNewest(table, user, from, to, kind, withSeen, hidden, mark, targets);
    targetOffsets[user + 1] = targets.length;
  }
  return { kind, hidden, targetOffsets, targets: Uint32Array.from(targets) };
}

function hideNewest(
  table: EventTable,
  user: number,
  from: number,
  to: number,
  kind: ValidationKind,
  withSeen: boolean,
  hidden: Uint8Array,
  mark: Int32Array,
  targets: number[],
): void {
  // First sights of an item by a target event, oldest first; with repeats every target event.
  const places: number[] = [];
  for (let event = from; event < to; event++) {
    if (table.type[event] !== table.targetType) continue;
    if (!withSeen) {
      if (mark[table.item[event]] === user) continue;
      mark[table.item[event]] = user;
    }
    places.push(event);
  }
  if (places.length < MIN_ITEMS) return;
  const fifth = Math.max(1, Math.floor(places.length * HELD_OUT_SHARE));
  const count = kind === 'last_item' ? Math.min(NEXT_ITEMS, fifth) : fifth;
  const cut = places[places.length - count];
  if (cut === from) return;
  for (let event = cut; event < to; event++) hidden[event] = 1;
  for (let n = places.length - count; n < places.length; n++) {
    const item = table.item[places[n]];
    if (mark[item] === -2 - user) continue;
    mark[item] = -2 - user;
    targets.push(item);
  }
}

function hideRandom(
  table: EventTable,
  user: number,
  from: number,
  to: number,
  seed: number,
  hidden: Uint8Array,
  mark: Int32Array,
  targets: number[],
): void {
  const items: number[] = [];
  for (let event = from; event < to; event++) {
    if (table.type[event] !== table.targetType || mark[table.item[event]] === user) continue;
    mark[table.item[event]] = user;
    items.push(table.item[event]);
  }
  if (items.length < MIN_ITEMS) return;
  const count = Math.max(1, Math.floor(items.length * HELD_OUT_SHARE));
  // By the hash of user and item, so that the order in which events were written plays no part.
  const chosen = items
    .map((item) => ({ item, key: hash32(hash32(seed, user), item) }))
    .sort((a, b) => a.key - b.key || a.item - b.item)
    .slice(0, count)
    .map(({ item }) => item);
  for (const item of chosen) mark[item] = -2 - user;
  for (let event = from; event < to; event++) if (mark[table.item[event]] === -2 - user) hidden[event] = 1;
  for (const item of chosen) targets.push(item);
}

/** Share of target events, after a user's first, that return to an item the user had before. */
export function repeatRate(table: EventTable): number {
  const mark = new Int32Array(table.itemCount).fill(-1);
  let returns = 0;
  let chances = 0;
  for (let user = 0; user < table.userCount; user++) {
    let first = true;
    for (let event = table.userOffsets[user]; event < table.userOffsets[user + 1]; event++) {
      if (table.type[event] !== table.targetType) continue;
      if (!first) chances++;
      first = false;
      if (mark[table.item[event]] === user) returns++;
      mark[table.item[event]] = user;
    }
  }
  return chances === 0 ? 0 : returns / chances;
}
