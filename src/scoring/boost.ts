// Boosts multiply chances. A model's chance of an item is the softmax of its scores, p_j ∝ exp(τ s_j), so a factor f is
// ln(f) / τ on the score of every matching item: the odds of a matching against any other item become f times what they were.
// The factors of several boosts multiply.
import type { ItemBitmap } from '../catalog/item-set.ts';
import { eachIn, isIn } from '../catalog/item-set.ts';
import { NOT_WARM, type WarmItems } from './warm-items.ts';

export interface Boost {
  /** the items that match the filter */
  readonly items: ItemBitmap;
  /** greater than 0 */
  readonly factor: number;
}

export const NO_BOOSTS: readonly Boost[] = [];

/** The logarithm of what an item's chance is multiplied with. */
export function logBoost(boosts: readonly Boost[], item: number): number {
  let sum = 0;
  for (const { items, factor } of boosts) if (isIn(items, item)) sum += Math.log(factor);
  return sum;
}

/** The factor for an item's chance, or for a score that is a chance. */
export function boostFactor(boosts: readonly Boost[], item: number): number {
  let product = 1;
  for (const { items, factor } of boosts) if (isIn(items, item)) product *= factor;
  return product;
}

/** The largest factor that any item can have. */
export function largestFactor(boosts: readonly Boost[]): number {
  return boosts.reduce((product, { factor }) => product * Math.max(1, factor), 1);
}

/** Larger sets are not cached: they would cost more memory than they save time. */
const MAX_KEPT_ITEMS = 1 << 16;

/** Boosts over the scores of a model's own items. Belongs to one model. */
export class WarmBoosts {
  readonly #items: Pick<WarmItems, 'numbers' | 'indices'>;
  /** `warm`: null if they are too many to be kept */
  readonly #kept = new WeakMap<ItemBitmap, { readonly revision: number; readonly warm: Uint32Array | null }>();

  constructor(items: Pick<WarmItems, 'numbers' | 'indices'>) {
    this.#items = items;
  }

  /** Adds `unit` · ln(factor) to the score of each matching item. */
  addTo(scores: Float32Array, boosts: readonly Boost[], unit: number): void {
    const long: Boost[] = [];
    for (const boost of boosts) {
      const warm = this.#warmItems(boost.items);
      if (warm === null) {
        long.push(boost);
        continue;
      }
      const gain = unit * Math.log(boost.factor);
      for (let n = 0; n < warm.length; n++) scores[warm[n]] += gain;
    }
    if (long.length > 0) this.#addLong(scores, long, unit);
  }

  /** Gains are summed in the catalog's order first: going to each item's place among the scores takes longer than the sum. */
  #addLong(scores: Float32Array, boosts: readonly Boost[], unit: number): void {
    const { numbers, indices } = this.#items;
    const gains = new Float32Array(indices.length);
    for (const { items, factor } of boosts) {
      const gain = unit * Math.log(factor);
      // Items that came later than the model have no place here.
      eachIn(items, (item) => {
        if (item < gains.length) gains[item] += gain;
      });
    }
    for (let warm = 0; warm < scores.length; warm++) scores[warm] += gains[numbers[warm]];
  }

  #warmItems(items: ItemBitmap): Uint32Array | null {
    const kept = this.#kept.get(items);
    if (kept?.revision === items.revision) return kept.warm;
    const { indices } = this.#items;
    const found: number[] = [];
    eachIn(items, (item) => {
      const isFound = item < indices.length && indices[item] !== NOT_WARM;
      if (isFound && found.length <= MAX_KEPT_ITEMS) found.push(indices[item]);
    });
    const warm = found.length > MAX_KEPT_ITEMS ? null : Uint32Array.from(found);
    this.#kept.set(items, { revision: items.revision, warm });
    return warm;
  }
}
