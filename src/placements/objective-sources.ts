// An objective for a list that does not come from the user: of its items those that meet it come first, the others fill.
//
//   discover        items new to the user
//   continue, again items the user started, or had before
//   any             all of them
//   auto            all of them, or what the list has without an objective
import type { ItemBitmap } from '../catalog/item-set.ts';
import { ItemSet, isIn } from '../catalog/item-set.ts';
import type { Objective } from '../domain/objective.ts';
import { TOUCH_SCORES } from '../history/touch-scores.ts';
import type { Source } from './item-list.ts';
import { knownItems } from './touched-items.ts';
import type { UserQuestion } from './user-question.ts';

type Touched = Pick<UserQuestion, 'touches' | 'nowMs' | 'touchMs' | 'excludeSeen'>;

/** `plain`: the list without an objective, where it has not all of the items. */
export function sourcesFor(
  objective: Objective | undefined,
  touched: Touched,
  source: Source,
  plain: Source = source,
): Source[] {
  if (objective === undefined || objective === 'auto') return [plain];
  if (objective === 'any') return [source];
  if (objective === 'discover') {
    const known = knownItems(touched);
    return known.size === 0 ? [source] : [without(known, source), source];
  }
  const own = [...touched.touches.values()].filter((touch) => TOUCH_SCORES[objective](touch, touched.nowMs) !== null);
  const meeting: Source = (search) => source({ ...search, allow: among(own, search.allow) });
  return plain === source ? [meeting, source] : [meeting, plain, source];
}

export function without(items: ReadonlySet<number>, source: Source): Source {
  return items.size === 0 ? source : (search) => source({ ...search, exclude: search.exclude.union(items) });
}

function among(touches: readonly { readonly item: number }[], allow: ItemBitmap | null): ItemBitmap {
  const items = new ItemSet(0);
  for (const { item } of touches) if (allow === null || isIn(allow, item)) items.set(item, true);
  return items;
}
