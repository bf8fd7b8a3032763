// The warm items most like a set of features: the largest cosines of feature vectors weighted by rarity (IDF).
//
// Features are walked rarest first. What an item can still gain is the weight of the features that are left, so once NEIGHBORS items
// are above what an item can reach that has none of those walked so far, the long lists of common features bring no new item, and
// only items that may still be among the best are completed. The result is the same as of a walk over all.
// Belongs to one thread.

export const NEIGHBORS = 20;
/** Entries of an index that are made between two pauses. */
export const STEP_ENTRIES = 10_000;
/** Neighbors are searched among this many entries of the index, rarest features first. */
const MAX_POSTINGS = 200_000;
/** Sums and inverses are rounded to single precision: bounds leave this much room, as a share. */
const ROUNDING = 1e-5;
/** Looking an item up in a list of this many entries costs as much as walking one of them. */
const LOOK_UP_COST = 16;

/** Warm items by their indices, and how like each is, from 0 to 1. Nearest first; of equal ones the smaller index. */
export interface AlikeItems {
  readonly warm: Uint32Array;
  readonly likeness: Float64Array;
}

export interface Postings {
  /** warm items with feature f, rising: items[offsets[f] … offsets[f + 1]) */
  readonly offsets: Uint32Array;
  readonly items: Uint32Array;
  readonly idf: Float32Array;
  /** length of a warm item's feature vector */
  readonly norms: Float32Array;
}

export class AlikeSearch {
  readonly #postings: Postings;
  /** sums by warm item, all 0 between two searches */
  readonly #similarity: Float32Array;
  /** the warm items that the current search has met */
  readonly #touched: Uint32Array;
  #count = 0;
  /** 1 / norm by warm item, and the largest of those that have a feature, by feature: for bounds, where rounding does not matter */
  readonly #inverses: Float32Array;
  readonly #largestInverses: Float32Array;
  readonly #best = new Float64Array(NEIGHBORS);

  private constructor(postings: Postings, inverses: Float32Array, largestInverses: Float32Array) {
    this.#postings = postings;
    this.#similarity = new Float32Array(postings.norms.length);
    this.#touched = new Uint32Array(postings.norms.length);
    this.#inverses = inverses;
    this.#largestInverses = largestInverses;
  }

  /** Makes the search in short steps. */
  static *make(postings: Postings): Generator<void, AlikeSearch> {
    const { offsets, items, idf, norms } = postings;
    const inverses = norms.map((norm) => 1 / norm);
    const largestInverses = new Float32Array(idf.length);
    for (let at = 0, feature = 0; at < items.length; at++) {
      while (at === offsets[feature + 1]) feature++;
      largestInverses[feature] = Math.max(largestInverses[feature], inverses[items[at]]);
      if (at % STEP_ENTRIES === 0) yield;
    }
    return new AlikeSearch(postings, inverses, largestInverses);
  }

