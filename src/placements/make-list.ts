// From a call to its list: the steps in their order. What comes next (boosts, diversity, pins, page) is added here.
import { findCandidates } from './candidates.ts';
import type { ItemList, ListCall, ListStep } from './item-list.ts';

const STEPS: readonly ListStep[] = [findCandidates];

export function makeList(call: ListCall): ItemList {
  const { objective } = call;
  const empty: ItemList = { objective, basis: 'popularity', restsOnAttributes: false, items: [] };
  return STEPS.reduce((list, step) => step(list, call), empty);
}
