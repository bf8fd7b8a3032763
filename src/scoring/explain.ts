// Why items were recommended: a score as a sum over the user's items, what joins it (score-terms.ts) and popularity. The terms
// add up to the score. A cold item's score is a mean over similar items (its sources), so its terms are the mean of theirs.

import type { ItemIds } from '../artifact/g1-model.ts';
import type { Reason } from '../cold-start/reason.ts';
import type { ScoringHistory } from '../history/user-signal.ts';
import type { ScoreTerms } from './score-terms.ts';
import type { ScoreOptions, Scorer, VisitExplanation } from './scorer.ts';
import type { UserState } from './user-reader.ts';

/** An item to explain: its score and the warm items whose mean score it is; none when nothing is known of the item. */
export interface Explained {
  readonly score: number;
  readonly sources: ArrayLike<number>;
}

export interface ExplainOptions extends ScoreOptions {
  /** what the terms besides the history are multiplied by */
  readonly termScale: number;
}

/** A new item stands in a ranked list where its blend score puts it: what its sources do not account for is popularity. */
function addRest(reasons: Reason[], score: number): void {
  const rest = score - reasons.reduce((sum, { contribution }) => sum + contribution, 0);
  const at = reasons.findIndex(({ kind }) => kind === 'popularity');
  if (at >= 0) reasons[at] = { kind: 'popularity', contribution: reasons[at].contribution + rest };
  else if (Math.abs(rest) > 1e-6) reasons.push({ kind: 'popularity', contribution: rest });
}

/** Terms of the same thing are one reason. */
class ReasonSums {
  readonly #sums = new Map<string, Reason>();

  add(reason: Reason, share: number): void {
    const key =
      'attribute' in reason ? `${reason.attribute}\0${reason.value}` : 'item_id' in reason ? reason.item_id : '';
    const sum = this.#sums.get(`${reason.kind}\0${key}`);
    const contribution = (sum?.contribution ?? 0) + share * reason.contribution;
    this.#sums.set(`${reason.kind}\0${key}`, { ...reason, contribution });
  }

  all(): Reason[] {
    return [...this.#sums.values()].filter(({ kind, contribution }) => contribution !== 0 || kind === 'popularity');
  }
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
    const reasons =
      state.basis === 'history' ? this.#byHistory(state.history, items, options) : this.#byPopularity(items);
    const more = this.#byTerms(state, items);
    for (const [n, { score, sources }] of items.entries()) {
      if (sources.length === 0) reasons[n] = [{ kind: 'popularity', contribution: score }];
      else {
        const scaled = more[n].map((reason) => ({ ...reason, contribution: options.termScale * reason.contribution }));
        reasons[n].push(...scaled);
        if (sources.length > 1) addRest(reasons[n], score);
      }
      reasons[n].sort((a, b) => b.contribution - a.contribution);
    }
    return reasons;
  }

  #byHistory(history: ScoringHistory, items: readonly Explained[], options: ScoreOptions): Reason[][] {
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
      const reasons: Reason[] = [];
      for (let l = 0; l < width; l++) {
        if (sums[l] === 0) continue;
        reasons.push({ kind: 'history', item_id: this.#itemIds.at(history.items[l])!, contribution: sums[l] });
      }
      // What no item of the history speaks for is there because of its popularity, however little that counts.
      if (popularity !== 0 || reasons.length === 0) reasons.push({ kind: 'popularity', contribution: popularity });
      return reasons;
    });
  }

  #byPopularity(items: readonly Explained[]): Reason[][] {
    return items.map(({ sources }) => {
      let contribution = 0;
      for (let n = 0; n < sources.length; n++) contribution += this.#logPopularity[sources[n]] / sources.length;
      return [{ kind: 'popularity', contribution }];
    });
  }

  #byTerms({ lifts, disliked }: UserState, items: readonly Explained[]): Reason[][] {
    if (lifts.length === 0 && disliked === null) return items.map(() => []);
    const sums = items.map(() => new ReasonSums());
    for (const [n, { sources }] of items.entries()) {
      for (let at = 0; at < sources.length; at++) {
        this.#terms.explainLifts(lifts, sources[at], (reason) => sums[n].add(reason, 1 / sources.length));
      }
    }
    if (disliked !== null) this.#addDislikes(disliked, items, sums);
    return sums.map((sum) => sum.all());
  }

  #addDislikes(disliked: ScoringHistory, items: readonly Explained[], sums: readonly ReasonSums[]): void {
    const sources = items.flatMap((item, n) => Array.from(item.sources, (source) => ({ source, n })));
    this.#terms.explainDislikes(
      disliked,
      sources.map(({ source }) => source),
      (at, l, contribution) => {
        const { n } = sources[at];
        const item_id = this.#itemIds.at(disliked.items[l])!;
        sums[n].add({ kind: 'dislike', item_id, contribution }, 1 / items[n].sources.length);
      },
    );
  }
}

/** Similar items share their sources: each is explained once. */
function placesOf(items: readonly Explained[]): Map<number, number> {
  const placeOf = new Map<number, number>();
  for (const { sources } of items) {
    for (let n = 0; n < sources.length; n++) if (!placeOf.has(sources[n])) placeOf.set(sources[n], placeOf.size);
  }
  return placeOf;
}
