// Scores all items for a user: by the history, or by popularity if there is none; attributes, context and dislikes join it; new
// items get the mean score of the items most like them.
// Belongs to one thread: `warm` and what `groups` returns are overwritten by the next user.
import type { G1Model, ScoringName } from '../artifact/g1-model.ts';
import type { ColdItems } from '../cold-start/cold-items.ts';
import { type Moment, momentOf } from '../history/moment.ts';
import type { ObjectiveRules } from '../history/objective-rules.ts';
import type { ScoringHistory, UserSignal } from '../history/user-signal.ts';
import { GroupScores } from './group-scores.ts';
import type { ScoreTerms } from './score-terms.ts';
import type { ScoreOptions, Scorer } from './scorer.ts';
import type { UserReader } from './user-reader.ts';
import type { UserState } from './user-state.ts';
import { NOT_WARM, type WarmItems } from './warm-items.ts';

const NOTHING: ReadonlySet<number> = new Set();

export interface UserScoresParts {
  readonly model: Pick<G1Model, 'repeats' | 'calibration'>;
  readonly objectives: ObjectiveRules;
  readonly scorer: Scorer;
  readonly reader: UserReader;
  readonly terms: ScoreTerms;
  readonly items: WarmItems;
  readonly coldItems: ColdItems;
  /** scores of warm items for users without a history */
  readonly logPopularity: Float32Array;
}

/** Distinct catalog numbers. */
export interface ItemNumbers extends Iterable<number> {
  readonly size: number;
  has(item: number): boolean;
}

/** A question about a user. */
export interface ScoreQuestion {
  readonly state: UserState;
  /** items to leave out */
  readonly exclude: ItemNumbers;
  readonly options: ScoreOptions;
}

export class UserScores {
  /** scores of the warm items, valid after `score` */
  readonly warm: Float32Array;
  readonly #parts: UserScoresParts;
  readonly #groups: GroupScores;

  constructor(parts: UserScoresParts) {
    this.#parts = parts;
    this.#groups = new GroupScores(parts.coldItems.groups);
    this.warm = new Float32Array(parts.items.count);
  }

  /** `exclude`: left out or null: what the user had. `discovers`: only what is new is wanted; left out: as `exclude` says. */
  ask(user: UserSignal, exclude?: ReadonlySet<number> | null, discovers?: boolean): ScoreQuestion {
    const state = this.#parts.reader.read(user);
    const now = user.nowMs === undefined ? 'arriving' : momentOf(user, user.nowMs);
    return this.about(state, exclude ?? this.hadBy(user), now, discovers);
  }

  /** Makes the question for a user who was read already. */
  about(state: UserState, exclude: ItemNumbers, now: Moment, discovers?: boolean): ScoreQuestion {
    return { state, exclude, options: this.#options(state.history, exclude, now, discovers) };
  }

  /** Items that are not for this user any more. */
  hadBy(user: UserSignal): ReadonlySet<number> {
    const { model, reader } = this.#parts;
    return model.repeats.recommendSeen ? NOTHING : reader.seenBy(user);
  }

  score({ state, options = {} }: { readonly state: UserState; readonly options?: ScoreOptions }): void {
    const { scorer, terms, logPopularity } = this.#parts;
    if (state.basis === 'history') scorer.scoreAll(state.history, this.warm, options);
    else this.warm.set(logPopularity);
    terms.addTo(this.warm, state);
  }

  /** Scores of the groups of cold items, after `score`. `joined`: is kept apart, for a ranked list. */
  groups(joined: Float32Array | null = null, warm: Float32Array = this.warm): GroupScores {
    this.#groups.start(warm, joined, this.rankedUnit);
    return this.#groups;
  }

  /** The sum of the terms that join the scores of the warm items; null if there are none. */
  joined({ state }: ScoreQuestion): Float32Array | null {
    if (state.lifts.length === 0 && state.disliked === null) return null;
    const joined = new Float32Array(this.warm.length);
    this.#parts.terms.addTo(joined, state);
    return joined;
  }

  /** Whether a ranker orders the best items. */
  isRanked({ state, options }: ScoreQuestion): boolean {
    return state.basis === 'history' && this.#parts.scorer.candidates(options) > 0;
  }

  /** Scores of warm items by the ranker, with all that joins them; after `score`. */
  ranked(question: ScoreQuestion, warm: Uint32Array, joined = this.joined(question)): Float32Array {
    const { scorer } = this.#parts;
    const { state, options } = question;
    const scores = new Float32Array(warm.length);
    scorer.scoreItems(state.history, warm, options, scores);
    if (joined !== null) for (const [n, index] of warm.entries()) scores[n] += this.rankedUnit * joined[index];
    return scores;
  }

  /** Scores of the ranker are logarithms of probabilities, as those of the blend are once multiplied by this. */
  get rankedUnit(): number {
    return this.#parts.model.calibration.tau;
  }

  /**
   * The factor that puts the logarithm of a boost on the scale of the scores. Scores of a ranker and of users without a
   * history are logarithms already.
   */
  boostUnit({ basis }: UserState, isRanked: boolean): number {
    return basis === 'history' && !isRanked ? 1 / this.#parts.model.calibration.tau : 1;
  }

  memoryBytes(): number {
    return this.warm.byteLength + this.#groups.memoryBytes();
  }

  /** Marks what is excluded in the history, and collects what else is excluded. */
  #options(history: ScoringHistory, exclude: ItemNumbers, now: Moment, discovers?: boolean): ScoreOptions {
    const { items, objectives } = this.#parts;
    let marked = 0;
    for (let n = 0; n < history.length; n++) {
      const isExcluded = exclude.has(items.numbers[history.items[n]]);
      history.seen[n] = isExcluded ? 1 : 0;
      if (isExcluded) marked++;
    }
    // If all of the user's own items are left out, only new items are wanted.
    const isForNew = discovers ?? (history.length > 0 && marked === history.length);
    const moment = scoringAt(now, isForNew, objectives);
    if (marked === exclude.size) return { moment };
    const inHistory = new Set(history.items.subarray(0, history.length));
    const elsewhere: number[] = [];
    for (const item of exclude) {
      const warm = items.indexOf(item);
      if (warm !== NOT_WARM && !inHistory.has(warm)) elsewhere.push(warm);
    }
    return { moment, excluded: Uint32Array.from(elsewhere) };
  }
}

/** Chooses which of a model's scorings a list needs. `isForNew`: only items new to the user are wanted. */
function scoringAt(now: Moment, isForNew: boolean, { auto }: Pick<ObjectiveRules, 'auto'>): ScoringName {
  if (!isForNew || auto !== 'any') return now;
  return now === 'browsing' ? 'discovering_browsing' : 'discovering';
}
