// Why an item was recommended: its score as a sum over the user's items, the user's attributes and popularity. The terms add
// up to the score. A cold item's score is a mean over similar items, so its terms are the mean of theirs.
import type { ColdUsers } from './cold-users.ts';
import type { G1Model, ItemIds } from './g1-model.ts';
import type { Basis, Reason } from './recommender.ts';
import type { Scorer, ScoringHistory } from './scorer.ts';

export class Explainer {
  readonly #itemIds: ItemIds;
  readonly #scorer: Scorer;
  readonly #coldUsers: ColdUsers | null;
  readonly #logPopularity: Float32Array;
  readonly #terms: Float32Array;

  constructor(
    model: Pick<G1Model, 'itemIds' | 'historyCap'>,
    scorer: Scorer,
    coldUsers: ColdUsers | null,
    logPopularity: Float32Array,
  ) {
    this.#itemIds = model.itemIds;
    this.#scorer = scorer;
    this.#coldUsers = coldUsers;
    this.#logPopularity = logPopularity;
    this.#terms = new Float32Array(model.historyCap);
  }

  /**
   * Reasons for the mean score of the warm items `sources`, largest contribution first. Without sources nothing is known of
   * the item and `score` is all there is to say.
   */
  reasons(
    basis: Basis,
    history: ScoringHistory,
    features: readonly number[],
    sources: ArrayLike<number>,
    score: number,
  ): Reason[] {
    if (sources.length === 0) return [{ kind: 'popularity', contribution: score }];
    if (basis === 'history') return this.#fromHistory(history, sources);
    const reasons = new Map<string, Reason>();
    const add = (reason: Reason) => {
      const key = reason.kind === 'user-attribute' ? `${reason.attribute}\0${reason.value}` : reason.kind;
      const contribution = (reasons.get(key)?.contribution ?? 0) + reason.contribution;
      reasons.set(key, { ...reason, contribution });
    };
    for (let n = 0; n < sources.length; n++) {
      const share = 1 / sources.length;
      if (basis === 'attributes') this.#coldUsers!.explain(features, sources[n], share, add);
      else add({ kind: 'popularity', contribution: share * this.#logPopularity[sources[n]] });
    }
    return sorted([...reasons.values()]);
  }

  #fromHistory(history: ScoringHistory, sources: ArrayLike<number>): Reason[] {
    const sums = new Float64Array(history.length);
    let popularity = 0;
    for (let n = 0; n < sources.length; n++) {
      popularity += this.#scorer.explain(history, sources[n], this.#terms).popularity / sources.length;
      for (let l = 0; l < history.length; l++) sums[l] += this.#terms[l] / sources.length;
    }
    const reasons: Reason[] = popularity === 0 ? [] : [{ kind: 'popularity', contribution: popularity }];
    for (let l = 0; l < history.length; l++) {
      if (sums[l] === 0) continue;
      reasons.push({ kind: 'history', item_id: this.#itemIds.at(history.items[l])!, contribution: sums[l] });
    }
    return sorted(reasons);
  }
}

function sorted(reasons: Reason[]): Reason[] {
  return reasons.sort((a, b) => b.contribution - a.contribution);
}
