// From a call to its list: the steps in their order.
import { findCandidates } from './candidates.ts';
import { diversify } from './diversity.ts';
import { restTired } from './fatigue.ts';
import type { ItemList, ListCall, ListStep } from './item-list.ts';
import { cutPage } from './page.ts';
import { placePins } from './pins.ts';

const STEPS: readonly ListStep[] = [findCandidates, restTired, diversify, placePins, cutPage];

const EMPTY: ItemList = { isMet: false, basis: 'popularity', restsOnAttributes: false, items: [] };

export function makeList(call: ListCall): ItemList {
  return STEPS.reduce((list, step) => step(list, call), EMPTY);
}
