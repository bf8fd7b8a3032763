// Why items were recommended: a score as a sum over the user's items, the user's attributes and popularity. The terms add up
// to the score. A cold item's score is a mean over similar items (its sources), so its terms are the mean of theirs.

import type { ItemIds } from '../artifact/g1-model.ts';
import type { ColdUsers } from '../cold-start/cold-users.ts';
import type { Basis, Reason } from '../cold-start/reason.ts';
import type { ScoringHistory } from '../history/user-signal.ts';
import type { Scorer } from './scorer.ts';

/** An item to explain: its score and the warm items whose mean score it is; none when nothing is known of the item. */
export interface Explained {
  readonly score: number;
  readonly sources: ArrayLike<number>;
}

export class Explainer {
  readonly #itemIds: ItemIds;
  readonly #scorer: Scorer;
  readonly #coldUsers: ColdUsers | null;
  readonly #logPopularity: Float32Array;

  constructor(itemIds: ItemIds, scorer: Scorer, coldUsers: ColdUsers | null, logPopularity: Float32Array) {
    this.#itemIds = itemIds;
    this.#scorer = scorer;
    this.#coldUsers = coldUsers;
    this.#logPopularity = logPopularity;
  }

  /** The reasons of each item, largest contribution first. */
  reasons(basis: Basis, history: ScoringHistory, features: readonly number[], items: readonly Explained[]): Reason[][] {
    const reasons = basis === 'history' ? this.#byHistory(history, items) : this.#byAttributes(features, items);
    for (const [n, { score, sources }] of items.entries()) {
      if (sources.length === 0) reasons[n] = [{ kind: 'popularity', contribution: score }];
      reasons[n].sort((a, b) => b.contribution - a.contribution);
    }
    return reasons;
  }

  #byHistory(history: ScoringHistory, items: readonly Explained[]): Reason[][] {
    // Similar items share their sources: each is explained once.
    const placeOf = new Map<number, number>();
    for (const { sources } of items) {
      for (let n = 0; n < sources.length; n++) if (!placeOf.has(sources[n])) placeOf.set(sources[n], placeOf.size);
    }
    const width = history.length;
    const terms = new Float32Array(placeOf.size * width);
    const popularities = new Float32Array(placeOf.size);
    this.#scorer.explainEach(history, [...placeOf.keys()], (n, found, popularity) => {
      terms.set(found.subarray(0, width), n * width);
      popularities[n] = popularity;
    });
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

  #byAttributes(features: readonly number[], items: readonly Explained[]): Reason[][] {
    return items.map(({ sources }) => {
      const reasons = new Map<string, Reason>();
      const add = (reason: Reason) => {
        const key = reason.kind === 'user-attribute' ? `${reason.attribute}\0${reason.value}` : reason.kind;
        const contribution = (reasons.get(key)?.contribution ?? 0) + reason.contribution;
        reasons.set(key, { ...reason, contribution });
      };
      const share = 1 / sources.length;
      for (let n = 0; n < sources.length; n++) {
        if (features.length > 0) this.#coldUsers!.explain(features, sources[n], share, add);
        else add({ kind: 'popularity', contribution: share * this.#logPopularity[sources[n]] });
      }
      return [...reasons.values()];
    });
  }
}