  /** Returns at most NEIGHBORS items. `features` must be distinct, the rarest first. Likeness is the cosine. */
  nearest(features: readonly number[]): AlikeItems {
    const { idf } = this.#postings;
    let left = features.reduce((sum, feature) => sum + idf[feature] ** 2, 0);
    const length = Math.sqrt(left);
    let entries = 0;
    let entriesBounded = 0;
    let isNarrowed = false;
    this.#count = 0;
    for (const [n, feature] of features.entries()) {
      entries += this.#entries(feature);
      if (entries > MAX_POSTINGS && this.#count >= NEIGHBORS) break;
      // Finding the bound costs as much as a walk over what was walked before, so it is found when that doubles.
      if (this.#count >= NEIGHBORS && entries >= 2 * entriesBounded) {
        entriesBounded = entries;
        const least = this.#least() * (1 - ROUNDING);
        isNarrowed ||= left * this.#largestInverse(features, n) < least;
        if (isNarrowed) this.#keep(least, left);
      }
      if (isNarrowed) this.#complete(feature);
      else this.#walk(feature);
      left -= idf[feature] ** 2;
    }
    const found = this.#greatest(length);
    for (let n = 0; n < this.#count; n++) this.#similarity[this.#touched[n]] = 0;
    return found;
  }

  memoryBytes(): number {
    const arrays = [this.#similarity, this.#touched, this.#inverses, this.#largestInverses];
    return arrays.reduce((sum, array) => sum + array.byteLength, 0);
  }

  #entries(feature: number): number {
    const { offsets } = this.#postings;
    return offsets[feature + 1] - offsets[feature];
  }

  #walk(feature: number): void {
    const { offsets, items, idf } = this.#postings;
    const similarity = this.#similarity;
    const touched = this.#touched;
    const weight = idf[feature] ** 2;
    const end = offsets[feature + 1];
    let count = this.#count;
    for (let at = offsets[feature]; at < end; at++) {
      const warm = items[at];
      if (similarity[warm] === 0) touched[count++] = warm;
      similarity[warm] += weight;
    }
    this.#count = count;
  }

  /** The largest inverse norm among items that have a feature from the n-th on. */
  #largestInverse(features: readonly number[], n: number): number {
    let largest = 0;
    for (let at = n; at < features.length; at++) largest = Math.max(largest, this.#largestInverses[features[at]]);
    return largest;
  }

  /** The NEIGHBORS-th largest cosine by the sums at hand, times the length of the feature vector. */
  #least(): number {
    const similarity = this.#similarity;
    const touched = this.#touched;
    const best = this.#best;
    best.fill(0);
    for (let n = 0; n < this.#count; n++) {
      const own = similarity[touched[n]] * this.#inverses[touched[n]];
      if (own <= best[NEIGHBORS - 1]) continue;
      let at = NEIGHBORS - 1;
      for (; at > 0 && own > best[at - 1]; at--) best[at] = best[at - 1];
      best[at] = own;
    }
    return best[NEIGHBORS - 1];
  }

  /** Keeps the touched items that reach `least` if they have all remaining features. */
  #keep(least: number, left: number): void {
    const similarity = this.#similarity;
    const touched = this.#touched;
    let kept = 0;
    for (let n = 0; n < this.#count; n++) {
      const item = touched[n];
      if ((similarity[item] + left) * this.#inverses[item] >= least) touched[kept++] = item;
      else similarity[item] = 0;
    }
    this.#count = kept;
  }

  /** Adds a feature to the items that are left: looked up one by one, or found on a walk, whichever is shorter. */
  #complete(feature: number): void {
    const { offsets, items, idf } = this.#postings;
    const similarity = this.#similarity;
    const weight = idf[feature] ** 2;
    if (this.#count * LOOK_UP_COST < this.#entries(feature)) {
      for (let n = 0; n < this.#count; n++) {
        const item = this.#touched[n];
        if (this.#has(feature, item)) similarity[item] += weight;
      }
      return;
    }
    const end = offsets[feature + 1];
    for (let at = offsets[feature]; at < end; at++) if (similarity[items[at]] > 0) similarity[items[at]] += weight;
  }

  #has(feature: number, item: number): boolean {
    const { offsets, items } = this.#postings;
    let low = offsets[feature];
    let high = offsets[feature + 1];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (items[middle] < item) low = middle + 1;
      else high = middle;
    }
    return low < offsets[feature + 1] && items[low] === item;
  }

  /** The best of the touched items by their current sums. `length` is that of the feature vector. */
  #greatest(length: number): AlikeItems {
    const { norms } = this.#postings;
    const similarity = this.#similarity;
    const touched = this.#touched;
    const warm = new Uint32Array(NEIGHBORS);
    const likeness = new Float64Array(NEIGHBORS);
    const last = NEIGHBORS - 1;
    let size = 0;
    for (let n = 0; n < this.#count; n++) {
      const item = touched[n];
      const own = similarity[item] / (norms[item] * length);
      // Ties are broken by index, because a later item in `touched` may have a smaller one.
      if (size > last && (own < likeness[last] || (own === likeness[last] && item > warm[last]))) continue;
      let at = Math.min(size, last);
      size = at + 1;
      for (; at > 0 && (own > likeness[at - 1] || (own === likeness[at - 1] && item < warm[at - 1])); at--) {
        warm[at] = warm[at - 1];
        likeness[at] = likeness[at - 1];
      }
      warm[at] = item;
      likeness[at] = own;
    }
    return { warm: warm.subarray(0, size), likeness: likeness.subarray(0, size) };
  }
}
