// The first step: the best items, with objective, filters, exclusions and boosts inside the search. A list has a row of
// sources; each gives what the ones before left open, so that the list is filled while allowed items exist. Only items of the
// first source meet what the list is for; all others are marked as filled.
import type { ItemList, ListedItem, ListInputs, ListStep } from './item-list.ts';

/** A later step that drops or reorders gets more than the limit, at least and for each place. */
const FEWEST_FOR_CHOICE = 50;
const CANDIDATES_PER_PLACE = 4;
/** Places after this one get a single additional candidate each. */
const PLACES_WITH_CHOICE = 100;

/** Items seen too often that a list gets others for. */
const MOST_TIRED = 500;

/** The number of candidates that a call searches for at once. */
export function candidatesFor({
  limit,
  diversity,
  tiredCount,
}: Pick<ListInputs, 'limit' | 'diversity' | 'tiredCount'>): number {
  const tired = Math.min(tiredCount, MOST_TIRED);
  if (diversity === null) return limit + tired;
  const places = Math.min(limit, PLACES_WITH_CHOICE);
  return Math.max(FEWEST_FOR_CHOICE, CANDIDATES_PER_PLACE * places + (limit - places)) + tired;
}

/**
 * Continues with the items that the list has. What earlier pages showed is searched for as well and then left out: scores depend on what
 * may be listed, so a page continues exactly where the one before ended only if both are cut from one search.
 */
export const findCandidates: ListStep = (list, inputs) => {
  const { shown } = inputs;
  const wanted = candidatesFor(inputs) + shown.size;
  const items: ListedItem[] = [...list.items];
  const exclude = items.length === 0 ? inputs.exclude : withItems(inputs.exclude, items);
  let { isMet, basis, restsOnAttributes }: ItemList = list;
  const { sources, allow, boosts, explain } = inputs;
  for (let n = 0; n < sources.length && items.length < wanted; n++) {
    // A source must not return the items found by sources before it.
    const taken = items.length === list.items.length ? exclude : withItems(exclude, items);
    const found = sources[n]({ room: wanted - items.length, allow, exclude: taken, boosts, explain });
    if (n === 0 || items.length === 0) basis = found.basis;
    restsOnAttributes ||= found.restsOnAttributes;
    if (n === 0 && found.items.length > 0) isMet = true;
    for (const item of found.items) items.push(n === 0 ? item : { ...item, filled: true });
  }
  const left = shown.size === 0 ? items : items.filter(({ item }) => !shown.has(item));
  return { isMet, basis, restsOnAttributes, items: left };
};

function withItems(exclude: ReadonlySet<number>, items: readonly ListedItem[]): ReadonlySet<number> {
  const all = new Set(exclude);
  for (const { item } of items) all.add(item);
  return all;
}
