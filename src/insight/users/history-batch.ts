// Histories of many users side by side, as the bulk kernels read them. The arrays are made by the caller, so that they can
// be on a kernel memory.

export interface HistoryArrays {
  /** history of user n: entries [offsets[n], offsets[n + 1]) */
  readonly offsets: Uint32Array;
  /** model items of each history, newest first */
  readonly items: Uint32Array;
  readonly weights: Float32Array;
  readonly seen: Uint8Array;
  /** further seen items (no positive signal, beyond the cap, cold): entries [extraOffsets[n], extraOffsets[n + 1]) of extras */
  readonly extraOffsets: Uint32Array;
  readonly extras: Uint32Array;
}

export interface ArrayMaker {
  u32(length: number): Uint32Array;
  f32(length: number): Float32Array;
  u8(length: number): Uint8Array;
}

const PLAIN_ARRAYS: ArrayMaker = {
  u32: (length) => new Uint32Array(length),
  f32: (length) => new Float32Array(length),
  u8: (length) => new Uint8Array(length),
};

export class HistoryBatch implements HistoryArrays {
  readonly offsets: Uint32Array;
  readonly items: Uint32Array;
  readonly weights: Float32Array;
  readonly seen: Uint8Array;
  readonly extraOffsets: Uint32Array;
  readonly extras: Uint32Array;
  /** number of the first user; the others follow */
  first = 0;
  count = 0;

  constructor(maxUsers: number, maxEntries: number, make: ArrayMaker = PLAIN_ARRAYS) {
    this.offsets = make.u32(maxUsers + 1);
    this.items = make.u32(maxEntries);
    this.weights = make.f32(maxEntries);
    this.seen = make.u8(maxEntries);
    this.extraOffsets = make.u32(maxUsers + 1);
    this.extras = make.u32(maxEntries);
    this.clear(0);
  }

  clear(first: number): void {
    this.first = first;
    this.count = 0;
    this.offsets[0] = 0;
    this.extraOffsets[0] = 0;
  }

  /** Appends a history (of another batch, or of one folded by itself), leaving out the entries before `from`. */
  append(
    history: Pick<HistoryArrays, 'items' | 'weights' | 'seen'>,
    from: number,
    to: number,
    extras: Uint32Array,
  ): void {
    const start = this.offsets[this.count];
    this.items.set(history.items.subarray(from, to), start);
    this.weights.set(history.weights.subarray(from, to), start);
    this.seen.set(history.seen.subarray(from, to), start);
    this.end(to - from, extras);
  }

  /** The next user's history is written, `length` entries from its offset on. */
  end(length: number, extras: Uint32Array): void {
    this.extras.set(extras, this.extraOffsets[this.count]);
    this.extraOffsets[this.count + 1] = this.extraOffsets[this.count] + extras.length;
    this.offsets[this.count + 1] = this.offsets[this.count] + length;
    this.count++;
  }

  /** Whether one more user with this many entries fits. */
  fits(entries: number): boolean {
    return (
      this.count < this.offsets.length - 1 &&
      this.offsets[this.count] + entries <= this.items.length &&
      this.extraOffsets[this.count] + entries <= this.extras.length
    );
  }
}
