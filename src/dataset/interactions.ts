// Users × items in both directions on the kernels' memory: rows by user, oldest first, one entry a distinct item at the place
// of its newest event; and for each item the entries that name it. Weights are those of history/fold-events.ts.
import { EventFolder, type EventRun, typeWeights } from '../history/fold-events.ts';
import type { HistoryRules } from '../history/history-rules.ts';
import { alignedBytes, type KernelMemory } from '../kernels/kernel-memory.ts';
import type { EventTable } from './event-table.ts';
import { countableWeight } from './fixed-point.ts';

/** The histories of all users or of a block of them. In both cases rows and users are numbered from 0. */
export interface Interactions {
  readonly userCount: number;
  readonly itemCount: number;
  readonly length: number;
  readonly userOffsets: Uint32Array;
  readonly items: Uint32Array;
  readonly weights: Float32Array;
  readonly itemOffsets: Uint32Array;
  /** places in items/weights, item by item */
  readonly entries: Uint32Array;
  /** the user of each of `entries` */
  readonly entryUsers: Uint32Array;
}

/** Yields histories one at a time, from any source. */
export interface HistorySource {
  readonly userCount: number;
  readonly itemCount: number;
  /** The history of a user has no more entries. */
  bound(user: number): number;
  /** Writes a history, oldest first, from place `at` on; returns its length. */
  write(user: number, into: Pick<Interactions, 'items' | 'weights'>, at: number): number;
}

export interface InteractionRules extends HistoryRules {
  /** by type index; a type with weight 0 does not count */
  readonly typeWeights: readonly number[];
}

/** Upper limit of the bytes that histories with this number of entries take. */
export function interactionBytes(userCount: number, itemCount: number, entries: number): number {
  return 4 * alignedBytes(entries * 4) + alignedBytes((userCount + 1) * 4) + alignedBytes((itemCount + 1) * 4);
}

/**
 * The purpose of folding. Training omits users without any event that counts. Judging and `evaluate` treat them as
 * serving does.
 */
export function tableFolder(
  table: EventTable,
  { typeWeights: weights, ...rules }: InteractionRules,
  purpose: 'training' | 'judging',
): EventFolder {
  const { typeNames, itemCount: warmItemCount, targetType } = table;
  const ofModel = Object.fromEntries(typeNames.map((name, type) => [name, weights[type]]));
  const { typeWeight, typeWeightElse } = typeWeights(typeNames, ofModel);
  return new EventFolder(rules, {
    warmItemCount,
    itemOf: null,
    targetType,
    typeWeight,
    typeWeightElse: purpose === 'training' ? null : typeWeightElse,
  });
}

/** Events that are not hidden, moved together: what a user's history is folded from. */
export class VisibleEvents {
  readonly #table: EventTable;
  readonly #hidden: Uint8Array | undefined;
  readonly #kept: { item: Uint32Array; type: Uint8Array; ts: Float64Array; value: Float32Array };

  constructor(table: EventTable, hidden: Uint8Array | undefined) {
    this.#table = table;
    this.#hidden = hidden;
    let longest = 0;
    for (let user = 0; user < table.userCount; user++)
      longest = Math.max(longest, table.userOffsets[user + 1] - table.userOffsets[user]);
    const length = hidden === undefined ? 0 : longest;
    this.#kept = {
      item: new Uint32Array(length),
      type: new Uint8Array(length),
      ts: new Float64Array(length),
      value: new Float32Array(length),
    };
  }

  /** Overwritten by the next call. `end`: only events before this one. */
  of(user: number, end = this.#table.userOffsets[user + 1]): EventRun {
    const table = this.#table;
    const from = table.userOffsets[user];
    const to = end;
    const hidden = this.#hidden;
    if (hidden === undefined) return { columns: table, from, to };
    let length = 0;
    for (let event = from; event < to; event++) {
      if (hidden[event] === 1) continue;
      this.#kept.item[length] = table.item[event];
      this.#kept.type[length] = table.type[event];
      this.#kept.ts[length] = table.ts[event];
      this.#kept.value[length++] = table.value[event];
    }
    return { columns: this.#kept, from: 0, to: length };
  }
}

/** Which events and users the histories cover. */
export interface HistoryChoice {
  /** hidden[event] = 1: held out for validation */
  readonly hidden?: Uint8Array;
  /** if set, only these users, in this order */
  readonly users?: Uint32Array | undefined;
}

/** Yields the histories of a table. */
export function foldedHistories(
  table: EventTable,
  rules: InteractionRules,
  { hidden, users }: HistoryChoice,
): HistorySource {
  const { itemCount, userOffsets, item } = table;
  const userCount = users ? users.length : table.userCount;
  const folder = tableFolder(table, rules, 'training');
  const visible = new VisibleEvents(table, hidden);
  const cap = Math.min(rules.historyCap, itemCount);
  const folded = { items: new Uint32Array(cap), weights: new Float32Array(cap), seen: new Uint8Array(cap) };
  const bounds = new Uint32Array(userCount);
  const owner = new Int32Array(itemCount).fill(-1);
  for (let row = 0; row < userCount; row++) {
    const user = users ? users[row] : row;
    let distinct = 0;
    for (let event = userOffsets[user]; event < userOffsets[user + 1]; event++) {
      if (owner[item[event]] === row) continue;
      owner[item[event]] = row;
      distinct++;
    }
    bounds[row] = Math.min(distinct, cap);
  }
  return {
    userCount,
    itemCount,
    bound: (row) => bounds[row],
    write(row, into, at) {
      const run = visible.of(users ? users[row] : row);
      const length = folder.fold(run, folded, 0);
      // A history is folded newest first, a row is oldest first.
      for (let place = 0; place < length; place++) {
        into.items[at + place] = folded.items[length - 1 - place];
        into.weights[at + place] = countableWeight(folded.weights[length - 1 - place]);
      }
      return length;
    },
  };
}

/** Histories of the users [from, to) on the memory. */
export function layOut(
  memory: KernelMemory,
  source: HistorySource,
  { from, to }: { from: number; to: number },
): Interactions {
  const { itemCount } = source;
  const userCount = to - from;
  let bound = 0;
  for (let user = from; user < to; user++) bound += source.bound(user);
  memory.require(interactionBytes(userCount, itemCount, bound), `The matrix of ${bound} interactions`);
  const userOffsets = memory.u32(userCount + 1);
  const rows = { items: memory.u32(bound), weights: memory.f32(bound) };
  userOffsets[0] = 0;
  for (let row = 0; row < userCount; row++) {
    userOffsets[row + 1] = userOffsets[row] + source.write(from + row, rows, userOffsets[row]);
  }
  const length = userOffsets[userCount];
  const items = rows.items.subarray(0, length);
  const itemOffsets = memory.u32(itemCount + 1).fill(0);
  for (let place = 0; place < length; place++) itemOffsets[items[place] + 1]++;
  for (let item = 0; item < itemCount; item++) itemOffsets[item + 1] += itemOffsets[item];
  const entries = memory.u32(length);
  const entryUsers = memory.u32(length);
  const cursor = itemOffsets.slice();
  for (let row = 0; row < userCount; row++) {
    for (let place = userOffsets[row]; place < userOffsets[row + 1]; place++) {
      const at = cursor[items[place]]++;
      entries[at] = place;
      entryUsers[at] = row;
    }
  }
  const weights = rows.weights.subarray(0, length);
  return { userCount, itemCount, length, userOffsets, items, weights, itemOffsets, entries, entryUsers };
}
