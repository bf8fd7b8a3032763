// The listed items of a filter in the model's own indices: computed once for each filter, until one of its items or a listed
// one changes.

import type { ItemBitmap } from '../catalog/item-set.ts';
import { isIn } from '../catalog/item-set.ts';
import { FEW_SHIFT, type Scorer } from './scorer.ts';

export interface AllowedWarm {
  readonly listed: ItemBitmap;
  /** revisions of both sets when the words were computed */
  readonly revisions: readonly [allow: number, listed: number];
  /** bits by warm index; null: all are allowed */
  readonly words: Uint32Array | null;
  /** the allowed items by falling base score, where they are few */
  readonly few: Uint32Array | null;
}

export class AllowedWarmItems {
  readonly #itemOfWarm: Uint32Array;
  readonly #scorer: Pick<Scorer, 'base'>;
  readonly #kept = new WeakMap<ItemBitmap, AllowedWarm>();

  /** Reads the scorer's base only when it is needed: the scorer may be a lazy one. */
  constructor(itemOfWarm: Uint32Array, scorer: Pick<Scorer, 'base'>) {
    this.#itemOfWarm = itemOfWarm;
    this.#scorer = scorer;
  }

  of(allow: ItemBitmap, listed: ItemBitmap): AllowedWarm {
    const kept = this.#kept.get(allow);
    if (kept?.listed === listed && kept.revisions[0] === allow.revision && kept.revisions[1] === listed.revision) {
      return kept;
    }
    const warmCount = this.#itemOfWarm.length;
    const words = new Uint32Array((warmCount + 31) >>> 5);
    const few: number[] = [];
    const fewest = warmCount >>> FEW_SHIFT;
    let count = 0;
    for (let warm = 0; warm < warmCount; warm++) {
      const item = this.#itemOfWarm[warm];
      if (!isIn(allow, item) || !isIn(listed, item)) continue;
      words[warm >>> 5] |= 1 << (warm & 31);
      count++;
      if (few.length <= fewest) few.push(warm);
    }
    const allowed: AllowedWarm = {
      listed,
      revisions: [allow.revision, listed.revision],
      words: count === warmCount ? null : words,
      few: few.length > fewest ? null : this.#byBase(few),
    };
    this.#kept.set(allow, allowed);
    return allowed;
  }

  #byBase(few: number[]): Uint32Array {
    const { base } = this.#scorer;
    return Uint32Array.from(few.sort((a, b) => base[b] - base[a] || a - b));
  }
}
