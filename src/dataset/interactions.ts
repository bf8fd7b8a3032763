// Users × items in both directions on the kernels' memory: rows by user, oldest first, one entry a distinct item at the place
// of its newest event; and for each item the entries that name it. An entry weighs log2(1 + Σ type weight · value · decay) over
// the user's events with the item, so that one plain target event weighs 1.
import { entryWeight, eventStrength } from '../history/event-weight.ts';
import type { KernelMemory } from '../kernels/kernel-memory.ts';
import type { EventTable } from './event-table.ts';

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

export interface InteractionRules {
  /** by type index; 0: the type does not count */
  readonly typeWeights: readonly number[];
  readonly valueWeighting: 'log' | 'none';
  /** at most so many newest distinct items a user */
  readonly historyCap: number;
  /** milliseconds after which an event counts half; null: age does not matter */
  readonly halfLifeMs: number | null;
}

/** Exact bytes `buildInteractions` takes for so many entries. */
export function interactionBytes(userCount: number, itemCount: number, entries: number): number {
  return (userCount + 1 + itemCount + 1 + entries * 4) * 4 + entries + 7 * 16;
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
  const { hidden, users } = options;
  const userCount = users ? users.length : table.userCount;
  const { itemCount } = table;
  const placeOf = new Int32Array(itemCount).fill(-1);
  const counts = (event: number) => hidden?.[event] !== 1 && rules.typeWeights[table.type[event]] > 0;

  const userOffsets = new Uint32Array(userCount + 1);
  for (let row = 0; row < userCount; row++) {
    const user = users ? users[row] : row;
    const first = table.userOffsets[user];
    let distinct = 0;
    for (let event = table.userOffsets[user + 1] - 1; event >= first && distinct < rules.historyCap; event--) {
      const item = table.item[event];
      if (placeOf[item] === row || !counts(event)) continue;
      placeOf[item] = row;
      distinct++;
    }
    userOffsets[row + 1] = userOffsets[row] + distinct;
  }

  const length = userOffsets[userCount];
  memory.require(interactionBytes(userCount, itemCount, length), `The matrix of ${length} interactions`);
  const result = {
    userCount,
    itemCount,
    length,
    userOffsets: memory.u32(userCount + 1),
    items: memory.u32(length),
    weights: memory.f32(length).fill(0),
    seen: memory.u8(length).fill(0),
    itemOffsets: memory.u32(itemCount + 1).fill(0),
    entries: memory.u32(length),
    entryUsers: memory.u32(length),
  };
  result.userOffsets.set(userOffsets);

  placeOf.fill(-1);
  const newestTs = rules.halfLifeMs === null ? 0 : newestOf(table);
  for (let row = 0; row < userCount; row++) {
    const user = users ? users[row] : row;
    const first = table.userOffsets[user];
    const rowStart = userOffsets[row];
    let next = userOffsets[row + 1];
    for (let event = table.userOffsets[user + 1] - 1; event >= first; event--) {
      if (!counts(event)) continue;
      const item = table.item[event];
      let place = placeOf[item];
      if (place < rowStart || place >= userOffsets[row + 1]) {
        if (next === rowStart) continue;
        place = --next;
        placeOf[item] = place;
        result.items[place] = item;
        result.entryUsers[place] = row;
        result.itemOffsets[item + 1]++;
      }
      const value = rules.valueWeighting === 'log' ? table.value[event] : 1;
      const decay = rules.halfLifeMs === null ? 1 : 2 ** (-(newestTs - table.ts[event]) / rules.halfLifeMs);
      result.weights[place] += eventStrength(rules.typeWeights[table.type[event]], value) * decay;
      if (table.type[event] === table.targetType) result.seen[place] = 1;
    }
  }
  for (let place = 0; place < length; place++) result.weights[place] = entryWeight(result.weights[place]);
  for (let item = 0; item < itemCount; item++) result.itemOffsets[item + 1] += result.itemOffsets[item];
  const cursor = result.itemOffsets.slice();
  for (let place = 0; place < length; place++) result.entries[cursor[result.items[place]]++] = place;
  return result;
}

function newestOf(table: EventTable): number {
  let newest = 0;
  for (let event = 0; event < table.length; event++) if (table.ts[event] > newest) newest = table.ts[event];
  return newest;
}
