// The lengths of experts' rows, and the memory they take.
import { SPACE_BYTES } from '../experts/low-rank.ts';

/** Entries of all rows of an expert. Without order there are no transitions to read, so rows may be twice as long. */
const ROW_ENTRIES = { ordered: 5e6, unordered: 1e7 };
const WALK_SLOT = 250;
const TRANSITION_SLOT = 1000;
/** Experts with rows that a training chooses: two walks, five kinds of transitions, a ridge and low rank. */
export const CHOSEN_EXPERTS = 9;
/** Bytes of the questions, and of the features of the ranker fitted on them. */
const JOINING_BYTES = 400e6;

/**
 * Entries a row of an item-to-item expert keeps: small catalogs keep more, very large ones fewer, so that a dozen experts
 * fit in memory. Rows of walks are read for every item of a history, those of transitions for the newest few only: these
 * may be longer.
 */
function rowSlot(itemCount: number, longest: number, entries: number): number {
  const items = Math.max(1, itemCount);
  const least = Math.max(24, Math.min(120, Math.floor(2.5e7 / items)));
  return Math.max(1, Math.min(items, longest, Math.max(least, Math.floor(entries / items))));
}

/** `ordered` is false if the events have no order. */
export function walkSlot(itemCount: number, ordered: boolean): number {
  return rowSlot(itemCount, WALK_SLOT, ordered ? ROW_ENTRIES.ordered : ROW_ENTRIES.unordered);
}

export function transitionSlot(itemCount: number): number {
  return rowSlot(itemCount, TRANSITION_SLOT, ROW_ENTRIES.ordered);
}

/** Bytes of an expert with the longest rows. `filled`: the number of items with rows. */
export function rowBytes(itemCount: number, filled: number): number {
  return 8 * itemCount + 8 * filled * rowSlot(itemCount, TRANSITION_SLOT, ROW_ENTRIES.unordered);
}

/**
 * Bytes of all chosen experts at the end of a search, including the parts they share and the questions that join them.
 */
export function bytesToChoose(itemCount: number): number {
  return CHOSEN_EXPERTS * rowBytes(itemCount, itemCount) + SPACE_BYTES + JOINING_BYTES;
}
