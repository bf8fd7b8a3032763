// G1 behind the recommender contract: joins the model (its own item indices), the live catalogue (public item numbers), cold
// items and cold users. The path of a call: fold the events → score the warm items from history, else attributes, else
// popularity → score the cold items from the warm ones → search the best of the allowed.
import { IdTable } from '../domain/id-table.ts';
import type { Catalogue } from './catalogue.ts';
import { ColdItems } from './cold-items.ts';
import { ColdUsers } from './cold-users.ts';
import { Explainer } from './explain.ts';
import type { Expert, G1Model } from './g1-model.ts';
import { HistoryFolder } from './history-folder.ts';
import type { Basis, ItemBitmap, Recommender, ScoredItem, TopRequest, TopResult, UserSignal } from './recommender.ts';
import { type CreateScorer, FEW_SHIFT, type Scorer, type ScoringHistory } from './scorer.ts';
import { lowest, ShareReader } from './share-reader.ts';
import { atOnce, type Steps } from './steps.ts';
import { TopItems } from './top-items.ts';

/** Newest events of a user that are looked at: enough that an item seen long ago is still left out. */
const HISTORY_EVENTS = 10_000;
/** What a call may spend on new items before it answers. */
const FOLLOW_MS = 2;
const NOT_WARM = 0xffff_ffff;
/** Ids looked up between two chances to be interrupted. */
const ITEMS_A_STEP = 1000;
const NOTHING: readonly number[] = [];
/** Answers for users without history that `shares` remembers. */
const KEPT_SHARES = 10_000;

export interface ItemLayout {
  /** catalogue number of warm item m */
  readonly itemOfWarm: Uint32Array;
  readonly coldItems: ColdItems;
}

export class G1Recommender implements Recommender {
  readonly catalogue: Catalogue;
  readonly historyLimit = HISTORY_EVENTS;
  readonly vectorLength: number;
  /** without its experts: the scorer keeps what it needs of them, the rest may go */
  readonly #model: Omit<G1Model, 'experts'>;
  readonly #scorer: Scorer;
  readonly #folder: HistoryFolder;
  readonly #coldItems: ColdItems;
  readonly #coldUsers: ColdUsers | null;
  readonly #explainer: Explainer;
  readonly #logPopularity: Float32Array;
  /** catalogue number of warm item m */
  readonly #itemOfWarm: Uint32Array;
  /** warm index by catalogue number, NOT_WARM for others */
  #warmOfItem: Uint32Array;
  readonly #scores: Float32Array;
  readonly #top = new TopItems();
  /** an item is seen in the present call where its turn is the present one */
  #seenTurn = new Uint32Array(0);
  #turn = 0;
  readonly #seenItems: number[] = [];
  readonly #topWarm = new Uint32Array(512);
  readonly #topScores = new Float32Array(512);
  /** `allow` of the last calls in the model's indices */
  readonly #allowedWarm = new WeakMap<ItemBitmap, AllowedWarm>();

  constructor(
    model: G1Model,
    catalogue: Catalogue,
    createScorer: CreateScorer,
    itemOfWarm = atOnce(itemNumberSteps(model, catalogue)),
  ) {
    const { experts, ...rest } = model;
    this.#model = { ...rest, itemIds: asTable(model) };
    this.catalogue = catalogue;
    this.vectorLength = model.vectors.dimensions;
    this.#scorer = createScorer(model);
    this.#folder = new HistoryFolder(this.#model);
    this.#itemOfWarm = itemOfWarm;
    this.#warmOfItem = new Uint32Array(catalogue.itemCount).fill(NOT_WARM);
    for (let warm = 0; warm < model.warmItemCount; warm++) this.#warmOfItem[this.#itemOfWarm[warm]] = warm;
    this.#coldItems = new ColdItems(catalogue, this.#itemOfWarm, (item) => this.#warmIndex(item) !== NOT_WARM);
    this.#coldUsers = model.coldUsers === null ? null : new ColdUsers(model.coldUsers);
    this.#logPopularity = logPopularityOf(experts, model.warmItemCount);
    this.#explainer = new Explainer(this.#model.itemIds, this.#scorer, this.#coldUsers, this.#logPopularity);
    this.#scores = new Float32Array(model.warmItemCount);
  }

  get itemCount(): number {
    return this.catalogue.itemCount;
  }

