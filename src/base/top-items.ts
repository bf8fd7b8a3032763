// The best k of many scored items: a heap whose root is the worst kept one, so that most candidates cost one comparison.
// Order: higher score first, then the smaller item number, unless a search orders ties itself. Buffers grow once and are used again;
// belongs to one thread.

/** Compares two items whose scores are equal; below 0: the first comes first. */
export type TieBreak = (item: number, other: number) => number;

export class TopItems {
  #items = new Uint32Array(16);
  #scores = new Float64Array(16);
  #size = 0;
  #limit = 0;
  /** null: by number */
  #tieBreak: TieBreak | null = null;

  start(limit: number, tieBreak: TieBreak | null = null): void {
    if (limit > this.#items.length) {
      this.#items = new Uint32Array(limit);
      this.#scores = new Float64Array(limit);
    }
    this.#size = 0;
    this.#limit = limit;
    this.#tieBreak = tieBreak;
  }

  get size(): number {
    return this.#size;
  }

  /** A score below this cannot enter. */
  get threshold(): number {
    if (this.#size < this.#limit) return Number.NEGATIVE_INFINITY;
    return this.#limit === 0 ? Number.POSITIVE_INFINITY : this.#scores[0];
  }

  /** Whether an item with this score could still enter; a cheap test before an expensive one. */
  admits(score: number, item: number): boolean {
    if (this.#size < this.#limit) return true;
    return this.#limit > 0 && this.#ranksBefore(score, item, this.#scores[0], this.#items[0]);
  }

  offer(score: number, item: number): void {
    if (this.#size < this.#limit) {
      this.#siftUp(this.#size++, score, item);
    } else if (this.#limit > 0 && this.#ranksBefore(score, item, this.#scores[0], this.#items[0])) {
      this.#siftDown(score, item, this.#size);
    }
  }

  /** Visits the items with the best first and empties the heap. */
  drain(visit: (score: number, item: number) => void): void {
    const count = this.#size;
    for (let end = count - 1; end > 0; end--) {
      const score = this.#scores[end];
      const item = this.#items[end];
      this.#scores[end] = this.#scores[0];
      this.#items[end] = this.#items[0];
      this.#siftDown(score, item, end);
    }
    this.#size = 0;
    for (let n = 0; n < count; n++) visit(this.#scores[n], this.#items[n]);
  }

  #siftUp(start: number, score: number, item: number): void {
    let at = start;
    while (at > 0) {
      const parent = (at - 1) >>> 1;
      if (!this.#ranksBefore(this.#scores[parent], this.#items[parent], score, item)) break;
      this.#scores[at] = this.#scores[parent];
      this.#items[at] = this.#items[parent];
      at = parent;
    }
    this.#scores[at] = score;
    this.#items[at] = item;
  }

  /** Puts the item at the root of the first `size` places and lets it sink. */
  #siftDown(score: number, item: number, size: number): void {
    let at = 0;
    for (let child = 1; child < size; child = 2 * at + 1) {
      const right = child + 1;
      if (
        right < size &&
        this.#ranksBefore(this.#scores[child], this.#items[child], this.#scores[right], this.#items[right])
      ) {
        child = right;
      }
      if (!this.#ranksBefore(score, item, this.#scores[child], this.#items[child])) break;
      this.#scores[at] = this.#scores[child];
      this.#items[at] = this.#items[child];
      at = child;
    }
    this.#scores[at] = score;
    this.#items[at] = item;
  }

  #ranksBefore(score: number, item: number, otherScore: number, otherItem: number): boolean {
    if (score !== otherScore) return score > otherScore;
    return this.#tieBreak === null ? item < otherItem : this.#tieBreak(item, otherItem) < 0;
  }
}
