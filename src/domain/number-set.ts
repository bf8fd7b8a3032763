// A set of small numbers that is emptied at once and used again, so that nothing is allocated for each user: a number is in it if it
// was added in the present turn. Belongs to one thread.

const LAST_TURN = 0xffff_ffff;

export class NumberSet {
  /** by number */
  #turns: Uint32Array;
  #turn = 1;
  #numbers = new Uint32Array(64);
  #size = 0;

  /** Grows when a larger number is added. */
  constructor(numbers: number) {
    this.#turns = new Uint32Array(numbers);
  }

  get size(): number {
    return this.#size;
  }

  has(number: number): boolean {
    return this.#turns[number] === this.#turn;
  }

  add(number: number): void {
    if (this.has(number)) return;
    if (number >= this.#turns.length) this.#turns = grown(this.#turns, number + 1);
    if (this.#size === this.#numbers.length) this.#numbers = grown(this.#numbers, this.#size + 1);
    this.#turns[number] = this.#turn;
    this.#numbers[this.#size++] = number;
  }

  clear(): void {
    if (this.#turn === LAST_TURN) {
      this.#turns.fill(0);
      this.#turn = 0;
    }
    this.#turn++;
    this.#size = 0;
  }

  /** In the order they were added. Valid until the set changes. */
  values(): Uint32Array {
    return this.#numbers.subarray(0, this.#size);
  }

  [Symbol.iterator](): Iterator<number> {
    return this.values()[Symbol.iterator]();
  }

  memoryBytes(): number {
    return this.#turns.byteLength + this.#numbers.byteLength;
  }
}

function grown(numbers: Uint32Array, least: number): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(Math.max(least, numbers.length * 2));
  larger.set(numbers);
  return larger;
}