  /** How the model's items, and those it has not seen, stand in the catalogue: for work in bulk over the same scores. */
  get itemLayout(): ItemLayout {
    return { itemOfWarm: this.#itemOfWarm, coldItems: this.#coldItems };
  }

  get settled(): boolean {
    return this.#coldItems.follow(0);
  }

  /** Finishes the work on new items, letting others run in between: call before serving and after the catalogue changed. */
  async settle(): Promise<void> {
    await this.#coldItems.settle();
  }

  top(user: UserSignal, request: TopRequest): TopResult {
    this.#coldItems.follow(FOLLOW_MS);
    const limit = Math.max(0, Math.min(request.limit, this.itemCount));
    const allow = request.allow ?? this.catalogue.listed();
    const excludeSeen = this.#excludesSeen(request.excludeSeen);
    const state = this.#read(user);
    const warmOnly = state.basis === 'history' && this.#coldItems.count === 0 && state.seenElsewhere === 0;
    const items =
      warmOnly && limit <= this.#topWarm.length
        ? this.#topOfWarm(state.history, limit, allow, excludeSeen)
        : this.#topOfAll(state, limit, allow, excludeSeen);
    return {
      basis: state.basis,
      items: request.explain === true ? this.#explain(items, state) : items,
    };
  }

  scoreCandidates(user: UserSignal, items: ArrayLike<number>, out = new Float32Array(items.length)): Float32Array {
    this.#coldItems.follow(FOLLOW_MS);
    this.#scoreWarm(this.#read(user));
    const groupScores = this.#coldItems.scoreGroups(this.#scores, lowest(this.#scores));
    for (let n = 0; n < items.length; n++) {
      const warm = this.#warmIndex(items[n]);
      out[n] = warm === NOT_WARM ? groupScores[this.#coldItems.groupOf(items[n])] : this.#scores[warm];
    }
    return out;
  }

  distribution(user: UserSignal, out: Float32Array): Basis {
    this.#coldItems.follow(FOLLOW_MS);
    const state = this.#read(user);
    this.#scoreWarm(state);
    const allow = this.catalogue.listed();
    const groupScores = this.#coldItems.scoreGroups(this.#scores, lowest(this.#scores));
    // Scores of cold users are logarithms of shares already.
    const tau = state.basis === 'history' ? this.#model.calibration.tau : 1;
    out.fill(0);
    let max = Number.NEGATIVE_INFINITY;
    for (let warm = 0; warm < this.#scores.length; warm++) if (this.#scores[warm] > max) max = this.#scores[warm];
    if (max === Number.NEGATIVE_INFINITY) max = groupScores[0];
    const spread = (leaveOutSeen: boolean): number => {
      let mass = 0;
      const add = (item: number, score: number) => {
        if (!isIn(allow, item) || (leaveOutSeen && this.#isSeen(item))) return;
        out[item] = Math.exp(tau * (score - max));
        mass += out[item];
      };
      for (let warm = 0; warm < this.#scores.length; warm++) add(this.#itemOfWarm[warm], this.#scores[warm]);
      for (let place = 0; place < this.#coldItems.count; place++) {
        add(this.#coldItems.itemAt(place), groupScores[this.#coldItems.groupAt(place)]);
      }
      return mass;
    };
    // Who has seen everything can only come back.
    const mass = spread(this.#excludesSeen('auto')) || spread(false);
    if (mass > 0) for (let item = 0; item < this.itemCount; item++) out[item] /= mass;
    return state.basis;
  }

  shares(sets: readonly ItemBitmap[]): (user: UserSignal, out: Float32Array) => Basis {
    this.#coldItems.follow(FOLLOW_MS);
    const reader = new ShareReader({
      scorer: this.#scorer,
      coldItems: this.#coldItems,
      itemOfWarm: this.#itemOfWarm,
      warmIndex: (item) => this.#warmIndex(item),
      tau: this.#model.calibration.tau,
      listed: this.catalogue.listed(),
      sets,
    });
    const excludeSeen = this.#excludesSeen('auto');
    const plain = new Float32Array(this.itemCount);
    // Users who have seen nothing and share their attributes (or have none) share the answer too.
    const known = new Map<string, Float32Array>();
    return (user, out) => {
      const { basis, history, features } = this.#read(user);
      if (basis === 'history' && reader.read(history, excludeSeen ? this.#seenItems : NOTHING, out)) return basis;
      const key = basis !== 'history' && this.#seenItems.length === 0 ? features.join(' ') : null;
      const kept = key === null ? undefined : known.get(key);
      if (kept !== undefined) {
        out.set(kept);
        return basis;
      }
      this.distribution(user, plain);
      for (const [n, set] of sets.entries()) out[n] = sumOver(set, plain);
      if (key !== null && known.size < KEPT_SHARES) known.set(key, out.slice(0, sets.length));
      return basis;
    };
  }

  userVector(user: UserSignal, out: Float32Array): Basis {
    const { dimensions, values } = this.#model.vectors;
    const { history, basis } = this.#read(user);
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

  memoryBytes(): number {
    const arrays = [this.#itemOfWarm, this.#warmOfItem, this.#scores, this.#seenTurn, this.#logPopularity];
    const own = arrays.reduce((sum, array) => sum + array.byteLength, 0);
    return own + this.#scorer.memoryBytes() + this.#folder.memoryBytes() + this.#coldItems.memoryBytes();
  }

  #read(user: UserSignal): UserState {
    if (this.#seenTurn.length < this.itemCount)
      this.#seenTurn = new Uint32Array(this.itemCount + (this.itemCount >>> 3));
    if (++this.#turn === 0xffff_ffff) {
      this.#seenTurn.fill(0);
      this.#turn = 1;
    }
    this.#seenItems.length = 0;
    const history = this.#folder.fold(user.history, (itemId, index) => {
      const warm = index >= 0 && index < this.#itemOfWarm.length;
      const item = warm ? this.#itemOfWarm[index] : this.catalogue.indexOf(itemId);
      if (item < 0 || this.#seenTurn[item] === this.#turn) return;
      this.#seenTurn[item] = this.#turn;
      this.#seenItems.push(item);
    });
    let seen = this.#seenItems.length;
    for (let n = 0; n < history.length; n++) seen -= history.seen[n];
    if (history.length > 0) return { basis: 'history', history, features: [], seenElsewhere: seen };
    const features = this.#coldUsers?.featuresOf(user.attributes) ?? [];
    return { basis: features.length > 0 ? 'attributes' : 'popularity', history, features, seenElsewhere: seen };
  }

  #scoreWarm({ basis, history, features }: UserState): void {
    if (basis === 'history') this.#scorer.scoreAll(history, this.#scores);
    else if (basis === 'attributes') this.#coldUsers!.score(features, this.#scores);
    else this.#scores.set(this.#logPopularity);
  }

  /** The scorer's own search, for the common case: a user with history, no cold items. */
  #topOfWarm(history: ScoringHistory, limit: number, allow: ItemBitmap, excludeSeen: boolean): ScoredItem[] {
    const { words, few } = this.#allowOfWarm(allow);
    const options = { allow: words, few, excludeSeen };
    const count = this.#scorer.top(history, limit, options, this.#topWarm, this.#topScores);
    const items: ScoredItem[] = [];
    for (let n = 0; n < count; n++) items.push(this.#scored(this.#topScores[n], this.#topWarm[n]));
    return items;
  }

  #topOfAll(state: UserState, limit: number, allow: ItemBitmap, excludeSeen: boolean): ScoredItem[] {
    this.#scoreWarm(state);
    const warmCount = this.#scores.length;
    const top = this.#top;
    top.start(limit);
    const consider = (score: number, rank: number) => {
      if (score < top.threshold || !top.admits(score, rank)) return;
      const item = this.#itemOfRank(rank);
      if (isIn(allow, item) && !(excludeSeen && this.#isSeen(item))) top.offer(score, rank);
    };
    for (let warm = 0; warm < warmCount; warm++) consider(this.#scores[warm], warm);
    if (this.#coldItems.count > 0) {
      const groupScores = this.#coldItems.scoreGroups(this.#scores, lowest(this.#scores));
      for (let place = 0; place < this.#coldItems.count; place++) {
        consider(groupScores[this.#coldItems.groupAt(place)], warmCount + place);
      }
    }
    const items: ScoredItem[] = [];
    top.drain((score, rank) => items.push(this.#scored(score, rank)));
    return items;
  }

  #scored(score: number, rank: number): ScoredItem {
    const item = this.#itemOfRank(rank);
    return { item, item_id: this.catalogue.itemId(item), score };
  }

  /** What decides between equal scores: warm items in the model's order, then cold ones in the order they came. */
  #itemOfRank(rank: number): number {
    const warmCount = this.#itemOfWarm.length;
    return rank < warmCount ? this.#itemOfWarm[rank] : this.#coldItems.itemAt(rank - warmCount);
  }

  #explain(items: readonly ScoredItem[], { basis, history, features }: UserState): ScoredItem[] {
    const explained = items.map(({ item, score }) => {
      const warm = this.#warmIndex(item);
      const sources = warm === NOT_WARM ? this.#coldItems.neighboursOf(this.#coldItems.groupOf(item)) : [warm];
      return { score, sources };
    });
    const reasons = this.#explainer.reasons(basis, history, features, explained);
    return items.map((item, n) => ({ ...item, reasons: reasons[n] }));
  }

  #excludesSeen(asked: boolean | 'auto' | undefined): boolean {
    return typeof asked === 'boolean' ? asked : !this.#model.repeats.recommendSeen;
  }

  #isSeen(item: number): boolean {
    return this.#seenTurn[item] === this.#turn;
  }

  #warmIndex(item: number): number {
    return item < this.#warmOfItem.length ? this.#warmOfItem[item] : NOT_WARM;
  }

  #allowOfWarm(allow: ItemBitmap): AllowedWarm {
    const { version } = this.catalogue;
    const kept = this.#allowedWarm.get(allow);
    if (kept?.version === version) return kept;
    const warmCount = this.#itemOfWarm.length;
    const words = new Uint32Array((warmCount + 31) >>> 5);
    const few: number[] = [];
    const fewest = warmCount >>> FEW_SHIFT;
    for (let warm = 0; warm < warmCount; warm++) {
      if (!isIn(allow, this.#itemOfWarm[warm])) continue;
      words[warm >>> 5] |= 1 << (warm & 31);
      if (few.length <= fewest) few.push(warm);
    }
    const { base } = this.#scorer;
    const byBase = (a: number, b: number): number => base[b] - base[a] || a - b;
    const allowed = { version, words, few: few.length > fewest ? null : Uint32Array.from(few.sort(byBase)) };
    this.#allowedWarm.set(allow, allowed);
    return allowed;
  }
}

/** Makes the model's items known to the catalogue; answers the catalogue's numbers of the warm ones. */
export function* itemNumberSteps({ itemIds, warmItemCount }: G1Model, catalogue: Catalogue): Steps<Uint32Array> {
  const itemOfWarm = new Uint32Array(warmItemCount);
  for (let index = 0; index < itemIds.length; index++) {
    const item = catalogue.intern(itemIds.at(index)!);
    if (index < warmItemCount) itemOfWarm[index] = item;
    if (index % ITEMS_A_STEP === 0) yield;
  }
  return itemOfWarm;
}

/** A filter in the model's indices. */
interface AllowedWarm {
  /** of the catalogue */
  readonly version: number;
  readonly words: Uint32Array;
  readonly few: Uint32Array | null;
}

interface UserState {
  readonly basis: Basis;
  readonly history: ScoringHistory;
  /** features of the user's attributes, when history is empty */
  readonly features: readonly number[];
  /** seen items that are no part of the history: cold ones, those with no positive value, those beyond the cap */
  readonly seenElsewhere: number;
}

function isIn(bitmap: ItemBitmap, item: number): boolean {
  const word = item >>> 5;
  return word < bitmap.words.length && ((bitmap.words[word] >>> (item & 31)) & 1) === 1;
}

function sumOver(set: ItemBitmap, values: Float32Array): number {
  let sum = 0;
  for (let word = 0; word < set.words.length; word++) {
    for (let bits = set.words[word]; bits !== 0; bits &= bits - 1)
      sum += values[word * 32 + 31 - Math.clz32(bits & -bits)];
  }
  return Math.min(1, sum);
}

function asTable({ itemIds }: G1Model): IdTable {
  if (itemIds instanceof IdTable) return itemIds;
  const table = new IdTable();
  for (let index = 0; index < itemIds.length; index++) table.intern(itemIds.at(index)!);
  return table;
}

/** log of each warm item's share of popularity; an item without any gets half of the smallest share. */
function logPopularityOf(experts: readonly Expert[], warmItemCount: number): Float32Array {
  const out = new Float32Array(warmItemCount);
  const expert = experts.find((expert) => expert.kind === 'popularity');
  let total = 0;
  let smallest = Number.POSITIVE_INFINITY;
  for (let warm = 0; warm < out.length; warm++) {
    const value = expert?.values[warm] ?? 0;
    total += value;
    if (value > 0 && value < smallest) smallest = value;
  }
  if (!(total > 0)) return out.fill(-Math.log(Math.max(1, out.length)));
  for (let warm = 0; warm < out.length; warm++) out[warm] = Math.log((expert!.values[warm] || smallest / 2) / total);
  return out;
}
