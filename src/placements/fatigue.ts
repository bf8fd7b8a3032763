// Items that were shown to the user again and again without an event move down: behind all candidates that were not. Items that
// only fill the list stay behind those that meet what it is for.
import type { ListedItem, ListStep } from './item-list.ts';

export const restTired: ListStep = (list, { isTired }) => {
  if (isTired === null) return list;
  const meeting = list.items.filter(({ filled }) => !filled);
  const rest = list.items.filter(({ filled }) => filled);
  const down = (items: readonly ListedItem[]) => [
    ...items.filter(({ item }) => !isTired(item)),
    ...items.filter(({ item }) => isTired(item)),
  ];
  return { ...list, items: [...down(meeting), ...down(rest)] };
};
