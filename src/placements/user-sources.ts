// The sources of the items in a user's list. Each objective uses a sequence of sources:
//
//   discover   items new to the user, by the model → the rest, by the model
//   continue   touched without a target event since, by what the user did → as discover
//   again      items with a target event, by how often and how lately → as discover
//   any        all items but those the user had and people take only once, by the model → the rest, by the model
import { isIn } from '../catalog/item-set.ts';
import type { UsedObjective } from '../domain/objective.ts';
import { byOwnOrder, type OwnItem, TOUCH_SCORES, type TouchScore } from '../history/touch-scores.ts';
import type { Touch } from '../history/touches.ts';
import { boostFactor } from '../scoring/boost.ts';
import type { ScoredItem } from '../scoring/recommender.ts';
import type { Found, Search, Source } from './item-list.ts';
import { rankerCandidates, rerank } from './rerank.ts';
import { doneItems, knownItems } from './touched-items.ts';
import type { UserQuestion } from './user-question.ts';

/** The first source gives what meets the objective, the others fill. */
export function userSources(objective: UsedObjective, question: UserQuestion): Source[] {
  const newToUser: Source = (search) => {
    const exclude = union(knownItems(question), search.exclude);
    return byModel(question, { ...search, exclude }, true);
  };
  const everything: Source = (search) => byModel(question, search, objective !== 'any');
  switch (objective) {
    case 'discover':
      return [newToUser, everything];
    case 'continue':
      return [openItems(question), newToUser, everything];
    case 'again':
      return [hadItems(question), newToUser, everything];
    case 'any': {
      const done = doneItems(question);
      return done.size === 0
        ? [everything]
        : [(search) => everything({ ...search, exclude: union(done, search.exclude) }), everything];
    }
  }
}

function byModel({ generator, ranker, user }: UserQuestion, search: Search, discovers: boolean): Found {
  const { room, ...options } = search;
  const limit = ranker ? rankerCandidates(room, generator.catalog.presentCount) : room;
  const found = generator.top(user, { ...options, limit, discovers });
  if (ranker === null) return found;
  const items = rerank(ranker, user, found.items, { limit: room, boosts: search.boosts, discovers });
  return { ...found, restsOnAttributes: found.restsOnAttributes || ranker.restsOnAttributes(user), items };
}

const openItems =
  (question: UserQuestion): Source =>
  (search) =>
    byTouches(question, search, (touch) => {
      const scored = TOUCH_SCORES.continue(touch, question.nowMs);
      return scored && { ...scored, reason: { kind: 'continue', event_type: touch.openType, count: touch.openCount } };
    });

const hadItems =
  (question: UserQuestion): Source =>
  (search) =>
    byTouches(question, search, (touch) => {
      const scored = TOUCH_SCORES.again(touch, question.nowMs);
      const { targetEventType: event_type } = question.generator.objectives;
      return scored && { ...scored, reason: { kind: 'again', event_type, count: touch.visits } };
    });

interface Ranked extends TouchScore {
  readonly reason: { readonly kind: 'continue' | 'again'; readonly event_type: string; readonly count: number };
}

/** Scores items by what the user did with them. The score is on the scale of a chance, so boosts multiply it. */
function byTouches({ generator, touches }: UserQuestion, search: Search, rank: (touch: Touch) => Ranked | null): Found {
  const { catalog } = generator;
  const { room, allow, exclude, boosts, explain } = search;
  const listed = generator.listed();
  const isAllowed = (item: number) => isIn(listed, item) && (allow === null || isIn(allow, item)) && !exclude.has(item);
  const found: (Ranked & OwnItem & { readonly factor: number })[] = [];
  for (const touch of touches.values()) {
    if (!isAllowed(touch.item)) continue;
    const ranked = rank(touch);
    if (ranked === null) continue;
    const factor = boostFactor(boosts, touch.item);
    const { item } = touch;
    found.push({ ...ranked, score: ranked.score * factor, item, popularity: generator.popularityOf(item), factor });
  }
  found.sort((a, b) => byOwnOrder(a, b) || a.item - b.item);
  const items = found.slice(0, room).map(({ item, score, ts, reason, factor }): ScoredItem => {
    const item_id = catalog.itemId(item);
    const scored = { item, item_id, score };
    if (!explain) return scored;
    const reasons = [{ ...reason, item_id, ts, contribution: score / factor }];
    if (factor === 1) return { ...scored, reasons };
    return { ...scored, reasons: [...reasons, { kind: 'boost', contribution: score - score / factor }] };
  });
  return { basis: 'history', restsOnAttributes: false, items };
}

function union(items: ReadonlySet<number>, more: ReadonlySet<number>): ReadonlySet<number> {
  return more.size === 0 ? items : items.union(more);
}
