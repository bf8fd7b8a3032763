// Computes how many items a training has memory for: in its own steps, in the model it produces, and where the model is
// served.
import { leastBlockBytes } from '../dataset/history-blocks.ts';
import type { ItemDemand, ItemRoom } from '../dataset/kept-items.ts';
import { gramBytes } from '../experts/gram.ts';
import { SPACE_BYTES } from '../experts/low-rank.ts';
import { MAX_MEMORY_BYTES } from '../kernels/kernel-memory.ts';
import { ROW_ENTRIES as RELATION_ENTRIES } from '../relations/relation-rows.ts';
import { CHOSEN_EXPERTS, rowBytes } from './expert-rows.ts';
import { TUNING_EVENTS } from './fit-model.ts';

export interface MemoryOfItems {
  readonly kernelBytes: number;
  readonly modelBytes: number;
}

/** Fewer items save nothing, because rows get longer. */
const LEAST_ITEMS = 1_000_000;
/** Rows of the relations similar, together and next. */
const RELATIONS = 3;
/** Scales, degrees, facts and popularity of an item, and what a thread works with. */
const WORK_BYTES = 80;
/** Order and rests of an item in four scorings, the bias of their rankers, and what a call works with. */
const SCORING_BYTES = 130;

/** `memoryFor` returns the memory that is left next to this many events and dislikes. */
export function itemRoom(memoryFor: (events: number) => MemoryOfItems): ItemRoom {
  return { least: LEAST_ITEMS, fit: (demand) => itemsThatFit(memoryFor(demand.events + demand.dislikes), demand) };
}

function itemsThatFit({ kernelBytes, modelBytes }: MemoryOfItems, demand: ItemDemand): number {
  const fits = (items: number): boolean => {
    const { pairs, sampled } = ofMostUsed(demand, items);
    const shared = gramBytes(items) + WORK_BYTES * items;
    const search = shared + SCORING_BYTES * items + SPACE_BYTES + CHOSEN_EXPERTS * rowBytes(items, sampled);
    const block = leastBlockBytes(kernelBytes, { users: demand.userCount, items, entries: pairs });
    const fit = block + shared + Math.max(SPACE_BYTES, SPACE_BYTES / 2 + rowBytes(items, items));
    const experts = CHOSEN_EXPERTS * rowBytes(items, items);
    const relations = RELATIONS * items * (4 + 8 * RELATION_ENTRIES);
    return (
      Math.max(search, fit) <= kernelBytes &&
      experts + relations + SPACE_BYTES / 2 <= modelBytes &&
      experts + SCORING_BYTES * items <= MAX_MEMORY_BYTES
    );
  };
  let [from, to] = [Math.min(LEAST_ITEMS, demand.usersOfItems.length), demand.usersOfItems.length];
  while (from < to) {
    const middle = Math.ceil((from + to) / 2);
    if (fits(middle)) from = middle;
    else to = middle - 1;
  }
  return from;
}

/** Pairs of user and item of the items with the most users, and how many of these items are in the sample of the search. */
function ofMostUsed({ events, usersOfItems }: ItemDemand, items: number): { pairs: number; sampled: number } {
  const pairsUpTo = (end: number) => {
    let pairs = 0;
    for (let n = 0; n < end; n++) pairs += usersOfItems[n];
    return pairs;
  };
  const pairs = pairsUpTo(items);
  const ownEvents = (events * pairs) / pairsUpTo(usersOfItems.length);
  // An item is in the sample if one of its users is.
  const unsampled = Math.log1p(-Math.min(1, TUNING_EVENTS / ownEvents));
  let [sampled, users, chance] = [0, 0, 0];
  for (let n = 0; n < items; n++) {
    if (usersOfItems[n] !== users) {
      users = usersOfItems[n];
      chance = 1 - Math.exp(users * unsampled);
    }
    sampled += chance;
  }
  return { pairs, sampled };
}
