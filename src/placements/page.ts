// The last step: what fits on the page. What earlier pages showed was left out when candidates were found.
import type { ListStep } from './item-list.ts';

export const cutPage: ListStep = (list, { limit }) =>
  list.items.length <= limit ? list : { ...list, items: list.items.slice(0, limit) };
