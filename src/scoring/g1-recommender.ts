// G1 behind the recommender contract: joins the model (its own item indices), the live catalog (public item numbers), cold
// items and cold users. The path of a call: fold the events → score the warm items from history, else attributes, else
// popularity (user-scores.ts) → search the best of the allowed (top-search.ts) → put cold items among them (cold-search.ts).
import type { G1Model } from '../artifact/g1-model.ts';
import { atOnce } from '../base/steps.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { ItemBitmap } from '../catalog/item-set.ts';
import { ColdItems } from '../cold-start/cold-items.ts';
import type { Attributes } from '../domain/record.ts';
import { type ObjectiveRules, objectiveRulesOf } from '../history/objective-rules.ts';
import { HISTORY_EVENTS, type UserSignal } from '../history/user-signal.ts';
import { NO_BOOSTS } from './boost.ts';
import { ColumnSearch } from './column-search.ts';
import { Explainer } from './explain.ts';
import { explainList } from './explain-list.ts';
import { givenScores } from './given-scores.ts';
import { ListedItems } from './listed-items.ts';
import { type ModelParts, modelSteps } from './model-steps.ts';
import type { Basis } from './reason.ts';
import type { Recommender, RelatedRequest, RelatedResult, ScoredItem, TopRequest, TopResult } from './recommender.ts';
import { RelatedItems } from './related-items.ts';
import { relatedList } from './related-list.ts';
import { ScoreTerms } from './score-terms.ts';
import type { CreateScorer, Scorer } from './scorer.ts';
import { vectorLikeness, writeUserVector } from './taste-vectors.ts';
import { TopSearch } from './top-search.ts';
import { UserDistribution } from './user-distribution.ts';
import { UserReader } from './user-reader.ts';
import { UserScores } from './user-scores.ts';
import { NOT_WARM, type WarmItems } from './warm-items.ts';

