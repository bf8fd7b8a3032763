// How a user's expected next interactions spread over the listed items, and the same summed over sets of items.
// Belongs to one thread.
import { type ItemBitmap, isIn, sumOver } from '../catalog/item-set.ts';
import type { ColdItems } from '../cold-start/cold-items.ts';
import { BoundedCache, textBytes } from '../domain/bounded-cache.ts';
import type { UserSignal } from '../history/user-signal.ts';
import type { Basis } from './reason.ts';
import type { UserReader } from './user-reader.ts';
import type { UserScores } from './user-scores.ts';
import type { WarmItems } from './warm-items.ts';

/** Of the shares that are kept for users without a history. */
const CACHE_BYTES = 32 * 1024 * 1024;

export interface UserDistributionParts {
  readonly scores: UserScores;
  readonly reader: UserReader;
  readonly items: WarmItems;
  readonly coldItems: ColdItems;
  readonly tau: number;
}

export class UserDistribution {
  readonly #parts: UserDistributionParts;

  constructor(parts: UserDistributionParts) {
    this.#parts = parts;
  }

  /** p_j ∝ exp(τ z_j) over the listed items, by catalog number; `out` must have room for all of them. */
  write(user: UserSignal, listed: ItemBitmap, out: Float32Array): Basis {
    const { scores } = this.#parts;
    const { state, exclude: seen } = scores.ask(user);
    // A history counts alone, as in work over all users, where it was calibrated.
    scores.score({ state: state.basis === 'history' ? { ...state, lifts: [], disliked: null } : state });
    const eachListed = this.#eachListed(listed);
    // Scores of users without a history are logarithms of shares already.
    const tau = state.basis === 'history' ? this.#parts.tau : 1;
    // Measured from the best of what takes part: next to a seen item that is far better, the rest would round to nothing.
    let max = Number.NEGATIVE_INFINITY;
    const raise = (score: number) => {
      if (score > max) max = score;
    };
    eachListed((item, score) => seen.has(item) || raise(score));
    // Who has seen everything can only come back.
    const hasSeenAll = max === Number.NEGATIVE_INFINITY;
    if (hasSeenAll) eachListed((_, score) => raise(score));
    out.fill(0);
    let mass = 0;
    eachListed((item, score) => {
      if (seen.has(item) && !hasSeenAll) return;
      out[item] = Math.exp(tau * (score - max));
      mass += out[item];
    });
    if (mass > 0) for (let item = 0; item < out.length; item++) out[item] /= mass;
    return state.basis;
  }

  /** The returned function writes the share of each set to `out`. `itemCount`: of the catalog, which must not change meanwhile. */
  shares(
    sets: readonly ItemBitmap[],
    { listed, itemCount }: { readonly listed: ItemBitmap; readonly itemCount: number },
  ): (user: UserSignal, out: Float32Array) => Basis {
    const { reader } = this.#parts;
    const spread = new Float32Array(itemCount);
    // Users who have seen nothing and have the same attributes (or none) have the same shares.
    const known = new BoundedCache<string, Float32Array>({
      name: 'shares',
      maxBytes: CACHE_BYTES,
      bytesOf: (shares, key) => textBytes(key) + shares.byteLength,
    });
    return (user, out) => {
      const { basis, lifts, disliked } = reader.read(user);
      const isShared = basis !== 'history' && disliked === null && reader.seenBy(user).size === 0;
      const key = isShared ? lifts.map(({ features }) => features.join(' ')).join() : null;
      const kept = key === null ? undefined : known.get(key);
      if (kept !== undefined) {
        out.set(kept);
        return basis;
      }
      this.write(user, listed, spread);
      for (const [n, set] of sets.entries()) out[n] = Math.min(1, sumOver(set, spread));
      if (key !== null) known.set(key, out.slice(0, sets.length));
      return basis;
    };
  }

  /** Visits the listed items with the scores at hand. */
  #eachListed(listed: ItemBitmap): (visit: (item: number, score: number) => void) => void {
    const { scores, items, coldItems } = this.#parts;
    const groupScores = scores.groups();
    return (visit) => {
      for (let warm = 0; warm < items.count; warm++) {
        if (isIn(listed, items.numbers[warm])) visit(items.numbers[warm], scores.warm[warm]);
      }
      for (let place = 0; place < coldItems.count; place++) {
        const item = coldItems.itemAt(place);
        if (isIn(listed, item)) visit(item, groupScores.plain(coldItems.groupAt(place)));
      }
    };
  }
}
