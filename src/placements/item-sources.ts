// Sources that do not start from what a model makes of a user: items that go with items, a given set of items, a top list.
import { TopItems } from '../base/top-items.ts';
import { isIn } from '../catalog/item-set.ts';
import type { Relation } from '../domain/relation.ts';
import type { UserSignal } from '../history/user-signal.ts';
import { type Boost, boostFactor, largestFactor, NO_BOOSTS } from '../scoring/boost.ts';
import type { Recommender, RelatedResult, ScoredItem } from '../scoring/recommender.ts';
import type { Found, Search, Source } from './item-list.ts';

export interface RelatedSourceQuestion {
  readonly generator: Recommender;
  /** catalog numbers, at least one */
  readonly items: readonly number[];
  readonly relation: Relation;
  /** the user whose taste orders the items; null if there is no user */
  readonly user: UserSignal | null;
  /** whether only what is new to the user is wanted */
  readonly discovers: boolean;
}

/** The relation of the list is stored in `follows`. */
export function relatedSource(question: RelatedSourceQuestion, follows: (relation: Relation) => void): Source {
  const { generator, items, relation, user, discovers } = question;
  return ({ room, ...search }) => {
    const found: RelatedResult = generator.related({ ...search, items, relation, user, discovers, limit: room });
    follows(found.relation);
    const restsOnAttributes = user !== null && generator.readsAttributes;
    return { basis: user === null ? 'popularity' : 'history', restsOnAttributes, items: found.items };
  };
}

export interface GivenSourceQuestion {
  readonly generator: Recommender;
  /** its scores order the items; null if there is none */
  readonly ranker: Recommender | null;
  readonly user: UserSignal;
  /** whether only what is new to the user is wanted */
  readonly discovers: boolean;
  /** catalog numbers of the items */
  readonly items: readonly number[];
}

/** The given items in the order for the user. */
export function givenSource({ generator, ranker, user, discovers, items }: GivenSourceQuestion): Source {
  return (search) => {
    const isAllowed = allows(generator, search);
    const allowed = items.filter(isAllowed);
    const scores = (ranker ?? generator).scoreCandidates(user, allowed, { boosts: search.boosts, discovers });
    const scored = allowed.map((item, n) => ({ item, item_id: generator.catalog.itemId(item), score: scores[n] }));
    // Stable: of equal scores the one given first comes first.
    return foundOf(scored.sort((a, b) => b.score - a.score).slice(0, search.room));
  };
}

/** Items of a top list, best first. */
export interface CountedItems {
  /** catalog numbers of the items */
  readonly items: ArrayLike<number>;
  /** 0 or greater; larger is better */
  readonly scores: ArrayLike<number>;
}

type ListedCatalog = Pick<Recommender, 'catalog' | 'listed'>;

/** Items of a top list; boosts multiply their scores. */
export function topSource(listing: ListedCatalog, { items, scores }: CountedItems): Source {
  const scored = (place: number, score: number): ScoredItem => {
    const item = items[place];
    return { item, item_id: listing.catalog.itemId(item), score };
  };
  const boosted = new BoostedScores();
  return ({ room, boosts, ...search }) => {
    const isAllowed = allows(listing, search);
    const found: ScoredItem[] = [];
    if (boosts.length === 0) {
      for (let place = 0; place < items.length && found.length < room; place++) {
        if (isAllowed(items[place])) found.push(scored(place, scores[place]));
      }
      return foundOf(found);
    }
    const known = boosted.of(items.length, boosts);
    const best = new TopItems();
    best.start(room);
    const most = largestFactor(boosts);
    for (let place = 0; place < items.length; place++) {
      // No boost brings the rest of the list in.
      if (scores[place] * most < best.threshold) break;
      if (known[place] < best.threshold || !isAllowed(items[place])) continue;
      if (Number.isNaN(known[place])) known[place] = scores[place] * boostFactor(boosts, items[place]);
      best.offer(known[place], place);
    }
    best.drain((score, place) => found.push(scored(place, score)));
    return foundOf(found);
  };
}

/** Scores with boosts by place, each computed once: caps search a list many times with the same boosts. */
class BoostedScores {
  #boosts: readonly Boost[] = NO_BOOSTS;
  #scores = new Float64Array(0);

  /** NaN where no search has needed the score yet. */
  of(places: number, boosts: readonly Boost[]): Float64Array {
    if (this.#boosts !== boosts) this.#scores = new Float64Array(places).fill(Number.NaN);
    this.#boosts = boosts;
    return this.#scores;
  }
}

/** Whether an item may be listed; an item that is not in the catalog has a number below 0. */
export function allows(
  generator: ListedCatalog,
  { allow, exclude }: Pick<Search, 'allow' | 'exclude'>,
): (item: number) => boolean {
  const listed = generator.listed();
  return (item) => item >= 0 && isIn(listed, item) && (allow === null || isIn(allow, item)) && !exclude.has(item);
}

function foundOf(items: readonly ScoredItem[]): Found {
  return { basis: 'popularity', restsOnAttributes: true, items };
}