/** How long a call may work on new items before it returns. */
const FOLLOW_MS = 2;

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
  /** the model without its experts: the scorer keeps what it needs of them, and the rest can be freed */
  readonly #model: Omit<G1Model, 'experts'>;
  readonly #scorer: Scorer;
  readonly #reader: UserReader;
  readonly #items: WarmItems;
  readonly #coldItems: ColdItems;
  readonly #terms: ScoreTerms;
  readonly #scores: UserScores;
  readonly #search: TopSearch;
  readonly #distribution: UserDistribution;
  readonly #explainer: Explainer;
  readonly #logPopularity: Float32Array;
  readonly #listed: ListedItems;
  /** null in models of 0.1.0, which know no relations */
  readonly #related: RelatedItems | null;
  #columnSearch: ColumnSearch | null = null;

  constructor(
    model: G1Model,
    catalog: Catalog,
    createScorer: CreateScorer,
    parts: ModelParts = atOnce(modelSteps(model, catalog)),
  ) {
    const { experts: _, ...rest } = model;
    this.#model = rest;
    this.catalog = catalog;
    this.vectorLength = model.vectors.dimensions;
    this.objectives = objectiveRulesOf(model);
    this.#scorer = createScorer(model);
    this.#items = parts.items;
    const { numbers: itemOfWarm } = parts.items;
    this.#coldItems = new ColdItems(catalog, itemOfWarm, (item) => this.#items.has(item), {
      isAlwaysIndexed: model.relations?.similar !== undefined,
    });
    this.#terms = new ScoreTerms(this.#model, this.#scorer);
    const indexOfItem = (item: number) => this.#items.indexOf(item);
    const itemIds = this.#items.idsBy(catalog);
    this.#reader = new UserReader({ ...this.#model, itemIds, indexOfItem }, catalog, itemOfWarm, this.#terms);
    this.#listed = new ListedItems(catalog, itemOfWarm, model.recordlessItems);
    this.#logPopularity = parts.logPopularity;
    this.#explainer = new Explainer(this.#model.itemIds, this.#scorer, this.#terms, this.#logPopularity);
    const used = { scorer: this.#scorer, reader: this.#reader, items: this.#items, coldItems: this.#coldItems };
    this.#scores = new UserScores({
      ...used,
      model: this.#model,
      objectives: this.objectives,
      terms: this.#terms,
      logPopularity: this.#logPopularity,
    });
    this.#search = new TopSearch({ ...used, scores: this.#scores, listed: this.#listed });
    this.#distribution = new UserDistribution({ ...used, scores: this.#scores, calibration: model.calibration });
    this.#related = this.#relatedItems(parts);
  }

  get itemCount(): number {
    return this.catalog.itemCount;
  }

  /** The positions of the model's items and of new items in the catalog, for bulk work over the same scores. */
  get itemLayout(): ItemLayout {
    return { itemOfWarm: this.#items.numbers, coldItems: this.#coldItems };
  }

  listed(): ItemBitmap {
    return this.#listed.now();
  }

  isTakenOnce(item: number): boolean {
    return this.#items.has(item) && this.#model.onceItems?.[this.#items.indexOf(item)] === 1;
  }

  popularityOf(item: number): number {
    return this.#items.has(item) ? Math.exp(this.#logPopularity[this.#items.indexOf(item)]) : 0;
  }

  get readsAttributes(): boolean {
    return this.#terms.coldUsers !== null;
  }

  restsOnAttributes(user: UserSignal): boolean {
    return this.readsAttributes && this.#terms.attributeWeight(this.#reader.read(user).history.length) > 0;
  }

  unknownContext(context: Attributes): string[] {
    return this.#terms.context?.unknownNames(context) ?? Object.keys(context);
  }

  get settled(): boolean {
    return this.#coldItems.follow(0);
  }

  /** Finishes the work on new items, in steps between which others run. Call it before serving and after the catalog changed. */
  async settle(): Promise<void> {
    await this.#coldItems.settle();
  }

  top(user: UserSignal, request: TopRequest): TopResult {
    this.#coldItems.follow(FOLLOW_MS);
    const { boosts = NO_BOOSTS } = request;
    const question = this.#scores.ask(user, request.exclude, request.discovers);
    const limit = Math.max(0, Math.min(request.limit, this.itemCount));
    const count = this.#search.find(question, { limit, allow: request.allow ?? this.listed(), boosts });
    const items = this.#found(count);
    const { basis, history } = question.state;
    return {
      basis,
      restsOnAttributes: this.#terms.attributeWeight(history.length) > 0,
      items: request.explain === true ? explainList(this.#parts, items, question, boosts) : items,
    };
  }

  columnSearch(): ColumnSearch {
    const parts = { recommender: this, reader: this.#reader, scores: this.#scores, search: this.#search };
    this.#columnSearch ??= new ColumnSearch(parts);
    return this.#columnSearch;
  }

  related(request: RelatedRequest): RelatedResult {
    this.#coldItems.follow(FOLLOW_MS);
    return relatedList({ recommender: this, related: this.#related }, request);
  }

  scoreCandidates(
    user: UserSignal,
    items: ArrayLike<number>,
    { boosts = NO_BOOSTS, discovers }: Pick<TopRequest, 'boosts' | 'discovers'> = {},
  ): Float32Array {
    this.#coldItems.follow(FOLLOW_MS);
    const question = this.#scores.ask(user, null, discovers);
    return givenScores(this.#parts, question, { items, boosts, listed: this.listed() });
  }

  distribution(user: UserSignal, out: Float32Array): Basis {
    this.#coldItems.follow(FOLLOW_MS);
    return this.#distribution.write(user, this.listed(), out);
  }

  shares(sets: readonly ItemBitmap[]): (user: UserSignal, out: Float32Array) => Basis {
    this.#coldItems.follow(FOLLOW_MS);
    return this.#distribution.shares(sets, { listed: this.listed(), itemCount: this.itemCount });
  }

  userVector(user: UserSignal, out: Float32Array): Basis {
    const { history, basis } = this.#reader.read(user);
    writeUserVector(this.#model.vectors, history, out);
    return basis;
  }

  likeness(item: number, other: number): number {
    const [warm, otherWarm] = [this.#items.indexOf(item), this.#items.indexOf(other)];
    if (warm === NOT_WARM || otherWarm === NOT_WARM) return 0;
    return vectorLikeness(this.#model.vectors, warm, otherWarm);
  }

  memoryBytes(): number {
    const parts = [this.#items, this.#scores, this.#search, this.#listed, this.#scorer, this.#reader, this.#terms];
    const bytes = parts.reduce((sum, part) => sum + part.memoryBytes(), this.#coldItems.memoryBytes());
    return bytes + this.#logPopularity.byteLength + (this.#related?.memoryBytes() ?? 0);
  }

  get #parts() {
    const { tau } = this.#model.calibration;
    return {
      explainer: this.#explainer,
      scores: this.#scores,
      search: this.#search,
      items: this.#items,
      coldItems: this.#coldItems,
      tau,
    };
  }

  #found(count: number): ScoredItem[] {
    const { items, scores } = this.#search;
    const found: ScoredItem[] = [];
    for (let n = 0; n < count; n++) {
      found.push({ item: items[n], item_id: this.catalog.itemId(items[n]), score: scores[n] });
    }
    return found;
  }

  #relatedItems({ popularity, byPopularity }: ModelParts): RelatedItems | null {
    const { relations } = this.#model;
    if (relations === undefined) return null;
    return new RelatedItems({
      relations,
      coldItems: this.#coldItems,
      itemOfWarm: this.#items.numbers,
      warmOf: (item) => (this.#items.has(item) ? this.#items.indexOf(item) : -1),
      popularity,
      byPopularity,
    });
  }
}
