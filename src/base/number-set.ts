// A set of a few numbers that is emptied at once and used again, so that nothing is allocated for each user. It takes memory for what is
// in it, not for all numbers that there are: catalogs may have a million items. Belongs to one thread.

const FEW_SLOTS = 128;
/** A larger table would make `clear` slow for everyone after one user with many numbers. */
const MOST_KEPT_SLOTS = 16 * 1024;
/** 2³² by the golden ratio: neighbors end up far from each other. */
const SPREAD = 0x9e37_79b1;

export class NumberSet {
  /** 1 + the place in `#numbers`, in the slot of the number or one of the next; 0: free. Half of them at least are. */
  #slots = new Uint32Array(FEW_SLOTS);
  #shift = shiftFor(FEW_SLOTS);
  #numbers = new Uint32Array(FEW_SLOTS / 2);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  has(number: number): boolean {
    return this.#slots[this.#slotOf(number)] !== 0;
  }

  /** Returns how many numbers were added before this one; −1 if it is not in the set. */
  placeOf(number: number): number {
    return this.#slots[this.#slotOf(number)] - 1;
  }

  add(number: number): void {
    const slot = this.#slotOf(number);
    if (this.#slots[slot] !== 0) return;
    this.#numbers[this.#size++] = number;
    this.#slots[slot] = this.#size;
    if (this.#size === this.#numbers.length) this.#grow();
  }

  clear(): void {
    this.#size = 0;
    if (this.#slots.length > MOST_KEPT_SLOTS) this.#resize(FEW_SLOTS);
    else this.#slots.fill(0);
  }

  /** Returns the numbers in the order they were added. Valid until the set changes. */
  values(): Uint32Array {
    return this.#numbers.subarray(0, this.#size);
  }

  [Symbol.iterator](): Iterator<number> {
    return this.values()[Symbol.iterator]();
  }

  memoryBytes(): number {
    return this.#slots.byteLength + this.#numbers.byteLength;
  }

  /** Finds the slot where the number is or would be. */
  #slotOf(number: number): number {
    const slots = this.#slots;
    const last = slots.length - 1;
    let slot = Math.imul(number, SPREAD) >>> this.#shift;
    while (slots[slot] !== 0 && this.#numbers[slots[slot] - 1] !== number) slot = (slot + 1) & last;
    return slot;
  }

  #grow(): void {
    const numbers = this.#numbers;
    this.#resize(this.#slots.length * 2);
    this.#size = 0;
    for (const number of numbers) this.add(number);
  }

  #resize(slots: number): void {
    this.#slots = new Uint32Array(slots);
    this.#shift = shiftFor(slots);
    this.#numbers = new Uint32Array(slots / 2);
  }
}

/** A hash of 32 bits, shifted right by this, is the number of a slot. */
function shiftFor(slots: number): number {
  return Math.clz32(slots - 1);
}
