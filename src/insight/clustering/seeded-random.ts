// Random numbers that are the same on every machine for the same seed (xoshiro128** seeded by splitmix32).

export class SeededRandom {
  readonly #state = new Uint32Array(4);

  constructor(seed: number) {
    let mixed = seed >>> 0;
    for (let word = 0; word < 4; word++) {
      mixed = (mixed + 0x9e3779b9) >>> 0;
      let value = mixed;
      value = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
      value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35);
      this.#state[word] = value ^ (value >>> 16);
    }
  }

  /** A whole number from 0 to 2³² − 1. */
  word(): number {
    const s = this.#state;
    const result = Math.imul(rotateLeft(Math.imul(s[1], 5), 7), 9) >>> 0;
    const shifted = s[1] << 9;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= shifted;
    s[3] = rotateLeft(s[3], 11);
    return result;
  }

  /** 0 ≤ x < 1 */
  unit(): number {
    return (this.word() * 0x200000 + (this.word() >>> 11)) / 2 ** 53;
  }

  /** 0, 1 … below − 1 */
  below(below: number): number {
    return Math.floor(this.unit() * below);
  }

  /** Standard normal (Box and Muller). */
  gaussian(): number {
    return Math.sqrt(-2 * Math.log(1 - this.unit())) * Math.cos(2 * Math.PI * this.unit());
  }
}

function rotateLeft(value: number, bits: number): number {
  return (value << bits) | (value >>> (32 - bits));
}

/** `count` distinct numbers of 0 … total − 1, ascending, each equally likely (Vitter's selection sampling; all when count ≥ total). */
export function sampleIndexes(total: number, count: number, random: SeededRandom): Uint32Array {
  const sample = new Uint32Array(Math.min(total, count));
  let chosen = 0;
  for (let index = 0; chosen < sample.length; index++) {
    if (random.unit() * (total - index) < sample.length - chosen) sample[chosen++] = index;
  }
  return sample;
}
