// Makes the list of a call: runs the steps in their order.
import { traced } from '../base/trace.ts';
import { findCandidates } from './candidates.ts';
import { diversify } from './diversity.ts';
import { restTired } from './fatigue.ts';
import type { ItemList, ListInputs, ListStep } from './item-list.ts';
import { cutPage } from './page.ts';
import { placePins } from './pins.ts';

const STEPS: readonly { readonly name: string; readonly step: ListStep }[] = [
  { name: 'find candidates', step: findCandidates },
  { name: 'rest tired', step: restTired },
  { name: 'diversify', step: diversify },
  { name: 'place pins', step: placePins },
  { name: 'cut page', step: cutPage },
];

const EMPTY: ItemList = { isMet: false, basis: 'popularity', restsOnAttributes: false, items: [] };

export function makeList(inputs: ListInputs): ItemList {
  return STEPS.reduce((list, { name, step }) => traced(name, () => step(list, inputs)), EMPTY);
}
