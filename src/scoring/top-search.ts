// The best items for a user: filter, exclusions and boosts inside the search. With a ranker, it orders the best of the blend, and
// new items join them where their blend score puts them.
// Belongs to one thread; what it found is overwritten by the next search.

import { TopItems } from '../base/top-items.ts';
import { type ItemBitmap, isIn } from '../catalog/item-set.ts';
import type { ColdItems } from '../cold-start/cold-items.ts';
import { AllowedWarmItems } from './allowed-warm.ts';
import { BestOfAll, MAX_BEST } from './best-of-all.ts';
import { type Boost, logBoost, WarmBoosts } from './boost.ts';
import { ColdSearch } from './cold-search.ts';
import type { ListedItems } from './listed-items.ts';
import { RankedScale } from './ranked-scale.ts';
import { RANKED_AT_ONCE, type Scorer } from './scorer.ts';
import type { ItemNumbers, ScoreQuestion, UserScores } from './user-scores.ts';
import type { WarmItems } from './warm-items.ts';

/** Longer lists search all scores. No list that a call pages through is that long (placements/page-token.ts). */
const MAX_FAST = MAX_BEST;

export interface TopSearchParts {
  readonly scorer: Scorer;
  readonly scores: UserScores;
  readonly items: WarmItems;
  readonly coldItems: ColdItems;
  readonly listed: ListedItems;
}

export interface ItemSearch {
  readonly limit: number;
  /** only these of the listed items may be found */
  readonly allow: ItemBitmap;
  readonly boosts: readonly Boost[];
}

/** Terms added to the blend of warm items besides the history: the logarithm of a factor times `unit`, and `joined`. */
interface Joined {
  readonly unit: number;
  readonly joined: Float32Array | null;
}

export class TopSearch {
  /** catalog numbers of what was found, best first */
  items = new Uint32Array(MAX_FAST);
  scores = new Float64Array(MAX_FAST);
  readonly #parts: TopSearchParts;
  /** cached sets of allowed warm items, by filter */
  readonly #allowed: AllowedWarmItems;
  readonly #top = new TopItems();
  readonly #boosts: WarmBoosts;
  readonly #cold: ColdSearch;
  /** made when it is first needed */
  #best: BestOfAll | null = null;

  constructor(parts: TopSearchParts) {
    this.#parts = parts;
    this.#allowed = new AllowedWarmItems(parts.items.numbers, parts.scorer);
    this.#boosts = new WarmBoosts(parts.items);
    this.#cold = new ColdSearch(parts.coldItems);
  }

  /** Returns how many were found. */
  find(question: ScoreQuestion, search: ItemSearch): number {
    if (search.limit > this.items.length) {
      this.items = new Uint32Array(search.limit);
      this.scores = new Float64Array(search.limit);
    }
    const { basis, lifts, disliked } = question.state;
    const isPlain = basis === 'history' && lifts.length === 0 && disliked === null && search.boosts.length === 0;
    // The scorer's own search orders no more by a ranker.
    const most = this.#parts.scores.isRanked(question) ? RANKED_AT_ONCE : MAX_FAST;
    return isPlain && this.#parts.coldItems.count === 0 && search.limit <= most
      ? this.#amongWarm(question, search)
      : this.#amongAll(question, search);
  }

  /** The scale that places items without a ranker's score among those with one. Call it after scoring the user. */
  rankedScale(question: ScoreQuestion, allow: ItemBitmap): RankedScale {
    const { scorer, scores } = this.#parts;
    const warm = this.#bestWarm(scorer.candidates(question.options), allow, question.exclude);
    const joined = scores.joined(question);
    return new RankedScale(
      Array.from(warm, (index) => scores.warm[index] - (joined?.[index] ?? 0)),
      scores.ranked(question, warm, null),
    );
  }

  memoryBytes(): number {
    return this.#best?.memoryBytes() ?? 0;
  }

