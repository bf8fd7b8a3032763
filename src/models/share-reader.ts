// The shares of a user's distribution that fall on given sets of items, for work over all users. Says the same as summing
// `distribution` over each set, at the cost of the items the user's history reaches instead of all items:
//
//   mass(S) = Σ_{j ∈ S} exp(τ (z_j − c)),  and z_j = base_j for every item that is not reached,
//
// so the masses of `base` are summed once, and a user only changes the terms of reached, seen and cold items.
import type { ColdItems } from './cold-items.ts';
import type { ItemBitmap } from './recommender.ts';
import type { Scorer, ScoringHistory } from './scorer.ts';

/** exp beyond this would lose the small terms; such a user is read the plain way. */
const MAX_EXPONENT = 300;

export interface ShareInput {
  readonly scorer: Scorer;
  readonly coldItems: ColdItems;
  readonly itemOfWarm: Uint32Array;
  /** warm index of a catalogue number, or one beyond all warm items */
  readonly warmIndex: (item: number) => number;
  readonly tau: number;
  readonly listed: ItemBitmap;
  readonly sets: readonly ItemBitmap[];
}

export class ShareReader {
  readonly #input: ShareInput;
  /** c: the largest base, so that the usual exponents are at most a little above 0 */
  readonly #top: number;
  /** exp(τ (base − c)) by warm index, 0 for unlisted items */
  readonly #baseMass: Float64Array;
  /** bit s & 31 of word s >>> 5: warm item m is in set s; `words` words an item */
  readonly #memberOf: Uint32Array;
  readonly #words: number;
  readonly #baseSums: Float64Array;
  #baseTotal = 0;
  readonly #sums: Float64Array;
  /** cold items: how many of a group are listed, and how many of them are in each set */
  readonly #groupListed: Uint32Array;
  readonly #groupInSet: Uint32Array;
  readonly #reached: Uint32Array;
  readonly #reachedScores: Float32Array;
  readonly #dense: Float32Array;

  constructor(input: ShareInput) {
    this.#input = input;
    const { scorer, itemOfWarm, sets, coldItems, listed, tau } = input;
    const warmCount = scorer.warmItemCount;
    this.#words = (sets.length + 31) >>> 5;
    this.#memberOf = new Uint32Array(warmCount * this.#words);
    this.#baseMass = new Float64Array(warmCount);
    this.#baseSums = new Float64Array(sets.length);
    this.#sums = new Float64Array(sets.length);
    this.#reached = new Uint32Array(warmCount);
    this.#reachedScores = new Float32Array(warmCount);
    this.#dense = new Float32Array(warmCount);
    let top = Number.NEGATIVE_INFINITY;
    for (let warm = 0; warm < warmCount; warm++) if (scorer.base[warm] > top) top = scorer.base[warm];
    this.#top = warmCount === 0 ? 0 : top;
    for (let warm = 0; warm < warmCount; warm++) {
      const item = itemOfWarm[warm];
      if (!isIn(listed, item)) continue;
      this.#baseMass[warm] = Math.exp(tau * (scorer.base[warm] - this.#top));
      this.#baseTotal += this.#baseMass[warm];
      for (let set = 0; set < sets.length; set++) {
        if (!isIn(sets[set], item)) continue;
        this.#memberOf[warm * this.#words + (set >>> 5)] |= 1 << (set & 31);
        this.#baseSums[set] += this.#baseMass[warm];
      }
    }
    const groups = coldItems.groupCount;
    this.#groupListed = new Uint32Array(groups);
    this.#groupInSet = new Uint32Array(groups * sets.length);
    for (let place = 0; place < coldItems.count; place++) {
      const item = coldItems.itemAt(place);
      if (!isIn(listed, item)) continue;
      const group = coldItems.groupAt(place);
      this.#groupListed[group]++;
      for (let set = 0; set < sets.length; set++) {
        if (isIn(sets[set], item)) this.#groupInSet[group * sets.length + set]++;
      }
    }
  }

  /** False when the user has to be read the plain way. Items in `leftOut` are no part of the distribution. */
  read(history: ScoringHistory, leftOut: readonly number[], out: Float32Array): boolean {
    const { scorer, tau, sets } = this.#input;
    const sums = this.#sums;
    sums.set(this.#baseSums);
    let total = this.#baseTotal;
    const count = scorer.scoreReached(history, this.#reached, this.#reachedScores);
    this.#dense.set(scorer.base);
    for (let n = 0; n < count; n++) {
      const warm = this.#reached[n];
      this.#dense[warm] = this.#reachedScores[n];
      if (this.#baseMass[warm] === 0) continue;
      const exponent = tau * (this.#reachedScores[n] - this.#top);
      if (exponent > MAX_EXPONENT) return false;
      const change = Math.exp(exponent) - this.#baseMass[warm];
      total += change;
      this.#addToSets(warm, change);
    }
    for (const item of leftOut) {
      const warm = this.#input.warmIndex(item);
      if (warm >= this.#baseMass.length || this.#baseMass[warm] === 0) continue;
      const mass = Math.exp(tau * (this.#dense[warm] - this.#top));
      total -= mass;
      this.#addToSets(warm, -mass);
    }
    total += this.#addColdItems(leftOut);
    if (!(total > 1e-12 * this.#baseTotal)) return false;
    for (let set = 0; set < sets.length; set++) out[set] = Math.min(1, Math.max(0, sums[set] / total));
    return true;
  }

  #addToSets(warm: number, mass: number): void {
    for (let word = 0; word < this.#words; word++) {
      for (let bits = this.#memberOf[warm * this.#words + word]; bits !== 0; bits &= bits - 1) {
        this.#sums[word * 32 + 31 - Math.clz32(bits & -bits)] += mass;
      }
    }
  }

  #addColdItems(leftOut: readonly number[]): number {
    const { coldItems, tau, sets } = this.#input;
    if (coldItems.count === 0) return 0;
    const scores = coldItems.scoreGroups(this.#dense, lowest(this.#dense));
    let added = 0;
    for (let group = 0; group < this.#groupListed.length; group++) {
      if (this.#groupListed[group] === 0) continue;
      const mass = Math.exp(tau * (scores[group] - this.#top));
      added += mass * this.#groupListed[group];
      for (let set = 0; set < sets.length; set++) this.#sums[set] += mass * this.#groupInSet[group * sets.length + set];
    }
    for (const item of leftOut) {
      if (this.#input.warmIndex(item) < this.#dense.length || !isIn(this.#input.listed, item)) continue;
      const mass = Math.exp(tau * (scores[coldItems.groupOf(item)] - this.#top));
      added -= mass;
      for (let set = 0; set < sets.length; set++) if (isIn(sets[set], item)) this.#sums[set] -= mass;
    }
    return added;
  }
}

/** 0 when there are none. */
export function lowest(scores: Float32Array): number {
  let lowest = scores.length === 0 ? 0 : scores[0];
  for (let warm = 1; warm < scores.length; warm++) if (scores[warm] < lowest) lowest = scores[warm];
  return lowest;
}

function isIn(bitmap: ItemBitmap, item: number): boolean {
  const word = item >>> 5;
  return word < bitmap.words.length && ((bitmap.words[word] >>> (item & 31)) & 1) === 1;
}
