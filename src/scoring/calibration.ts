// τ of p_j ∝ exp(τ z_j): the one under which held-out events are most likely, so that the distribution over the catalog
// means what it says. The log-likelihood Σ [τ z_target − log Σ_j exp(τ z_j)] is concave in τ: a coarse grid brackets the
// best, golden section finds it.
//
// The sums over items are taken over a histogram of the user's z (mean of each bin), so that a user costs one pass over the
// items whatever number of τ is tried.

const BINS = 256;
const MIN_TAU = 0.01;
const MAX_TAU = 200;
const GRID = 24;
const REFINEMENTS = 40;

export class CalibrationFitter {
  readonly #sums = new Float64Array(BINS);
  readonly #counts = new Float64Array(BINS);
  /** per user: bins in use as (mean − max, count), and Σ over targets of (z_target − max) and their number */
  readonly #users: { means: Float64Array; counts: Float64Array; targetSum: number; targets: number }[] = [];

  /**
   * Adds a question: `z` of all items, NaN for those that the user could not choose, and the items that the user chose. If all
   * targets have NaN, the question is ignored.
   */
  add(z: Float32Array, targets: ArrayLike<number>): void {
    let min = Number.POSITIVE_INFINITY;
    let max = Number.NEGATIVE_INFINITY;
    for (let item = 0; item < z.length; item++) {
      const value = z[item];
      if (value < min) min = value;
      if (value > max) max = value;
    }
    if (!(max > min)) return;
    let targetSum = 0;
    let targetCount = 0;
    for (let n = 0; n < targets.length; n++) {
      if (targets[n] >= z.length || Number.isNaN(z[targets[n]])) continue;
      targetSum += z[targets[n]] - max;
      targetCount++;
    }
    if (targetCount === 0) return;
    this.#sums.fill(0);
    this.#counts.fill(0);
    const scale = (BINS - 1) / (max - min);
    for (let item = 0; item < z.length; item++) {
      const value = z[item];
      if (!(value >= min)) continue;
      const bin = Math.floor((value - min) * scale);
      this.#sums[bin] += value - max;
      this.#counts[bin]++;
    }
    const used = this.#counts.reduce((sum, count) => sum + (count > 0 ? 1 : 0), 0);
    const means = new Float64Array(used);
    const counts = new Float64Array(used);
    for (let bin = 0, at = 0; bin < BINS; bin++) {
      if (this.#counts[bin] === 0) continue;
      means[at] = this.#sums[bin] / this.#counts[bin];
      counts[at++] = this.#counts[bin];
    }
    this.#users.push({ means, counts, targetSum, targets: targetCount });
  }

  /** 1 when nothing was held out. */
  tau(): number {
    if (this.#users.length === 0) return 1;
    const grid = Array.from({ length: GRID }, (_, n) => MIN_TAU * (MAX_TAU / MIN_TAU) ** (n / (GRID - 1)));
    const likelihoods = grid.map((tau) => this.logLikelihood(tau));
    const best = likelihoods.indexOf(Math.max(...likelihoods));
    return this.#refine(grid[Math.max(0, best - 1)], grid[Math.min(GRID - 1, best + 1)]);
  }

  logLikelihood(tau: number): number {
    let sum = 0;
    for (const { means, counts, targetSum, targets } of this.#users) {
      let mass = 0;
      for (let bin = 0; bin < means.length; bin++) mass += counts[bin] * Math.exp(tau * means[bin]);
      sum += tau * targetSum - targets * Math.log(mass);
    }
    return sum;
  }

  #refine(from: number, to: number): number {
    const ratio = (Math.sqrt(5) - 1) / 2;
    let low = from;
    let high = to;
    for (let turn = 0; turn < REFINEMENTS; turn++) {
      const left = high - ratio * (high - low);
      const right = low + ratio * (high - low);
      if (this.logLikelihood(left) < this.logLikelihood(right)) low = left;
      else high = right;
    }
    return (low + high) / 2;
  }
}
