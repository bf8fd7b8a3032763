// The list that starts from items, for everybody or in a user's order: what goes with the items (related-items.ts), of that what
// may be listed, and with a user what the user likes best of more candidates than the list has places. A model of 0.1.0 knows no relations: it returns what a
// user would get who had a target event with each of the items.

import { isIn } from '../catalog/item-set.ts';
import type { UserSignal } from '../history/user-signal.ts';
import { boostFactor, largestFactor, NO_BOOSTS } from './boost.ts';
import type { Reason } from './reason.ts';
import type { Recommender, RelatedRequest, RelatedResult, ScoredItem } from './recommender.ts';
import type { RelatedItems } from './related-items.ts';

/** A user's list is chosen from so many related items, and from this many for each of its places. */
const LEAST_CANDIDATES = 100;
const CANDIDATES_PER_PLACE = 2;
/** What the user's taste counts for, next to a relation that counts 1 at most. */
const TASTE_WEIGHT = 0.3;
const NOTHING: ReadonlySet<number> = new Set();

export interface RelatedListParts {
  readonly recommender: Pick<Recommender, 'catalog' | 'listed' | 'top' | 'scoreCandidates' | 'objectives'>;
  /** null: the model knows no relations */
  readonly related: RelatedItems | null;
}

export function relatedList({ recommender, related }: RelatedListParts, request: RelatedRequest): RelatedResult {
  if (related === null) return { relation: 'similar', items: byTaste(recommender, request) };
  const { items, limit, user = null, exclude = NOTHING, boosts = NO_BOOSTS } = request;
  const listed = recommender.listed();
  const allow = request.allow ?? listed;
  const question = {
    items,
    relation: request.relation,
    limit: user === null ? limit : Math.max(LEAST_CANDIDATES, CANDIDATES_PER_PLACE * limit),
    allow,
    isAllowed: (item: number) => isIn(allow, item) && isIn(listed, item) && !exclude.has(item),
    ...(boosts.length > 0 && {
      factors: { of: (item: number) => boostFactor(boosts, item), most: largestFactor(boosts) },
    }),
  };
  const found = related.top(question);
  const tastes = user === null ? null : tasteOf(recommender, user, found.items, request);
  const reasons = request.explain === true ? related.reasons(question, found.items) : null;
  const scored = found.items.map(({ item, score, factor }, n): ScoredItem => {
    const taste = tastes?.[n] ?? 0;
    const plain = score + taste;
    const one = { item, item_id: recommender.catalog.itemId(item), score: plain * factor };
    if (reasons === null) return one;
    return { ...one, reasons: inWords(recommender, items, { ...reasons[n], taste, boost: plain * (factor - 1) }) };
  });
  if (tastes !== null) scored.sort((a, b) => b.score - a.score);
  return { relation: found.relation, items: scored.slice(0, limit) };
}

function byTaste(recommender: RelatedListParts['recommender'], request: RelatedRequest): ScoredItem[] {
  const { items, limit, allow, exclude = NOTHING, boosts, explain } = request;
  const event = { event_type: recommender.objectives.targetEventType, event_value: 1, ts: 0 };
  const history = items.map((item) => ({ ...event, item_id: recommender.catalog.itemId(item) }));
  return recommender.top(
    { history, attributes: {} },
    { limit, allow, exclude: new Set([...items, ...exclude]), boosts, explain },
  ).items;
}

/** How much the user likes each item compared with the others, from 0 to TASTE_WEIGHT. */
function tasteOf(
  recommender: RelatedListParts['recommender'],
  user: UserSignal,
  found: readonly { readonly item: number }[],
  { discovers }: Pick<RelatedRequest, 'discovers'>,
): Float32Array {
  const scores = recommender.scoreCandidates(
    user,
    found.map(({ item }) => item),
    { discovers },
  );
  const least = scores.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
  const most = scores.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
  return scores.map((score) => (most > least ? (TASTE_WEIGHT * (score - least)) / (most - least) : 0));
}

/** Returns the largest contributions first. */
function inWords(
  { catalog }: RelatedListParts['recommender'],
  items: readonly number[],
  { parts, popularity, taste, boost }: { parts: readonly number[]; popularity: number; taste: number; boost: number },
): Reason[] {
  const reasons: Reason[] = items.map((item, n) => ({
    kind: 'related' as const,
    item_id: catalog.itemId(item),
    contribution: parts[n],
  }));
  reasons.push({ kind: 'popularity', contribution: popularity }, { kind: 'taste', contribution: taste });
  reasons.push({ kind: 'boost', contribution: boost });
  return reasons.filter(({ contribution }) => contribution !== 0).sort((a, b) => b.contribution - a.contribution);
}
