// Counting on this machine: one kernel call over the matrix on the kernels' memory, rows split over threads.
import type { Interactions } from '../dataset/interactions.ts';
import type { KernelPool } from '../kernels/kernel-pool.ts';
import type {
  CooccurrenceRows,
  EventAggregation,
  LagWeights,
  LengthScales,
  TransitionRows,
} from './event-aggregation.ts';

export class BuiltInAggregation implements EventAggregation {
  readonly itemCount: number;
  readonly longest: number;
  readonly #pool: KernelPool;
  readonly #x: Interactions;

  constructor(pool: KernelPool, x: Interactions) {
    this.#pool = pool;
    this.#x = x;
    this.itemCount = x.itemCount;
    let longest = 0;
    for (let user = 0; user < x.userCount; user++) longest = Math.max(longest, lengthOf(x, user));
    this.longest = longest;
  }

  async counts(): Promise<Uint32Array> {
    const { itemOffsets } = this.#x;
    return Uint32Array.from({ length: this.itemCount }, (_, item) => itemOffsets[item + 1] - itemOffsets[item]);
  }

  /** `into` is on the kernels' memory. */
  async cooccurrence(scales: LengthScales, into: CooccurrenceRows): Promise<void> {
    const x = this.#x;
    const { memory } = this.#pool;
    const mark = memory.mark();
    const userScales = memory.u32(2 * x.userCount);
    for (let user = 0; user < x.userCount; user++) {
      const length = lengthOf(x, user);
      userScales[2 * user] = scales[0][length];
      userScales[2 * user + 1] = scales[1][length];
    }
    const { slot, counts, columns, first, second, diagonals } = into;
    await this.#pool.run(
      'cooccurrenceRows',
      [...matrixOf(x), userScales, x.itemCount, slot, counts, columns, first, second, diagonals],
      { rows: x.itemCount, scratchBytes: scratchBytes(x.itemCount, 16, slot) },
    );
    memory.release(mark);
  }

  /** `into` is on the kernels' memory. */
  async transitions({ forward, backward, columnScales }: LagWeights, into: TransitionRows): Promise<void> {
    const x = this.#x;
    const { memory } = this.#pool;
    const mark = memory.mark();
    const [ahead, behind] = [memory.u32(forward.length), memory.u32(backward.length)];
    ahead.set(forward);
    behind.set(backward);
    const scales = memory.f32(x.itemCount);
    scales.set(columnScales);
    const { slot, counts, columns, values, sums } = into;
    await this.#pool.run(
      'transitionRows',
      [...matrixOf(x), forward.length - 1, ahead, behind, scales, x.itemCount, slot, counts, columns, values, sums],
      { rows: x.itemCount, scratchBytes: scratchBytes(x.itemCount, 8, slot) },
    );
    memory.release(mark);
  }
}

function lengthOf({ userOffsets }: Interactions, user: number): number {
  return userOffsets[user + 1] - userOffsets[user];
}

function matrixOf({ userOffsets, items, weights, itemOffsets, entries, entryUsers }: Interactions) {
  return [userOffsets, items, weights, itemOffsets, entries, entryUsers];
}

/** As the kernels lay it out: sums, bits, touched, values, picked. */
export function scratchBytes(items: number, sumBytes: number, slot: number): number {
  return items * (sumBytes + 8) + (Math.floor(items / 64) + 1) * 8 + 4 + slot * 4;
}
