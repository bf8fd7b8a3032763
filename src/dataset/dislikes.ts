// Events with a value below 0, in columns: 16 bytes each, which are not on the heap of JavaScript.
import { grown } from '../base/grown.ts';

/** Dislikes in the order of users, each user's oldest first. */
export interface Dislikes {
  /** row of the user in the table */
  readonly user: Uint32Array;
  readonly item: Uint32Array;
  readonly ts: Float64Array;
}

export const NO_DISLIKES: Dislikes = { user: new Uint32Array(0), item: new Uint32Array(0), ts: new Float64Array(0) };

/** Grows as dislikes arrive in order. */
export class DislikesBuilder {
  #length = 0;
  #user = new Uint32Array(64);
  #item = new Uint32Array(64);
  #ts = new Float64Array(64);

  get length(): number {
    return this.#length;
  }

  add(user: number, item: number, ts: number): void {
    if (this.#length === this.#user.length) this.#grow();
    const at = this.#length++;
    this.#user[at] = user;
    this.#item[at] = item;
    this.#ts[at] = ts;
  }

  /** Removes the dislikes of rows from this one on. */
  forget(row: number): void {
    while (this.#length > 0 && this.#user[this.#length - 1] >= row) this.#length--;
  }

  finish(): Dislikes {
    return {
      user: this.#user.subarray(0, this.#length),
      item: this.#item.subarray(0, this.#length),
      ts: this.#ts.subarray(0, this.#length),
    };
  }

  #grow(): void {
    const capacity = Math.ceil(this.#user.length * 1.6);
    this.#user = grown(this.#user, new Uint32Array(capacity));
    this.#item = grown(this.#item, new Uint32Array(capacity));
    this.#ts = grown(this.#ts, new Float64Array(capacity));
  }
}

/** Dislikes whose users arrive in any order; those of one user in theirs. */
export class DislikesInPlace {
  readonly #next: Uint32Array;
  readonly #dislikes: Dislikes;

  /** `counts` has the number of dislikes of each row. */
  constructor(counts: Uint32Array) {
    this.#next = new Uint32Array(counts.length);
    let length = 0;
    for (let row = 0; row < counts.length; row++) {
      this.#next[row] = length;
      length += counts[row];
    }
    this.#dislikes = { user: new Uint32Array(length), item: new Uint32Array(length), ts: new Float64Array(length) };
  }

  add(row: number, item: number, ts: number): void {
    const at = this.#next[row]++;
    this.#dislikes.user[at] = row;
    this.#dislikes.item[at] = item;
    this.#dislikes.ts[at] = ts;
  }

  /** Call after all dislikes were added. */
  finish(): Dislikes {
    return this.#dislikes;
  }
}
