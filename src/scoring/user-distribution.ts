// Computes how a user's expected next interactions spread over the listed items, and the sums of this over sets of
// items. Belongs to one thread.
import type { Calibration } from '../artifact/g1-model.ts';
import { BoundedCache, textBytes } from '../base/bounded-cache.ts';
import { type ItemBitmap, isIn, sumOver } from '../catalog/item-set.ts';
import type { ColdItems } from '../cold-start/cold-items.ts';
import type { UserSignal } from '../history/user-signal.ts';
import type { Basis } from './reason.ts';
import type { UserReader } from './user-reader.ts';
import type { ItemNumbers, UserScores } from './user-scores.ts';
import type { WarmItems } from './warm-items.ts';

/** Memory for cached shares of users without a history. */
const CACHE_BYTES = 32 * 1024 * 1024;

const NOTHING: ItemNumbers = new Set<number>();

type EachItem = (visit: (item: number, score: number) => void) => void;

export interface UserDistributionParts {
  readonly scores: UserScores;
  readonly reader: UserReader;
  readonly items: WarmItems;
  readonly coldItems: ColdItems;
  readonly calibration: Calibration;
}

export class UserDistribution {
  readonly #parts: UserDistributionParts;

  constructor(parts: UserDistributionParts) {
    this.#parts = parts;
  }

  /**
   * p_j ∝ exp(τ z_j) over the listed warm items, by catalog number, and over the cold ones, which have a given share together. `out`
   * must have room for all of them.
   */
  write(user: UserSignal, listed: ItemBitmap, out: Float32Array): Basis {
    const { scores } = this.#parts;
    const { state, exclude: seen } = scores.ask(user);
    // A history counts alone, as in work over all users, where it was calibrated.
    scores.score({ state: state.basis === 'history' ? { ...state, lifts: [], disliked: null } : state });
    // Scores of users without a history are logarithms of shares already.
    const tau = state.basis === 'history' ? this.#parts.calibration.tau : 1;
    out.fill(0);
    const [eachWarm, eachCold] = [this.#eachWarm(listed), this.#eachCold(listed)];
    const without = (seen: ItemNumbers) => [eachWarm, eachCold].map((each) => writeMasses(each, { tau, seen }, out));
    let [warm, cold] = without(seen);
    // A user who has seen everything can only come back to items.
    if (warm === 0 && cold === 0) [warm, cold] = without(NOTHING);
    const { coldShare = 0 } = this.#parts.calibration;
    const ofCold = cold === 0 ? 0 : warm === 0 ? 1 : coldShare;
    if (warm > 0) eachWarm((item) => (out[item] *= (1 - ofCold) / warm));
    if (cold > 0) eachCold((item) => (out[item] *= ofCold / cold));
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

  /** Visits the listed warm items with their current scores. */
  #eachWarm(listed: ItemBitmap): EachItem {
    const { scores, items } = this.#parts;
    return (visit) => {
      for (let warm = 0; warm < items.count; warm++) {
        if (isIn(listed, items.numbers[warm])) visit(items.numbers[warm], scores.warm[warm]);
      }
    };
  }

  /** Visits the listed cold items with the scores of their groups. */
  #eachCold(listed: ItemBitmap): EachItem {
    const { scores, coldItems } = this.#parts;
    const groupScores = scores.groups();
    return (visit) => {
      for (let place = 0; place < coldItems.count; place++) {
        const item = coldItems.itemAt(place);
        if (isIn(listed, item)) visit(item, groupScores.plain(coldItems.groupAt(place)));
      }
    };
  }
}

/** Masses of the items that are not among `seen`; returns their sum. */
function writeMasses(each: EachItem, { tau, seen }: { tau: number; seen: ItemNumbers }, out: Float32Array): number {
  // Scores are relative to the best unseen item: relative to a seen item that is far better, all masses would round to 0.
  let max = Number.NEGATIVE_INFINITY;
  each((item, score) => {
    if (score > max && !seen.has(item)) max = score;
  });
  let mass = 0;
  each((item, score) => {
    if (seen.has(item)) return;
    out[item] = Math.exp(tau * (score - max));
    mass += out[item];
  });
  return mass;
}
