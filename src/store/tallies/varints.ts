// Whole numbers in as few bytes as they need: seven bits a byte, the lowest first. Signed ones are folded to 0, −1, 1, −2 …
import { grown } from '../../base/grown.ts';

export class VarintWriter {
  #bytes = new Uint8Array(1024);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** Writes a whole number from 0 to 2^53. */
  unsigned(value: number): void {
    // Ten bytes are more than any number takes.
    if (this.#length + 10 > this.#bytes.length) {
      this.#bytes = grown(this.#bytes, new Uint8Array(this.#bytes.length * 2));
    }
    let rest = value;
    while (rest >= 0x80) {
      this.#bytes[this.#length++] = (rest % 0x80) | 0x80;
      rest = Math.floor(rest / 0x80);
    }
    this.#bytes[this.#length++] = rest;
  }

  signed(value: number): void {
    this.unsigned(value < 0 ? -2 * value - 1 : 2 * value);
  }

  /** Returns a copy of the bytes. */
  take(): Uint8Array {
    return this.#bytes.slice(0, this.#length);
  }

  clear(): void {
    this.#length = 0;
  }
}

export class VarintReader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  unsigned(): number {
    let value = this.#bytes[this.#at++];
    // Most values are small and take one byte.
    if (value < 0x80) return value;
    value &= 0x7f;
    for (let scale = 0x80; ; scale *= 0x80) {
      const byte = this.#bytes[this.#at++];
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
    }
  }

  signed(): number {
    const folded = this.unsigned();
    return (folded & 1) === 0 ? folded / 2 : -(folded + 1) / 2;
  }
}
