// The only random number generator (mulberry32). The same seed gives the same numbers on every machine, and so the same
// sample, groups and test data.

export interface Random {
  /** Returns a number that is uniform in [0, 1). */
  next(): number;
  /** Integer from 0 to `bound` - 1. */
  below(bound: number): number;
  /** Standard normal (Box and Muller). */
  normal(): number;
  pick<T>(choices: readonly T[]): T;
  chance(probability: number): boolean;
}

export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
  const below = (bound: number) => Math.floor(next() * bound);
  return {
    next,
    below,
    normal: () => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next()),
    pick: (choices) => choices[below(choices.length)],
    chance: (probability) => next() < probability,
  };
}

/** Draws an index with the given weights. */
export class WeightedDraw {
  readonly #cumulative: Float64Array;

  constructor(weights: ArrayLike<number>) {
    this.#cumulative = new Float64Array(weights.length);
    let sum = 0;
    for (let index = 0; index < weights.length; index++) {
      sum += weights[index];
      this.#cumulative[index] = sum;
    }
  }

  draw(random: Random): number {
    const wanted = random.next() * this.#cumulative[this.#cumulative.length - 1];
    let low = 0;
    let high = this.#cumulative.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#cumulative[middle] > wanted) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}

/** `count` distinct numbers of 0 … total − 1, ascending, each equally likely (Vitter's selection sampling; all when count ≥ total). */
export function sampleIndexes(total: number, count: number, random: Random): Uint32Array {
  const sample = new Uint32Array(Math.min(total, count));
  let chosen = 0;
  for (let index = 0; chosen < sample.length; index++) {
    if (random.next() * (total - index) < sample.length - chosen) sample[chosen++] = index;
  }
  return sample;
}
