// Counting on this machine: kernel calls over the histories on the kernels' memory, rows split over threads. Where the histories are
// several blocks, rows are counted for some items at a time: as many as the unfinished rows of all columns have room for.
import type { HistoryBlock, HistoryBlocks, ItemRange } from '../dataset/history-blocks.ts';
import type { KernelArgument, KernelPool } from '../kernels/kernel-pool.ts';
import type {
  CooccurrenceRows,
  EventAggregation,
  LagWeights,
  LengthScales,
  TransitionRows,
} from './event-aggregation.ts';

/** Least share of the free memory for unfinished rows. The rest is for a block, its entries, and what threads work with. */
const PARTIAL_SHARE = 0.3;
/** Share, for unfinished rows, of the memory that a block and the threads leave. */
const LEFT_SHARE = 0.9;
/** The users of an item are spread evenly over blocks, as their order is that of hashes; a few more may be in one. */
const MORE_IN_ONE = 1.25;

/** Rows that are counted block by block. */
interface CountedItems {
  /** bytes of one sum */
  readonly sumBytes: number;
  /** bytes that a thread works with */
  readonly scratch: number;
  /** An item has no more columns. */
  bound(item: number): number;
}

export class BuiltInAggregation implements EventAggregation {
  readonly itemCount: number;
  readonly longest: number;
  readonly #pool: KernelPool;
  readonly #histories: HistoryBlocks;
  readonly #partialBytes: number | undefined;

  /** `partialBytes`: for unfinished rows, where there are several blocks; left out: a share of the memory. */
  constructor(pool: KernelPool, histories: HistoryBlocks, partialBytes?: number) {
    this.#pool = pool;
    this.#histories = histories;
    this.#partialBytes = partialBytes;
    this.itemCount = histories.itemCount;
    this.longest = histories.longest;
  }

  async counts(): Promise<Uint32Array> {
    return this.#histories.degrees.slice();
  }

  /** `into` is on the kernels' memory. */
  async cooccurrence(scales: LengthScales, into: CooccurrenceRows): Promise<void> {
    const { memory } = this.#pool;
    const { itemCount } = this;
    const { slot, counts, columns, first, second, diagonals } = into;
    const scratch = scratchBytes(itemCount, 16, slot);
    await this.#inBlocks(
      { sumBytes: 16, scratch, bound: (item) => this.#histories.pairs[item] },
      async (x, partial, rows) => {
        const userScales = memory.u32(2 * x.userCount);
        for (let user = 0; user < x.userCount; user++) {
          const length = x.userOffsets[user + 1] - x.userOffsets[user];
          userScales[2 * user] = scales[0][length];
          userScales[2 * user + 1] = scales[1][length];
        }
        await this.#pool.run(
          'cooccurrenceRows',
          [...matrixOf(x), userScales, ...partial, itemCount, slot, counts, columns, first, second, diagonals],
          { rows, scratchBytes: scratch },
        );
      },
    );
  }

  /** `into` is on the kernels' memory. */
  async transitions({ forward, backward, columnScales }: LagWeights, into: TransitionRows): Promise<void> {
    const { memory } = this.#pool;
    const { itemCount } = this;
    const mark = memory.mark();
    const [ahead, behind] = [memory.u32(forward.length), memory.u32(backward.length)];
    ahead.set(forward);
    behind.set(backward);
    const scales = memory.f32(itemCount);
    scales.set(columnScales);
    const { slot, counts, columns, values, sums } = into;
    const lags = forward.filter((omega) => omega > 0).length + backward.filter((omega) => omega > 0).length;
    const bound = (item: number) => Math.min(this.#histories.pairs[item], this.#histories.degrees[item] * lags);
    const scratch = scratchBytes(itemCount, 8, slot);
    await this.#inBlocks({ sumBytes: 8, scratch, bound }, (x, partial, rows) =>
      this.#pool.run(
        'transitionRows',
        [
          ...matrixOf(x),
          forward.length - 1,
          ahead,
          behind,
          scales,
          ...partial,
          itemCount,
          slot,
          counts,
          columns,
          values,
          sums,
        ],
        { rows, scratchBytes: scratch },
      ),
    );
    memory.release(mark);
  }

  /** Runs `count` for the rows of some items after the other, block by block. */
  async #inBlocks(
    rowsOf: CountedItems,
    count: (x: HistoryBlock, partial: readonly KernelArgument[], rows: number) => Promise<void>,
  ): Promise<void> {
    const { memory } = this.#pool;
    const inOne = this.#histories.blockCount === 1;
    const ranges = inOne ? [{ from: 0, to: this.itemCount }] : this.#ranges(rowsOf);
    for (const range of ranges) {
      const mark = memory.mark();
      const partial = inOne ? [0, 0, 0, 0] : this.#partialRows(range, rowsOf);
      await this.#histories.each(async (x) => {
        const blockMark = memory.mark();
        await count(x, [x.firstItem, ...partial, x.isLast ? 1 : 0], range.to - range.from);
        memory.release(blockMark);
      }, range);
      memory.release(mark);
    }
  }

  /** Cuts the items into as few ranges as memory allows, because all blocks are read for each range. */
  #ranges({ sumBytes, scratch, bound }: CountedItems): ItemRange[] {
    const { memory, threads } = this.#pool;
    const { users, bytes, entryShare } = this.#histories.largestBlock;
    // A pool gives threads half of what is free.
    const left = memory.freeBytes - bytes - 8 * users - 2 * threads * scratch;
    const room = this.#partialBytes ?? Math.max(PARTIAL_SHARE * memory.freeBytes, LEFT_SHARE * left);
    const bytesOf = (item: number) => {
      const entries = MORE_IN_ONE * entryShare * this.#histories.degrees[item];
      return Math.min(this.itemCount, bound(item)) * (sumBytes + 4) + 8 * entries + 12;
    };
    return rangesOf(this.itemCount, bytesOf, room);
  }

  /** Offsets, counts, columns and sums of unfinished rows. */
  #partialRows({ from, to }: ItemRange, { bound, sumBytes }: CountedItems): Uint32Array[] {
    const { memory } = this.#pool;
    const offsets = memory.u32(to - from);
    let length = 0;
    for (let item = from; item < to; item++) {
      offsets[item - from] = length;
      length += Math.min(this.itemCount, bound(item));
    }
    return [offsets, memory.u32(to - from).fill(0), memory.u32(length), memory.u32((length * sumBytes) / 4)];
  }
}

/** Items that need at most `most` bytes together, or one item. */
function rangesOf(itemCount: number, bytesOf: (item: number) => number, most: number): ItemRange[] {
  const ranges: ItemRange[] = [];
  let from = 0;
  let bytes = 0;
  for (let item = 0; item < itemCount; item++) {
    const own = bytesOf(item);
    if (item > from && bytes + own > most) {
      ranges.push({ from, to: item });
      from = item;
      bytes = 0;
    }
    bytes += own;
  }
  ranges.push({ from, to: itemCount });
  return ranges;
}

function matrixOf({ userOffsets, items, weights, itemOffsets, entries, entryUsers }: HistoryBlock) {
  return [userOffsets, items, weights, itemOffsets, entries, entryUsers];
}

/** The layout of the kernels: sums, bits, touched, values, picked. */
function scratchBytes(items: number, sumBytes: number, slot: number): number {
  return items * (sumBytes + 8) + (Math.floor(items / 64) + 1) * 8 + 4 + slot * 4;
}
