// Collects the chunks of a body in blocks that own their memory. Blocks can be transferred to another thread, and a body sent
// byte by byte takes no more memory than one sent whole.

const MAX_BLOCK_BYTES = 64 * 1024;

export class BodyBlocks {
  readonly #blocks: Buffer<ArrayBuffer>[] = [];
  /** Used bytes of the last block. */
  #used = 0;
  #length = 0;
  /** A body that arrives in one chunk is not copied. */
  #only: Buffer | null = null;

  get length(): number {
    return this.#length;
  }

  /** `expectedBytes`: bytes still to come including this chunk, if known. */
  add(piece: Buffer, expectedBytes: number): void {
    if (this.#length === 0) this.#only = piece;
    else {
      if (this.#only) this.#copy(this.#only, expectedBytes + this.#only.length);
      this.#only = null;
      this.#copy(piece, expectedBytes);
    }
    this.#length += piece.length;
  }

  whole(): Buffer {
    return this.#only ?? Buffer.concat(this.#filled(), this.#length);
  }

  owned(): Buffer<ArrayBuffer>[] {
    if (this.#only) this.#copy(this.#only, this.#only.length);
    this.#only = null;
    return this.#filled();
  }

  #copy(piece: Buffer, expectedBytes: number): void {
    for (let from = 0; from < piece.length; ) {
      let block = this.#blocks.at(-1);
      if (!block || this.#used === block.length) {
        const rest = Math.max(expectedBytes, piece.length) - from;
        block = Buffer.from(new ArrayBuffer(Math.min(rest, MAX_BLOCK_BYTES)));
        this.#blocks.push(block);
        this.#used = 0;
      }
      const copied = piece.copy(block, this.#used, from);
      this.#used += copied;
      from += copied;
    }
  }

  #filled(): Buffer<ArrayBuffer>[] {
    return this.#blocks.map((block, i) => (i === this.#blocks.length - 1 ? block.subarray(0, this.#used) : block));
  }
}
