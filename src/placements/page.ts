// The last step: what fits on the page. What earlier pages showed is excluded from the search, so that the next page goes on
// with the best of the rest, as things are now.
import type { ListStep } from './item-list.ts';

export const cutPage: ListStep = (list, { limit }) =>
  list.items.length <= limit ? list : { ...list, items: list.items.slice(0, limit) };
