// The place of an item that only has a blend's score among items that a ranker has scored: at the place its blend score has among
// theirs. New items, which no expert knows, join a ranked list this way.

export class RankedScale {
  readonly #blend: Float64Array;
  readonly #ranked: Float64Array;

  /** Scores of the same items by the blend and by the ranker, in any order. */
  constructor(blend: ArrayLike<number>, ranked: ArrayLike<number>) {
    this.#blend = Float64Array.from(blend).sort().reverse();
    this.#ranked = Float64Array.from(ranked).sort().reverse();
  }

  /** Rises with the blend's score. */
  of(score: number): number {
    const count = this.#blend.length;
    if (count === 0) return score;
    if (score >= this.#blend[0]) return this.#ranked[0] + (score - this.#blend[0]);
    if (score <= this.#blend[count - 1]) return this.#ranked[count - 1] + (score - this.#blend[count - 1]);
    let above = 0;
    let below = count - 1;
    while (below - above > 1) {
      const middle = (above + below) >> 1;
      if (this.#blend[middle] > score) above = middle;
      else below = middle;
    }
    const span = this.#blend[above] - this.#blend[below];
    const share = span > 0 ? (score - this.#blend[below]) / span : 0;
    return this.#ranked[below] + share * (this.#ranked[above] - this.#ranked[below]);
  }

  /** A lower bound: no blend score below it is placed at `ranked` or above. */
  least(ranked: number): number {
    const last = this.#blend.length - 1;
    if (last < 0) return ranked;
    if (ranked > this.#ranked[0]) return this.#blend[0] + (ranked - this.#ranked[0]);
    if (ranked <= this.#ranked[last]) return this.#blend[last] + (ranked - this.#ranked[last]);
    let above = 0;
    let below = last;
    while (below - above > 1) {
      const middle = (above + below) >> 1;
      if (this.#ranked[middle] >= ranked) above = middle;
      else below = middle;
    }
    return this.#blend[below];
  }
}
