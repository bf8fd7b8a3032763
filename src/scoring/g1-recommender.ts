// G1 behind the recommender contract: joins the model (its own item indices), the live catalog (public item numbers), cold
// items and cold users. The path of a call: fold the events → score the warm items from history, else attributes, else
// popularity → score the cold items from the warm ones → search the best of the allowed.

import type { G1Model, RelationRows } from '../artifact/g1-model.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { ItemBitmap } from '../catalog/item-set.ts';
import { isIn, sumOver } from '../catalog/item-set.ts';
import { ColdItems } from '../cold-start/cold-items.ts';
import type { Basis, Reason } from '../cold-start/reason.ts';
import { BoundedCache, textBytes } from '../domain/bounded-cache.ts';
import { IdTable } from '../domain/id-table.ts';
import type { Attributes } from '../domain/record.ts';
import { atOnce, type Steps } from '../domain/steps.ts';
import { logPopularityOf } from '../experts/popularity.ts';
import { momentOf } from '../history/moment.ts';
import { type ObjectiveRules, objectiveRulesOf } from '../history/objective-rules.ts';
import type { ScoringHistory, UserSignal } from '../history/user-signal.ts';
import { AllowedWarmItems } from './allowed-warm.ts';
import { addBoosts, type Boost, logBoost, NO_BOOSTS } from './boost.ts';
import { Explainer } from './explain.ts';
import { ListedItems } from './listed-items.ts';
import { RankedScale } from './ranked-scale.ts';
import type { Recommender, RelatedRequest, RelatedResult, ScoredItem, TopRequest, TopResult } from './recommender.ts';
import { RelatedItems } from './related-items.ts';
import { relatedList } from './related-list.ts';
import { ScoreTerms } from './score-terms.ts';
import type { CreateScorer, ScoreOptions, Scorer } from './scorer.ts';
import { TopItems } from './top-items.ts';
import { UserReader, type UserState } from './user-reader.ts';

/** Newest events of a user that are looked at: enough that an item seen long ago is still left out. */
const HISTORY_EVENTS = 10_000;
/** What a call may spend on new items before it answers. */
const FOLLOW_MS = 2;
const NOT_WARM = 0xffff_ffff;
const NOTHING: ReadonlySet<number> = new Set();
/** Ids looked up between two chances to be interrupted. */
const ITEMS_A_STEP = 1000;
/** Answers for users without history that `shares` remembers. */
const SHARES_CACHE_BYTES = 32 * 1024 * 1024;

export interface ItemLayout {
  /** catalog number of warm item m */
  readonly itemOfWarm: Uint32Array;
  readonly coldItems: ColdItems;
}

export class G1Recommender implements Recommender {
  readonly catalog: Catalog;
  readonly historyLimit = HISTORY_EVENTS;
  readonly vectorLength: number;
  readonly objectives: ObjectiveRules;
  /** without its experts: the scorer keeps what it needs of them, the rest may go */
  readonly #model: Omit<G1Model, 'experts'>;
  readonly #scorer: Scorer;
  readonly #reader: UserReader;
  readonly #coldItems: ColdItems;
  readonly #terms: ScoreTerms;
  readonly #explainer: Explainer;
  readonly #logPopularity: Float32Array;
  /** catalog number of warm item m */
  readonly #itemOfWarm: Uint32Array;
  /** warm index by catalog number, NOT_WARM for others */
  #warmOfItem: Uint32Array;
  readonly #scores: Float32Array;
  readonly #top = new TopItems();
  readonly #topWarm = new Uint32Array(512);
  readonly #topScores = new Float32Array(512);
  readonly #allowed: AllowedWarmItems;
  readonly #listed: ListedItems;
  /** null in models of 0.1.0, which know no relations */
  readonly #related: RelatedItems | null;

