// What a model expected of users whose newest events it had not seen, kept small enough to go into its file: from each user's
// distribution over the catalog some items are drawn, and beside them stand the items that the user turned to. The share
// of draws with an attribute value is the user's predicted usage of it without bias, whatever value is asked for later.
//
// There are two independent sets of draws a user: who ranks users by the one and takes the prediction from the other does not
// mistake the luck of the draw for a high usage.

export interface HeldOutDraws {
  /** draws of a set; a user has two */
  readonly draws: number;
  /** users × 2 × draws item indices */
  readonly items: Uint32Array;
  /** what user n turned to: entries [targetOffsets[n], targetOffsets[n + 1]) of targets */
  readonly targetOffsets: Uint32Array;
  readonly targets: Uint32Array;
}

const DRAWS = 64;

export class HeldOutDrawer {
  readonly #items: number[] = [];
  readonly #targetOffsets = [0];
  readonly #targets: number[] = [];
  #masses = new Float64Array(0);

  /**
   * A user: z of all items, which of them cannot come next, what came next, and two numbers in [0, 1) by chance. The draws of a
   * set lie evenly over the distribution, so that few of them say much.
   */
  add(
    z: Float32Array,
    tau: number,
    targets: ArrayLike<number>,
    excluded: (item: number) => boolean,
    chances: readonly [number, number],
  ): void {
    const open = Array.from(targets).filter((item) => item < z.length && !excluded(item));
    if (open.length === 0) return;
    if (this.#masses.length < z.length) this.#masses = new Float64Array(z.length);
    let top = Number.NEGATIVE_INFINITY;
    for (let item = 0; item < z.length; item++) if (z[item] > top && !excluded(item)) top = z[item];
    let total = 0;
    let last = 0;
    for (let item = 0; item < z.length; item++) {
      this.#masses[item] = excluded(item) ? 0 : Math.exp(tau * (z[item] - top));
      if (this.#masses[item] > 0) last = item;
      total += this.#masses[item];
    }
    for (const chance of chances) {
      let item = 0;
      let reached = this.#masses[0];
      for (let draw = 0; draw < DRAWS; draw++) {
        const point = ((draw + chance) / DRAWS) * total;
        while (reached <= point && item < last) reached += this.#masses[++item];
        this.#items.push(item);
      }
    }
    this.#targets.push(...open);
    this.#targetOffsets.push(this.#targets.length);
  }

  /** null when there is nobody. */
  finish(): HeldOutDraws | null {
    if (this.#targets.length === 0) return null;
    return {
      draws: DRAWS,
      items: Uint32Array.from(this.#items),
      targetOffsets: Uint32Array.from(this.#targetOffsets),
      targets: Uint32Array.from(this.#targets),
    };
  }
}
