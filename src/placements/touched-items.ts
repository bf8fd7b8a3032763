// Finds the touched items that an objective leaves out.
import { isRemembered, NEVER, type Touch } from '../history/touches.ts';
import type { UserQuestion } from './user-question.ts';

type TouchCall = Pick<UserQuestion, 'touches' | 'nowMs' | 'touchMs' | 'excludeSeen'>;

/** Whether the call itself leaves the item out. */
function isExcluded(touch: Touch, { excludeSeen }: Pick<TouchCall, 'excludeSeen'>): boolean {
  return touch.ofExcludedType || (excludeSeen === true && touch.targetTs !== NEVER);
}

/** Whether the item is not new to the user. */
export function isKnown(touch: Touch, { nowMs, touchMs, excludeSeen }: Omit<TouchCall, 'touches'>): boolean {
  if (touch.targetTs !== NEVER) return excludeSeen !== false;
  return isRemembered(touch.otherTs, nowMs, touchMs);
}

/** Items that are never in the list, whatever the objective and however few items remain. */
export function barredItems(call: Pick<TouchCall, 'touches' | 'excludeSeen'>): Set<number> {
  return itemsWhere(call, (touch) => touch.disliked || isExcluded(touch, call));
}

/** Items that are left out only because the user dislikes them. */
export function dislikedItems(call: Pick<TouchCall, 'touches' | 'excludeSeen'>): Set<number> {
  return itemsWhere(call, (touch) => touch.disliked && !isExcluded(touch, call));
}

export function knownItems(call: TouchCall): Set<number> {
  return itemsWhere(call, (touch) => isKnown(touch, call));
}

/** The user had them, and people do not come back to them: the sofa, not the coffee. */
export function doneItems({
  touches,
  excludeSeen,
  generator,
}: Pick<UserQuestion, 'touches' | 'excludeSeen' | 'generator'>): Set<number> {
  if (excludeSeen === false) return new Set();
  return itemsWhere({ touches }, ({ targetTs, item }) => targetTs !== NEVER && generator.isTakenOnce(item));
}

/** The user had them, for lists of related items of users who do not come back to items. */
export function hadItems({
  touches,
  excludeSeen,
  generator,
}: Pick<UserQuestion, 'touches' | 'excludeSeen' | 'generator'>): Set<number> {
  if (excludeSeen === false || generator.objectives.auto === 'any') return new Set();
  return itemsWhere({ touches }, ({ targetTs }) => targetTs !== NEVER);
}

function itemsWhere({ touches }: Pick<TouchCall, 'touches'>, isMeant: (touch: Touch) => boolean): Set<number> {
  const items = new Set<number>();
  for (const touch of touches.values()) if (isMeant(touch)) items.add(touch.item);
  return items;
}