  /** The scorer's own search, for the common case: a user with history, no cold items. */
  #amongWarm({ state, options }: ScoreQuestion, { limit, allow }: ItemSearch): number {
    const { scorer, listed, items } = this.#parts;
    const { moment, excluded } = options;
    const { words, few } = this.#allowed.of(allow, listed.now());
    const count = scorer.top(state.history, limit, { moment, excluded, allow: words, few }, this);
    for (let n = 0; n < count; n++) this.items[n] = items.numbers[this.items[n]];
    return count;
  }

  #amongAll(question: ScoreQuestion, search: ItemSearch): number {
    const { scores, items, coldItems } = this.#parts;
    const { limit, boosts } = search;
    scores.score(question);
    const isRanked = scores.isRanked(question);
    const joined = isRanked ? scores.joined(question) : null;
    const unit = scores.boostUnit(question.state, false);
    // Cold items score what their neighbors do without what the call multiplies.
    const plain = boosts.length > 0 && coldItems.count > 0 ? scores.warm.slice() : scores.warm;
    this.#boosts.addTo(scores.warm, boosts, unit);
    const top = this.#top;
    const ranked = isRanked ? this.#rank(question, search, { unit, joined }) : null;
    const best = ranked === null ? this.#bestWarm(limit, search.allow, question.exclude) : [];
    top.start(limit, (rank, other) => this.#compareRanks(rank, other));
    for (const warm of best) top.offer(scores.warm[warm], warm);
    for (const [score, warm] of ranked?.best ?? []) top.offer(score, warm);
    if (coldItems.count > 0) {
      this.#cold.offer(top, {
        groups: scores.groups(joined, plain),
        warm: plain,
        joined,
        rankedUnit: scores.rankedUnit,
        scale: ranked?.scale ?? null,
        boosts,
        boostUnit: ranked === null ? unit : 1,
        firstRank: items.count,
        above: (all, least) => this.#ofAll().above(all, least),
        allow: search.allow,
        mayBeListed: this.#filter(search.allow, question.exclude),
      });
    }
    let count = 0;
    top.drain((score, rank) => {
      this.items[count] = this.#itemOfRank(rank);
      this.scores[count++] = score;
    });
    return count;
  }

  /** The blend's best warm items with their scores by the ranker; after the user's scores, boosts included. */
  #rank(question: ScoreQuestion, { limit, allow, boosts }: ItemSearch, { unit, joined }: Joined) {
    const { scorer, scores, items } = this.#parts;
    const warm = this.#bestWarm(Math.max(limit, scorer.candidates(question.options)), allow, question.exclude);
    const ranked = scores.ranked(question, warm, joined);
    const logs = Array.from(warm, (index) => logBoost(boosts, items.numbers[index]));
    const scale = new RankedScale(
      Array.from(warm, (index, n) => scores.warm[index] - unit * logs[n] - (joined?.[index] ?? 0)),
      Array.from(warm, (index, n) => ranked[n] - scores.rankedUnit * (joined?.[index] ?? 0)),
    );
    return { scale, best: Array.from(warm, (index, n): [number, number] => [ranked[n] + logs[n], index]) };
  }

  /** Returns the best warm items by the current scores. */
  #bestWarm(count: number, allow: ItemBitmap, exclude: ItemNumbers): Uint32Array {
    const { scores, items, listed } = this.#parts;
    const limit = Math.min(count, items.count);
    if (limit <= MAX_BEST) {
      const { words } = this.#allowed.of(allow, listed.now());
      return this.#ofAll().find(scores.warm, { limit, allow: words, hidden: items.indicesOf(exclude) });
    }
    this.#top.start(limit);
    this.#offerWarm(this.#filter(allow, exclude));
    const found: number[] = [];
    this.#top.drain((_, warm) => found.push(warm));
    return Uint32Array.from(found);
  }

  #ofAll(): BestOfAll {
    this.#best ??= new BestOfAll(this.#parts.items.count);
    return this.#best;
  }

  /** Offers all warm items by the current scores. Nearly all of them cost a single comparison with a local variable. */
  #offerWarm(mayBeListed: (item: number) => boolean): void {
    const { warm: scores } = this.#parts.scores;
    const { numbers } = this.#parts.items;
    const top = this.#top;
    let { threshold } = top;
    for (let warm = 0; warm < scores.length; warm++) {
      const score = scores[warm];
      if (score < threshold || !top.admits(score, warm) || !mayBeListed(numbers[warm])) continue;
      top.offer(score, warm);
      threshold = top.threshold;
    }
  }

  #filter(allow: ItemBitmap, exclude: ItemNumbers): (item: number) => boolean {
    const listed = this.#parts.listed.now();
    return (item) => isIn(allow, item) && isIn(listed, item) && !exclude.has(item);
  }

  /** Breaks ties between equal scores: warm items in the model's order, then cold ones in theirs. */
  #compareRanks(rank: number, other: number): number {
    const { items, coldItems } = this.#parts;
    const isCold = rank >= items.count && other >= items.count;
    return isCold ? coldItems.order.compare(rank - items.count, other - items.count) : rank - other;
  }

  /** Warm items have the first ranks, cold ones follow in the order they came. */
  #itemOfRank(rank: number): number {
    const { items, coldItems } = this.#parts;
    return rank < items.count ? items.numbers[rank] : coldItems.itemAt(rank - items.count);
  }
}
