// Users × items in both directions on the kernels' memory: rows by user, oldest first, one entry a distinct item at the place
// of its newest event; and for each item the entries that name it. Weights are those of history/fold-events.ts.
import { EventFolder, type EventRun } from '../history/fold-events.ts';
import type { HistoryRules } from '../history/history-rules.ts';
import type { KernelMemory } from '../kernels/kernel-memory.ts';
import type { EventTable } from './event-table.ts';
import { countableWeight } from './fixed-point.ts';

export interface Interactions {
  readonly userCount: number;
  readonly itemCount: number;
  readonly length: number;
  readonly userOffsets: Uint32Array;
  readonly items: Uint32Array;
  readonly weights: Float32Array;
  /** 1 where the user had a target event with the item */
  readonly seen: Uint8Array;
  readonly itemOffsets: Uint32Array;
  /** places in items/weights, item by item */
  readonly entries: Uint32Array;
  /** the user of each place */
  readonly entryUsers: Uint32Array;
}

export interface InteractionRules extends HistoryRules {
  /** by type index; 0: the type does not count */
  readonly typeWeights: readonly number[];
}

/** Exact bytes `buildInteractions` takes for this many entries. */
export function interactionBytes(userCount: number, itemCount: number, entries: number): number {
  return (userCount + 1 + itemCount + 1 + entries * 4) * 4 + entries + 7 * 16;
}

/** The folder that training, judging and `evaluate` read a table with. */
export function tableFolder(table: EventTable, rules: InteractionRules): EventFolder {
  return new EventFolder(rules, {
    warmItemCount: table.itemCount,
    itemOf: null,
    otherItemCount: 0,
    typeWeight: rules.typeWeights,
    targetType: table.targetType,
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

/**
 * `hidden[event] = 1` leaves an event out (held out for validation); `users` takes only the users it names, in that order.
 */
export function buildInteractions(
  memory: KernelMemory,
  table: EventTable,
  rules: InteractionRules,
  options: { hidden?: Uint8Array; users?: Uint32Array } = {},
): Interactions {
  const { users } = options;
  const userCount = users ? users.length : table.userCount;
  const { itemCount } = table;
  const folder = tableFolder(table, rules);
  const visible = new VisibleEvents(table, options.hidden);
  const userOffsets = new Uint32Array(userCount + 1);
  const rows = new GrowingRows(rules.historyCap);
  for (let row = 0; row < userCount; row++) {
    const run = visible.of(users ? users[row] : row);
    const newestTs = run.to > run.from ? run.columns.ts[run.to - 1] : 0;
    rows.makeRoom(Math.min(run.to - run.from, rules.historyCap));
    rows.length += folder.fold(run, newestTs, rows, rows.length);
    userOffsets[row + 1] = rows.length;
  }

  const { length } = rows;
  memory.require(interactionBytes(userCount, itemCount, length), `The matrix of ${length} interactions`);
  const result = {
    userCount,
    itemCount,
    length,
    userOffsets: memory.u32(userCount + 1),
    items: memory.u32(length),
    weights: memory.f32(length),
    seen: memory.u8(length),
    itemOffsets: memory.u32(itemCount + 1).fill(0),
    entries: memory.u32(length),
    entryUsers: memory.u32(length),
  };
  result.userOffsets.set(userOffsets);
  for (let row = 0; row < userCount; row++) {
    // A history is folded newest first, a row is oldest first.
    const last = userOffsets[row + 1] - 1;
    for (let place = userOffsets[row]; place <= last; place++) {
      const from = userOffsets[row] + last - place;
      result.items[place] = rows.items[from];
      result.weights[place] = countableWeight(rows.weights[from]);
      result.seen[place] = rows.seen[from];
      result.entryUsers[place] = row;
      result.itemOffsets[rows.items[from] + 1]++;
    }
  }
  for (let item = 0; item < itemCount; item++) result.itemOffsets[item + 1] += result.itemOffsets[item];
  const cursor = result.itemOffsets.slice();
  for (let place = 0; place < length; place++) result.entries[cursor[result.items[place]]++] = place;
  return result;
}

/** Folded histories one after the other, as many as come. */
class GrowingRows {
  length = 0;
  items: Uint32Array;
  weights: Float32Array;
  seen: Uint8Array;

  constructor(capacity: number) {
    this.items = new Uint32Array(capacity);
    this.weights = new Float32Array(capacity);
    this.seen = new Uint8Array(capacity);
  }

  makeRoom(entries: number): void {
    if (this.length + entries <= this.items.length) return;
    const capacity = Math.ceil((this.length + entries) * 1.6);
    const { items, weights, seen } = this;
    this.items = new Uint32Array(capacity);
    this.items.set(items);
    this.weights = new Float32Array(capacity);
    this.weights.set(weights);
    this.seen = new Uint8Array(capacity);
    this.seen.set(seen);
  }
}
