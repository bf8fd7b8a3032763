// Why items were recommended: a score as a sum over the user's items, what joins it (score-terms.ts) and popularity. The terms
// add up to the score. A cold item's score is a mean over similar items (its sources), so its terms are the mean of theirs.

import type { ItemIds } from '../artifact/g1-model.ts';
import type { Reason } from '../cold-start/reason.ts';
import type { ScoringHistory } from '../history/user-signal.ts';
import type { ScoreTerms } from './score-terms.ts';
import type { ScoreOptions, Scorer, VisitExplanation } from './scorer.ts';
import type { UserState } from './user-state.ts';

/** An item to explain: its score and the warm items whose mean score it is; none when nothing is known of the item. */
export interface Explained {
  readonly score: number;
  readonly sources: ArrayLike<number>;
}

export interface ExplainOptions extends ScoreOptions {
  /** what the terms besides the history are multiplied by */
  readonly termScale: number;
}

/** More terms of the history than these are never shown; of a long history, making a reason of each would take long. */
const KEPT_TERMS = 32;

/** The reasons of one item, and the sum of the terms that are too small to be among them. */
interface Told {
  readonly reasons: Reason[];
  left: number;
}

/** A score over a history: what each of its items adds, and what none of them does. */
interface HistoryTerms {
  readonly sums: Float64Array;
  readonly popularity: number;
}

export class Explainer {
  readonly #itemIds: ItemIds;
  readonly #scorer: Scorer;
  readonly #terms: ScoreTerms;
  readonly #logPopularity: Float32Array;

  constructor(itemIds: ItemIds, scorer: Scorer, terms: ScoreTerms, logPopularity: Float32Array) {
    this.#itemIds = itemIds;
    this.#scorer = scorer;
    this.#terms = terms;
    this.#logPopularity = logPopularity;
  }

  /** The reasons of each item, largest contribution first. */
  reasons(state: UserState, items: readonly Explained[], options: ExplainOptions): Reason[][] {
    const told = state.basis === 'history' ? this.#byHistory(state.history, items, options) : this.#byPopularity(items);
    this.#addLifts(state, items, told, options.termScale);
    if (state.disliked !== null) this.#addDislikes(state.disliked, items, told, options.termScale);
    return items.map(({ score, sources }, n) => {
      if (sources.length === 0) return [{ kind: 'popularity', contribution: score }];
      if (sources.length > 1) addRest(told[n], score);
      return told[n].reasons.sort((a, b) => b.contribution - a.contribution);
    });
  }

  #byHistory(history: ScoringHistory, items: readonly Explained[], options: ScoreOptions): Told[] {
    const idAt = this.#idsOf(history);
    return this.#termsOf(history, items, options).map(({ sums, popularity }) => {
      const told: Told = { reasons: [], left: 0 };
      addTerms(told, 'history', sums, idAt);
      // What no item of the history speaks for is there because of its popularity, however little that counts.
      if (popularity !== 0 || told.reasons.length === 0)
        told.reasons.push({ kind: 'popularity', contribution: popularity });
      return told;
    });
  }

  #byPopularity(items: readonly Explained[]): Told[] {
    return items.map(({ sources }) => {
      let contribution = 0;
      for (let n = 0; n < sources.length; n++) contribution += this.#logPopularity[sources[n]] / sources.length;
      return { reasons: [{ kind: 'popularity', contribution }], left: 0 };
    });
  }

  #addLifts({ lifts }: UserState, items: readonly Explained[], told: readonly Told[], scale: number): void {
    if (lifts.length === 0) return;
    const placeOf = placesOf(items);
    for (const { sums, ...reason } of this.#terms.explainLifts(lifts, placeOf)) {
      for (const [n, { sources }] of items.entries()) {
        let sum = 0;
        for (let at = 0; at < sources.length; at++) sum += sums[placeOf.get(sources[at])!];
        if (sum !== 0) told[n].reasons.push({ ...reason, contribution: (scale * sum) / sources.length });
      }
    }
  }

  #addDislikes(disliked: ScoringHistory, items: readonly Explained[], told: readonly Told[], scale: number): void {
    const idAt = this.#idsOf(disliked);
    for (const [n, { sums }] of this.#termsOf(disliked, items, {}).entries()) {
      for (let l = 0; l < sums.length; l++) sums[l] *= -this.#terms.dislikeWeight * scale;
      addTerms(told[n], 'dislike', sums, idAt);
    }
  }

  /** Of each item: the mean over its sources. */
  #termsOf(history: ScoringHistory, items: readonly Explained[], options: ScoreOptions): HistoryTerms[] {
    const placeOf = placesOf(items);
    const width = history.length;
    const terms = new Float32Array(placeOf.size * width);
    const popularities = new Float32Array(placeOf.size);
    const keep: VisitExplanation = (n, found, popularity) => {
      terms.set(found.subarray(0, width), n * width);
      popularities[n] = popularity;
    };
    this.#scorer.explainEach(history, [...placeOf.keys()], keep, options);
    return items.map(({ sources }) => {
      const sums = new Float64Array(width);
      let popularity = 0;
      for (let n = 0; n < sources.length; n++) {
        const place = placeOf.get(sources[n])!;
        popularity += popularities[place] / sources.length;
        for (let l = 0; l < width; l++) sums[l] += terms[place * width + l] / sources.length;
      }
      return { sums, popularity };
    });
  }

  /** Ids by their place in the history, each read from the model once. */
  #idsOf({ items }: ScoringHistory): (place: number) => string {
    const ids: string[] = [];
    return (place) => (ids[place] ??= this.#itemIds.at(items[place])!);
  }
}

function addTerms(told: Told, kind: 'history' | 'dislike', sums: Float64Array, idAt: (place: number) => string): void {
  const smallest = smallestKept(sums);
  for (let l = 0; l < sums.length; l++) {
    if (sums[l] === 0) continue;
    if (Math.abs(sums[l]) < smallest) told.left += sums[l];
    else told.reasons.push({ kind, item_id: idAt(l), contribution: sums[l] });
  }
}

/** The size from which terms are kept. */
function smallestKept(sums: Float64Array): number {
  if (sums.length <= KEPT_TERMS) return 0;
  return sums.map(Math.abs).sort()[sums.length - KEPT_TERMS];
}

/** The blend score of a new item decides its place in a ranked list: what its sources do not account for is popularity. */
function addRest({ reasons, left }: Told, score: number): void {
  const rest = score - reasons.reduce((sum, { contribution }) => sum + contribution, left);
  const at = reasons.findIndex(({ kind }) => kind === 'popularity');
  if (at >= 0) reasons[at] = { kind: 'popularity', contribution: reasons[at].contribution + rest };
  else if (Math.abs(rest) > 1e-6) reasons.push({ kind: 'popularity', contribution: rest });
}

/** Similar items share their sources: each is explained once. */
function placesOf(items: readonly Explained[]): Map<number, number> {
  const placeOf = new Map<number, number>();
  for (const { sources } of items) {
    for (let n = 0; n < sources.length; n++) if (!placeOf.has(sources[n])) placeOf.set(sources[n], placeOf.size);
  }
  return placeOf;
}