  constructor(
    model: G1Model,
    catalog: Catalog,
    createScorer: CreateScorer,
    itemOfWarm = atOnce(itemNumberSteps(model, catalog)),
  ) {
    const { experts, ...rest } = model;
    this.#model = { ...rest, itemIds: asTable(model) };
    this.catalog = catalog;
    this.vectorLength = model.vectors.dimensions;
    this.objectives = objectiveRulesOf(model);
    this.#scorer = createScorer(model);
    this.#itemOfWarm = itemOfWarm;
    this.#warmOfItem = new Uint32Array(catalog.itemCount).fill(NOT_WARM);
    for (let warm = 0; warm < model.warmItemCount; warm++) this.#warmOfItem[this.#itemOfWarm[warm]] = warm;
    this.#coldItems = new ColdItems(catalog, this.#itemOfWarm, (item) => this.#warmIndex(item) !== NOT_WARM, {
      isAlwaysIndexed: model.relations?.similar !== undefined,
    });
    this.#terms = new ScoreTerms(this.#model, this.#scorer);
    this.#reader = new UserReader(this.#model, catalog, itemOfWarm, this.#terms);
    this.#allowed = new AllowedWarmItems(itemOfWarm, this.#scorer);
    this.#listed = new ListedItems(catalog, itemOfWarm, model.recordlessItems);
    this.#logPopularity = logPopularityOf(experts, model.warmItemCount);
    this.#explainer = new Explainer(this.#model.itemIds, this.#scorer, this.#terms, this.#logPopularity);
    this.#scores = new Float32Array(model.warmItemCount);
    this.#related = model.relations === undefined ? null : this.#relatedItems(model.relations);
  }

  get itemCount(): number {
    return this.catalog.itemCount;
  }

  /** How the model's items, and those it has not seen, stand in the catalog: for work in bulk over the same scores. */
  get itemLayout(): ItemLayout {
    return { itemOfWarm: this.#itemOfWarm, coldItems: this.#coldItems };
  }

  listed(): ItemBitmap {
    return this.#listed.now();
  }

  get readsAttributes(): boolean {
    return this.#terms.coldUsers !== null;
  }

  unknownContext(context: Attributes): string[] {
    return this.#terms.context?.unknownNames(context) ?? Object.keys(context);
  }

  get settled(): boolean {
    return this.#coldItems.follow(0);
  }

  /** Finishes the work on new items, letting others run in between: call before serving and after the catalog changed. */
  async settle(): Promise<void> {
    await this.#coldItems.settle();
  }

  top(user: UserSignal, request: TopRequest): TopResult {
    this.#coldItems.follow(FOLLOW_MS);
    const limit = Math.max(0, Math.min(request.limit, this.itemCount));
    const allow = request.allow ?? this.listed();
    const state = this.#reader.read(user);
    const exclude = request.exclude ?? this.#hadBy(user);
    const options = this.#scoreOptions(user, state, exclude, request.discovers);
    const { boosts = NO_BOOSTS } = request;
    const fast =
      boosts.length === 0 &&
      state.basis === 'history' &&
      state.lifts.length === 0 &&
      state.disliked === null &&
      this.#coldItems.count === 0 &&
      limit <= this.#topWarm.length;
    const items = fast
      ? this.#topOfWarm(state.history, limit, allow, options)
      : this.#topOfAll(state, limit, allow, { ...options, exclude, boosts });
    return {
      basis: state.basis,
      restsOnAttributes: this.#terms.attributeWeight(state.history.length) > 0,
      items: request.explain === true ? this.#explain(items, state, { ...options, boosts }) : items,
    };
  }

  related(request: RelatedRequest): RelatedResult {
    this.#coldItems.follow(FOLLOW_MS);
    const hadBy = (user: UserSignal) => this.#hadBy(user);
    return relatedList({ recommender: this, related: this.#related, hadBy }, request);
  }

  scoreCandidates(
    user: UserSignal,
    items: ArrayLike<number>,
    out = new Float32Array(items.length),
    boosts: readonly Boost[] = NO_BOOSTS,
  ): Float32Array {
    this.#coldItems.follow(FOLLOW_MS);
    const state = this.#reader.read(user);
    const exclude = this.#hadBy(user);
    const options = this.#scoreOptions(user, state, exclude);
    this.#scoreWarm(state, options);
    const groupScores = this.#coldItems.scoreGroups(this.#scores, lowest(this.#scores));
    const asked = Array.from(items, (item) => this.#warmIndex(item));
    const scale = this.#ranksNow(state, options) ? this.#rankedScale(state, options, this.listed(), exclude) : null;
    const warm = Uint32Array.from(asked.filter((index) => index !== NOT_WARM));
    const ranked = scale === null ? null : this.#rankedScores(state, warm, options);
    const unit = this.#boostUnit(state, scale !== null);
    let next = 0;
    for (let n = 0; n < items.length; n++) {
      if (asked[n] !== NOT_WARM) out[n] = ranked === null ? this.#scores[asked[n]] : ranked[next++];
      else {
        const score = groupScores[this.#coldItems.groupOf(items[n])];
        out[n] = scale === null ? score : scale.of(score);
      }
      if (boosts.length > 0) out[n] += unit * logBoost(boosts, items[n]);
    }
    return out;
  }

  distribution(user: UserSignal, out: Float32Array): Basis {
    this.#coldItems.follow(FOLLOW_MS);
    const state = this.#reader.read(user);
    const seen = this.#hadBy(user);
    this.#scoreOptions(user, state, seen);
    // What a history says is said alone, as in work over all users, where it was calibrated.
    this.#scoreWarm(state.basis === 'history' ? { ...state, lifts: [], disliked: null } : state);
    const allow = this.listed();
    const groupScores = this.#coldItems.scoreGroups(this.#scores, lowest(this.#scores));
    // Scores of cold users are logarithms of shares already.
    const tau = state.basis === 'history' ? this.#model.calibration.tau : 1;
    const eachListed = (visit: (item: number, score: number) => void) => {
      for (let warm = 0; warm < this.#scores.length; warm++) {
        if (isIn(allow, this.#itemOfWarm[warm])) visit(this.#itemOfWarm[warm], this.#scores[warm]);
      }
      for (let place = 0; place < this.#coldItems.count; place++) {
        const item = this.#coldItems.itemAt(place);
        if (isIn(allow, item)) visit(item, groupScores[this.#coldItems.groupAt(place)]);
      }
    };
    // Measured from the best of what takes part: next to a seen item that is far better, the rest would round to nothing.
    let max = Number.NEGATIVE_INFINITY;
    const raise = (score: number) => {
      if (score > max) max = score;
    };
    eachListed((item, score) => seen.has(item) || raise(score));
    // Who has seen everything can only come back.
    const hasSeenAll = max === Number.NEGATIVE_INFINITY;
    if (hasSeenAll) eachListed((_, score) => raise(score));
    out.fill(0);
    let mass = 0;
    eachListed((item, score) => {
      if (seen.has(item) && !hasSeenAll) return;
      out[item] = Math.exp(tau * (score - max));
      mass += out[item];
    });
    if (mass > 0) for (let item = 0; item < this.itemCount; item++) out[item] /= mass;
    return state.basis;
  }

  shares(sets: readonly ItemBitmap[]): (user: UserSignal, out: Float32Array) => Basis {
    const spread = new Float32Array(this.itemCount);
    // Users who have seen nothing and share their attributes (or have none) share the answer too.
    const known = new BoundedCache<string, Float32Array>({
      name: 'shares',
      maxBytes: SHARES_CACHE_BYTES,
      bytesOf: (shares, key) => textBytes(key) + shares.byteLength,
    });
    return (user, out) => {
      const { basis, lifts, disliked } = this.#reader.read(user);
      const isShared = basis !== 'history' && disliked === null && this.#reader.seenBy(user).size === 0;
      const key = isShared ? lifts.map(({ features }) => features.join(' ')).join() : null;
      const kept = key === null ? undefined : known.get(key);
      if (kept !== undefined) {
        out.set(kept);
        return basis;
      }
      this.distribution(user, spread);
      for (const [n, set] of sets.entries()) out[n] = Math.min(1, sumOver(set, spread));
      if (key !== null) known.set(key, out.slice(0, sets.length));
      return basis;
    };
  }

  userVector(user: UserSignal, out: Float32Array): Basis {
    const { dimensions, values } = this.#model.vectors;
    const { history, basis } = this.#reader.read(user);
    out.fill(0, 0, dimensions);
    for (let n = 0; n < history.length; n++) {
      const start = history.items[n] * dimensions;
      for (let d = 0; d < dimensions; d++) out[d] += history.weights[n] * values[start + d];
    }
    let squares = 0;
    for (let d = 0; d < dimensions; d++) squares += out[d] * out[d];
    if (squares > 0) for (let d = 0; d < dimensions; d++) out[d] /= Math.sqrt(squares);
    return basis;
  }

  likeness(item: number, other: number): number {
    const warm = this.#warmIndex(item);
    const otherWarm = this.#warmIndex(other);
    if (warm === NOT_WARM || otherWarm === NOT_WARM) return 0;
    const { dimensions, values } = this.#model.vectors;
    let product = 0;
    let squares = 0;
    let otherSquares = 0;
    for (let d = 0; d < dimensions; d++) {
      const a = values[warm * dimensions + d];
      const b = values[otherWarm * dimensions + d];
      product += a * b;
      squares += a * a;
      otherSquares += b * b;
    }
    return squares > 0 && otherSquares > 0 ? product / Math.sqrt(squares * otherSquares) : 0;
  }

  memoryBytes(): number {
    const arrays = [this.#itemOfWarm, this.#warmOfItem, this.#scores, this.#logPopularity];
    const own = arrays.reduce((sum, array) => sum + array.byteLength, 0);
    return (
      own +
      this.#listed.memoryBytes() +
      this.#scorer.memoryBytes() +
      this.#reader.memoryBytes() +
      this.#terms.memoryBytes() +
      this.#coldItems.memoryBytes() +
      (this.#related?.memoryBytes() ?? 0)
    );
  }

  /** Items that are not for this user any more. */
  #hadBy(user: UserSignal): ReadonlySet<number> {
    return this.#model.repeats.recommendSeen ? NOTHING : this.#reader.seenBy(user);
  }

  #scoreWarm(state: UserState, options: ScoreOptions = {}): void {
    const { basis, history } = state;
    if (basis === 'history') this.#scorer.scoreAll(history, this.#scores, options);
    else this.#scores.set(this.#logPopularity);
    this.#terms.addTo(this.#scores, state);
  }

  /** The scorer's own search, for the common case: a user with history, no cold items. */
  #topOfWarm(history: ScoringHistory, limit: number, allow: ItemBitmap, options: ScoreOptions): ScoredItem[] {
    const { words, few } = this.#allowed.of(allow, this.listed());
    const search = { ...options, allow: words, few };
    const count = this.#scorer.top(history, limit, search, { items: this.#topWarm, scores: this.#topScores });
    const items: ScoredItem[] = [];
    for (let n = 0; n < count; n++) items.push(this.#scored(this.#topScores[n], this.#topWarm[n]));
    return items;
  }

  #topOfAll(
    state: UserState,
    limit: number,
    allow: ItemBitmap,
    { exclude, boosts, ...options }: ScoreOptions & { exclude: ReadonlySet<number>; boosts: readonly Boost[] },
  ): ScoredItem[] {
    this.#scoreWarm(state, options);
    const warmCount = this.#scores.length;
    const cold = this.#coldItems.count;
    const groupScores = cold > 0 ? this.#coldItems.scoreGroups(this.#scores, lowest(this.#scores)) : this.#scores;
    // After the groups, whose scores are those of their neighbors without what the call multiplies.
    const unit = this.#boostUnit(state, false);
    addBoosts(this.#scores, boosts, this.#warmOfItem, unit);
    let scale: RankedScale | null = null;
    const ranked: [score: number, rank: number][] = [];
    if (this.#ranksNow(state, options)) {
      const most = Math.max(limit, this.#scorer.candidates(options));
      const warm = this.#bestWarm(most, allow, exclude);
      const scores = this.#rankedScores(state, warm, options);
      const logs = Array.from(warm, (index) => logBoost(boosts, this.#itemOfWarm[index]));
      scale = new RankedScale(
        Array.from(warm, (index, n) => this.#scores[index] - unit * logs[n]),
        scores,
      );
      for (const [n, index] of warm.entries()) ranked.push([scores[n] + logs[n], index]);
    }
    const top = this.#top;
    top.start(limit);
    const listed = this.listed();
    const consider = (score: number, rank: number) => {
      if (score < top.threshold || !top.admits(score, rank)) return;
      const item = this.#itemOfRank(rank);
      if (isIn(allow, item) && isIn(listed, item) && !exclude.has(item)) top.offer(score, rank);
    };
    if (scale === null) for (let warm = 0; warm < warmCount; warm++) consider(this.#scores[warm], warm);
    else for (const [score, rank] of ranked) consider(score, rank);
    for (let place = 0; place < cold; place++) {
      const score = groupScores[this.#coldItems.groupAt(place)];
      const log = logBoost(boosts, this.#coldItems.itemAt(place));
      consider(scale === null ? score + unit * log : scale.of(score) + log, warmCount + place);
    }
    const items: ScoredItem[] = [];
    top.drain((score, rank) => items.push(this.#scored(score, rank)));
    return items;
  }

  /** The best warm items by the scores at hand. */
  #bestWarm(count: number, allow: ItemBitmap, exclude: ReadonlySet<number>): Uint32Array {
    const top = this.#top;
    const listed = this.listed();
    top.start(Math.min(count, this.#scores.length));
    for (let warm = 0; warm < this.#scores.length; warm++) {
      const score = this.#scores[warm];
      if (score < top.threshold || !top.admits(score, warm)) continue;
      const item = this.#itemOfWarm[warm];
      if (isIn(allow, item) && isIn(listed, item) && !exclude.has(item)) top.offer(score, warm);
    }
    const found: number[] = [];
    top.drain((_, warm) => found.push(warm));
    return Uint32Array.from(found);
  }

  #ranksNow({ basis }: UserState, options: ScoreOptions): boolean {
    return basis === 'history' && this.#scorer.candidates(options) > 0;
  }

  /** Scores of warm items by the ranker, with all that joins them; after `#scoreWarm`. */
  #rankedScores(state: UserState, warm: Uint32Array, options: ScoreOptions): Float32Array {
    const scores = new Float32Array(warm.length);
    this.#scorer.scoreItems(state.history, warm, options, scores);
    if (state.lifts.length === 0 && state.disliked === null) return scores;
    // Scores of the ranker are logarithms of probabilities, as those of the blend are once multiplied by τ.
    const { tau } = this.#model.calibration;
    const joined = new Float32Array(this.#scores.length);
    this.#terms.addTo(joined, state);
    for (const [n, index] of warm.entries()) scores[n] += tau * joined[index];
    return scores;
  }

  /** What places items without a score of the ranker among those with one; after `#scoreWarm`. */
  #rankedScale(state: UserState, options: ScoreOptions, allow: ItemBitmap, exclude: ReadonlySet<number>): RankedScale {
    const warm = this.#bestWarm(this.#scorer.candidates(options), allow, exclude);
    return new RankedScale(
      Array.from(warm, (index) => this.#scores[index]),
      this.#rankedScores(state, warm, options),
    );
  }

  #scored(score: number, rank: number): ScoredItem {
    const item = this.#itemOfRank(rank);
    return { item, item_id: this.catalog.itemId(item), score };
  }

  /** What decides between equal scores: warm items in the model's order, then cold ones in the order they came. */
  #itemOfRank(rank: number): number {
    const warmCount = this.#itemOfWarm.length;
    return rank < warmCount ? this.#itemOfWarm[rank] : this.#coldItems.itemAt(rank - warmCount);
  }

  #explain(
    items: readonly ScoredItem[],
    state: UserState,
    { boosts, ...options }: ScoreOptions & { boosts: readonly Boost[] },
  ): ScoredItem[] {
    const unit = this.#boostUnit(state, this.#ranksNow(state, options));
    const gains = items.map(({ item }) => unit * logBoost(boosts, item));
    const explained = items.map(({ item, score: boosted }, n) => {
      const score = boosted - gains[n];
      const warm = this.#warmIndex(item);
      const sources = warm === NOT_WARM ? this.#coldItems.neighboursOf(this.#coldItems.groupOf(item)) : [warm];
      return { score, sources };
    });
    const termScale = this.#ranksNow(state, options) ? this.#model.calibration.tau : 1;
    const reasons = this.#explainer.reasons(state, explained, { ...options, termScale });
    return items.map((item, n) => ({ ...item, reasons: withBoost(reasons[n], gains[n]) }));
  }

  /** What the logarithm of a factor is worth on the scale of the scores. Those of cold users and of a ranker are logarithms already. */
  #boostUnit({ basis }: UserState, isRanked: boolean): number {
    return basis === 'history' && !isRanked ? 1 / this.#model.calibration.tau : 1;
  }

  /** Marks what is excluded in the history, and collects what is excluded besides it. */
  #scoreOptions(
    user: UserSignal,
    { history }: UserState,
    exclude: ReadonlySet<number>,
    discovers?: boolean,
  ): ScoreOptions {
    let marked = 0;
    for (let n = 0; n < history.length; n++) {
      const isExcluded = exclude.has(this.#itemOfWarm[history.items[n]]);
      history.seen[n] = isExcluded ? 1 : 0;
      if (isExcluded) marked++;
    }
    // Where all of the user's own items are left out, only what is new is asked for.
    const isForNew = discovers ?? (history.length > 0 && marked === history.length);
    const now = user.nowMs === undefined ? 'arriving' : momentOf(user, user.nowMs);
    const forNew = now === 'browsing' ? 'discovering_browsing' : 'discovering';
    const moment = isForNew && this.objectives.auto === 'any' ? forNew : now;
    if (marked === exclude.size) return { moment };
    const inHistory = new Set(history.items.subarray(0, history.length));
    const elsewhere: number[] = [];
    for (const item of exclude) {
      const warm = this.#warmIndex(item);
      if (warm !== NOT_WARM && !inHistory.has(warm)) elsewhere.push(warm);
    }
    return { moment, excluded: Uint32Array.from(elsewhere) };
  }

  #relatedItems(relations: RelationRows): RelatedItems {
    return new RelatedItems({
      ...{ relations, coldItems: this.#coldItems, itemOfWarm: this.#itemOfWarm },
      warmOf: (item) => (this.#warmIndex(item) === NOT_WARM ? -1 : this.#warmIndex(item)),
      popularity: this.#logPopularity.map(Math.exp),
    });
  }

  #warmIndex(item: number): number {
    return item < this.#warmOfItem.length ? this.#warmOfItem[item] : NOT_WARM;
  }
}

/** Makes the model's items known to the catalog; answers the catalog's numbers of the warm ones. */
export function* itemNumberSteps({ itemIds, warmItemCount }: G1Model, catalog: Catalog): Steps<Uint32Array> {
  const itemOfWarm = new Uint32Array(warmItemCount);
  for (let index = 0; index < itemIds.length; index++) {
    const item = catalog.intern(itemIds.at(index)!);
    if (index < warmItemCount) itemOfWarm[index] = item;
    if (index % ITEMS_A_STEP === 0) yield;
  }
  return itemOfWarm;
}

function asTable({ itemIds }: G1Model): IdTable {
  if (itemIds instanceof IdTable) return itemIds;
  const table = new IdTable();
  for (let index = 0; index < itemIds.length; index++) table.intern(itemIds.at(index)!);
  return table;
}

function withBoost(reasons: readonly Reason[], contribution: number): readonly Reason[] {
  if (contribution === 0) return reasons;
  return [...reasons, { kind: 'boost', contribution } as const].sort((a, b) => b.contribution - a.contribution);
}

/** 0 when there are none. */
function lowest(scores: Float32Array): number {
  let lowest = scores.length === 0 ? 0 : scores[0];
  for (let warm = 1; warm < scores.length; warm++) if (scores[warm] < lowest) lowest = scores[warm];
  return lowest;
}
