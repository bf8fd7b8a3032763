// Explains why items were recommended: a score as a sum over the user's items, the other terms (score-terms.ts) and popularity.
// The terms add up to the score. Of a long history only the largest terms are shown. A cold item's score is a mean over similar
// items (its sources), so its terms are the mean of theirs.

import type { ItemIds } from '../artifact/g1-model.ts';
import { TopItems } from '../base/top-items.ts';
import type { ScoringHistory } from '../history/user-signal.ts';
import type { Reason } from './reason.ts';
import type { ScoreTerms } from './score-terms.ts';
import type { ScoreOptions, Scorer, VisitExplanation } from './scorer.ts';
import type { UserState } from './user-state.ts';

/** An item to explain: its score and the warm items whose mean score it is; none when nothing is known of the item. */
export interface Explained {
  readonly score: number;
  readonly sources: ArrayLike<number>;
}

export interface ExplainOptions extends ScoreOptions {
  /** factor for the terms that do not come from the history */
  readonly termScale: number;
}

/** Most terms of the history that are shown. Making a reason of every term of a long history would be slow. */
export const KEPT_TERMS = 32;

/** The reasons of one item, and the sum of the terms that are too small to be among them. */
interface Told {
  readonly reasons: Reason[];
  left: number;
}

/** A score over a history: what items of it add, the sum of what others add, and what none of them does. */
interface HistoryTerms {
  readonly terms: readonly Term[];
  readonly left: number;
  readonly popularity: number;
}

interface Term {
  /** index in the history */
  readonly place: number;
  readonly value: number;
}

export class Explainer {
  readonly #itemIds: ItemIds;
  readonly #scorer: Scorer;
  readonly #terms: ScoreTerms;
  readonly #logPopularity: Float32Array;
  readonly #top = new TopItems();

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
    if (state.disliked !== null) {
      const scale = options.termScale * this.#terms.dislikeWeight(state);
      this.#addDislikes(state.disliked, items, told, scale);
    }
    return items.map(({ score, sources }, n) => {
      if (sources.length === 0) return [{ kind: 'popularity', contribution: score }];
      if (sources.length > 1) addRest(told[n], score);
      return told[n].reasons.sort((a, b) => b.contribution - a.contribution);
    });
  }

  #byHistory(history: ScoringHistory, items: readonly Explained[], options: ScoreOptions): Told[] {
    const idAt = this.#idsOf(history);
    return this.#termsOf(history, items, options).map(({ terms, left, popularity }) => {
      const reasons: Reason[] = terms.map(({ place, value }) => ({
        kind: 'history',
        item_id: idAt(place),
        contribution: value,
      }));
      // An item that no item of the history leads to is there because of its popularity, however little that adds.
      if (popularity !== 0 || reasons.length === 0) reasons.push({ kind: 'popularity', contribution: popularity });
      return { reasons, left };
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
    const weight = -scale;
    for (const [n, { terms, left }] of this.#termsOf(disliked, items, {}).entries()) {
      for (const { place, value } of terms)
        told[n].reasons.push({ kind: 'dislike', item_id: idAt(place), contribution: weight * value });
      told[n].left += weight * left;
    }
  }

  /** For each item, the mean of its terms over its sources. */
  #termsOf(history: ScoringHistory, items: readonly Explained[], options: ScoreOptions): HistoryTerms[] {
    const placeOf = placesOf(items);
    const bySource: HistoryTerms[] = [];
    const keep: VisitExplanation = (_, found, popularity) => {
      bySource.push({ ...this.#largest(found.subarray(0, history.length)), popularity });
    };
    this.#scorer.explainEach(history, [...placeOf.keys()], keep, options);
    const sums = new Float64Array(history.length);
    return items.map(({ sources }) => {
      const parts = Array.from(sources, (source) => bySource[placeOf.get(source)!]);
      return parts.length === 1 ? parts[0] : this.#meanOf(parts, sums);
    });
  }

  /** `sums` are zeros, and are again when it returns. */
  #meanOf(parts: readonly HistoryTerms[], sums: Float64Array): HistoryTerms {
    let left = 0;
    let popularity = 0;
    for (const part of parts) {
      for (const { place, value } of part.terms) sums[place] += value / parts.length;
      left += part.left / parts.length;
      popularity += part.popularity / parts.length;
    }
    const mean = this.#largest(sums);
    sums.fill(0);
    return { terms: mean.terms, left: left + mean.left, popularity };
  }

  #largest(values: Float32Array | Float64Array): { terms: Term[]; left: number } {
    this.#top.start(KEPT_TERMS);
    let left = 0;
    for (let place = 0; place < values.length; place++) {
      if (values[place] === 0) continue;
      left += values[place];
      this.#top.offer(Math.abs(values[place]), place);
    }
    const terms: Term[] = [];
    this.#top.drain((_, place) => terms.push({ place, value: values[place] }));
    for (const { value } of terms) left -= value;
    return { terms, left };
  }

  /** Ids by their place in the history, each read from the model once. */
  #idsOf({ items }: ScoringHistory): (place: number) => string {
    const ids: string[] = [];
    return (place) => (ids[place] ??= this.#itemIds.at(items[place])!);
  }
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
