// The first step: the best items for the objective, the filter inside the search. An objective is a row of sources; each gives
// what the ones before left open, so that the list is filled up to its limit while allowed items exist. Only items of the
// first source meet the objective; all others are marked as filled.
//
//   discover   items new to the user, by the model → the rest, by the model
//   continue   touched without a target event since, by what the user did → as discover
//   again      items with a target event, by how often and how lately → as discover
//   any        all items, by the model
import { isIn } from '../catalog/item-set.ts';
import type { UsedObjective } from '../domain/objective.ts';
import { TOUCH_SCORES, type TouchScore } from '../history/touch-scores.ts';
import type { Touch } from '../history/touches.ts';
import type { ScoredItem, TopRequest } from '../scoring/recommender.ts';
import type { ItemList, ListCall, ListedItem, ListStep } from './item-list.ts';
import { candidatesFor, rerank } from './rerank.ts';
import { barredItems, isBarred, knownItems } from './touched-items.ts';

type Found = Pick<ItemList, 'basis' | 'restsOnAttributes'> & { readonly items: readonly ScoredItem[] };

/** Up to `room` items that are not in `listed`. */
type Source = (call: ListCall, room: number, listed: ReadonlySet<number>) => Found;

const newToUser: Source = (call, room, listed) =>
  byModel(call, room, { exclude: union(knownItems(call), listed), discovers: true });

const everything: Source = (call, room, listed) =>
  byModel(call, room, { exclude: union(barredItems(call), listed), discovers: call.objective !== 'any' });

const openItems: Source = (call, room) =>
  byTouches(call, room, (touch) => {
    const scored = TOUCH_SCORES.continue(touch, call.nowMs);
    return scored && { ...scored, reason: { kind: 'continue', event_type: touch.openType, count: touch.openCount } };
  });

const hadItems: Source = (call, room) =>
  byTouches(call, room, (touch) => {
    const scored = TOUCH_SCORES.again(touch, call.nowMs);
    const { targetEventType: event_type } = call.generator.objectives;
    return scored && { ...scored, reason: { kind: 'again', event_type, count: touch.visits } };
  });

const SOURCES: Record<UsedObjective, readonly Source[]> = {
  discover: [newToUser, everything],
  continue: [openItems, newToUser, everything],
  again: [hadItems, newToUser, everything],
  any: [everything],
};

/** Where no item meets the objective, the list follows this one. */
const FALLBACK = 'discover';

export const findCandidates: ListStep = (list, call) => {
  const items: ListedItem[] = [];
  const listed = new Set<number>();
  let { objective, basis, restsOnAttributes } = list;
  for (const [n, source] of SOURCES[call.objective].entries()) {
    if (items.length >= call.limit) break;
    const found = source(call, call.limit - items.length, listed);
    if (n === 0 || items.length === 0) basis = found.basis;
    restsOnAttributes ||= found.restsOnAttributes;
    if (n === 0 && found.items.length === 0 && call.objective !== 'any') objective = FALLBACK;
    for (const item of found.items) {
      listed.add(item.item);
      items.push(n === 0 ? item : { ...item, filled: true });
    }
  }
  return { objective, basis, restsOnAttributes, items };
};

function byModel(call: ListCall, room: number, search: Pick<TopRequest, 'exclude' | 'discovers'>): Found {
  const { generator, ranker, user, allow, explain } = call;
  const limit = ranker ? candidatesFor(room, generator.catalog.presentCount) : room;
  const found = generator.top(user, { ...search, limit, allow, explain });
  return ranker ? { ...found, items: rerank(ranker, user, found.items, room) } : found;
}

interface Ranked extends TouchScore {
  readonly reason: { readonly kind: 'continue' | 'again'; readonly event_type: string; readonly count: number };
}

function byTouches(call: ListCall, room: number, rank: (touch: Touch) => Ranked | null): Found {
  const { catalog } = call.generator;
  const listed = call.generator.listed();
  const isAllowed = (item: number) => isIn(listed, item) && (call.allow === null || isIn(call.allow, item));
  const found: (Ranked & { readonly item: number })[] = [];
  for (const touch of call.touches.values()) {
    if (isBarred(touch, call) || !isAllowed(touch.item)) continue;
    const ranked = rank(touch);
    if (ranked !== null) found.push({ ...ranked, item: touch.item });
  }
  found.sort((a, b) => b.score - a.score || b.ts - a.ts || a.item - b.item);
  const items = found.slice(0, room).map(({ item, score, ts, reason }): ScoredItem => {
    const item_id = catalog.itemId(item);
    const scored = { item, item_id, score };
    return call.explain ? { ...scored, reasons: [{ ...reason, item_id, ts, contribution: score }] } : scored;
  });
  return { basis: 'history', restsOnAttributes: false, items };
}

function union(items: ReadonlySet<number>, more: ReadonlySet<number>): ReadonlySet<number> {
  return more.size === 0 ? items : items.union(more);
}
