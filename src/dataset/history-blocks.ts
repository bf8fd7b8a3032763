// All histories of a fit, as blocks of users that fit on the kernels' memory. One block stays there. Several are written to files and
// come back one after the other, always in the order of users: what is summed block by block has the same sums as in one.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { KernelMemory } from '../kernels/kernel-memory.ts';
import { BlockFile } from './block-file.ts';
import type { EventTable } from './event-table.ts';
import {
  foldedHistories,
  type HistoryChoice,
  type HistorySource,
  type InteractionRules,
  type Interactions,
  interactionBytes,
  layOut,
} from './interactions.ts';
import type { HiddenOf, TrainingEvents } from './training-events.ts';

/** A block of users on the memory, with the entries of some items: entry lists are those of the items from `firstItem` on. */
export interface HistoryBlock extends Interactions {
  readonly firstItem: number;
  readonly isFirst: boolean;
  readonly isLast: boolean;
}

export interface ItemRange {
  readonly from: number;
  readonly to: number;
}

/** Size of the blocks, and the folder that holds them. */
export interface BlockRoom {
  /** bytes of a block; left out: what is free on the memory and not needed for other things */
  readonly blockBytes?: number | undefined;
  /** if left out, the system's folder for temporary files */
  readonly folder?: string | undefined;
}

/** Estimated memory for work on histories besides the block: pairs of items, directions, the rows of one expert. */
const OTHER_BYTES = { any: 1.5e9, perItem: 1000 };
/** A block gets at least this share of the free memory: if memory is small, the other work is smaller too. */
const BLOCK_SHARE = 0.35;

/** Memory of a block: that of all histories, but at most a share of the free memory. The other blocks are in files. */
export function leastBlockBytes(freeBytes: number, all: { users: number; items: number; entries: number }): number {
  return Math.min(BLOCK_SHARE * freeBytes, interactionBytes(all.users, all.items, all.entries));
}

function usualBlockBytes(freeBytes: number, itemCount: number): number {
  return Math.max(BLOCK_SHARE * freeBytes, freeBytes - OTHER_BYTES.any - OTHER_BYTES.perItem * itemCount);
}

/** Histories of all users, from as many sources as their events have parts. At least one, in the order of users. */
export interface AllHistories {
  readonly userCount: number;
  readonly itemCount: number;
  sources(): AsyncIterable<HistorySource>;
}

interface WrittenBlock {
  readonly file: BlockFile;
  readonly userCount: number;
  readonly length: number;
}

/** Index of each column in a file. */
const COLUMN = { userOffsets: 0, items: 1, weights: 2, itemOffsets: 3, entries: 4, entryUsers: 5 } as const;

export class HistoryBlocks implements AsyncDisposable {
  readonly userCount: number;
  readonly itemCount: number;
  /** number of users of each item */
  readonly degrees: Uint32Array;
  /** for each item, the summed lengths of its users' histories: its number of pairs with any item */
  readonly pairs: Float64Array;
  /** length of the longest history */
  longest = 0;
  readonly #memory: KernelMemory;
  #only: Interactions | null = null;
  readonly #written: WrittenBlock[] = [];
  #folder: string | null = null;

  private constructor(memory: KernelMemory, { userCount, itemCount }: AllHistories) {
    this.#memory = memory;
    this.userCount = userCount;
    this.itemCount = itemCount;
    this.degrees = new Uint32Array(itemCount);
    this.pairs = new Float64Array(itemCount);
  }

  /** Close it in the end. A single block is on the memory until that is released. */
  static async build(memory: KernelMemory, all: AllHistories, room: BlockRoom = {}): Promise<HistoryBlocks> {
    const histories = new HistoryBlocks(memory, all);
    const blockBytes = room.blockBytes ?? usualBlockBytes(memory.freeBytes, all.itemCount);
    const mark = memory.mark();
    const write = async (block: Interactions) => {
      await histories.#write(block, room.folder ?? tmpdir());
      memory.release(mark);
    };
    try {
      let last: Interactions | null = null;
      for await (const source of all.sources()) {
        for (const range of cutInBlocks(source, blockBytes)) {
          if (last !== null) await write(last);
          last = layOut(memory, source, range);
          histories.#count(last);
        }
      }
      if (histories.#written.length === 0) histories.#only = last;
      else if (last !== null) await write(last);
    } catch (error) {
      await histories.close();
      throw error;
    }
    return histories;
  }

  get blockCount(): number {
    return this.#only === null ? this.#written.length : 1;
  }

  /**
   * If there are several blocks: the users and the bytes of the largest, without its entries by item, and its share of
   * all entries.
   */
  get largestBlock(): { users: number; bytes: number; entryShare: number } {
    const most = (of: (block: WrittenBlock) => number) => Math.max(0, ...this.#written.map(of));
    const all = this.#written.reduce((sum, { length }) => sum + length, 0);
    return {
      users: most(({ userCount }) => userCount),
      bytes: most(({ userCount, length }) => 4 * userCount + 8 * length),
      entryShare: most(({ length }) => length) / Math.max(1, all),
    };
  }

  /** Blocks in the order of users. `items`: whose entries are needed; left out: those of all. */
  async each(
    visit: (block: HistoryBlock) => Promise<void> | void,
    items: ItemRange = { from: 0, to: this.itemCount },
  ): Promise<void> {
    if (this.#only !== null) return visit({ ...this.#only, firstItem: 0, isFirst: true, isLast: true });
    for (const [n, written] of this.#written.entries()) {
      const mark = this.#memory.mark();
      const block = await this.#load(written, items);
      await visit({
        ...block,
        firstItem: items.from,
        isFirst: n === 0,
        isLast: n === this.#written.length - 1,
      });
      this.#memory.release(mark);
    }
  }

  async close(): Promise<void> {
    for (const { file } of this.#written.splice(0)) await file.close();
    if (this.#folder !== null) await rm(this.#folder, { recursive: true, force: true });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #count({ userCount, userOffsets, items }: Interactions): void {
    for (let user = 0; user < userCount; user++) {
      const length = userOffsets[user + 1] - userOffsets[user];
      this.longest = Math.max(this.longest, length);
      for (let place = userOffsets[user]; place < userOffsets[user + 1]; place++) {
        this.degrees[items[place]]++;
        this.pairs[items[place]] += length;
      }
    }
  }

  async #write(block: Interactions, folder: string): Promise<void> {
    this.#folder ??= await mkdtemp(join(folder, 'histories-'));
    const { userCount, length } = block;
    const columns = (Object.keys(COLUMN) as (keyof typeof COLUMN)[]).map((name) => block[name]);
    const file = await BlockFile.write(join(this.#folder, String(this.#written.length)), columns);
    this.#written.push({ file, userCount, length });
  }

  async #load({ file, userCount, length }: WrittenBlock, { from, to }: ItemRange): Promise<Interactions> {
    const memory = this.#memory;
    const userOffsets = memory.u32(userCount + 1);
    const items = memory.u32(length);
    const weights = memory.f32(length);
    const itemOffsets = memory.u32(to - from + 1);
    await file.read(COLUMN.userOffsets, 0, userOffsets);
    await file.read(COLUMN.items, 0, items);
    await file.read(COLUMN.weights, 0, weights);
    await file.read(COLUMN.itemOffsets, from, itemOffsets);
    const first = itemOffsets[0];
    for (let n = 0; n < itemOffsets.length; n++) itemOffsets[n] -= first;
    const entries = memory.u32(itemOffsets[to - from]);
    const entryUsers = memory.u32(entries.length);
    await file.read(COLUMN.entries, first, entries);
    await file.read(COLUMN.entryUsers, first, entryUsers);
    return {
      userCount,
      itemCount: this.itemCount,
      length,
      userOffsets,
      items,
      weights,
      itemOffsets,
      entries,
      entryUsers,
    };
  }
}

/** Builds the histories of a table. */
export function buildHistories(
  memory: KernelMemory,
  table: EventTable,
  rules: InteractionRules,
  options: HistoryChoice & BlockRoom = {},
): Promise<HistoryBlocks> {
  return HistoryBlocks.build(memory, inOne(foldedHistories(table, rules, options)), options);
}

export function inOne(source: HistorySource): AllHistories {
  return {
    userCount: source.userCount,
    itemCount: source.itemCount,
    async *sources() {
      yield source;
    },
  };
}

/** The histories of all users. `hiddenOf`: events that are left out of them. */
export function buildAllHistories(
  memory: KernelMemory,
  events: TrainingEvents,
  rules: InteractionRules,
  { hiddenOf, ...room }: BlockRoom & { readonly hiddenOf?: HiddenOf } = {},
): Promise<HistoryBlocks> {
  const { userCount, itemCount } = events;
  async function* sources() {
    for await (const part of events.parts()) {
      yield foldedHistories(part, rules, hiddenOf ? { hidden: hiddenOf(part) } : {});
    }
  }
  return HistoryBlocks.build(memory, { userCount, itemCount, sources }, room);
}

/** Bytes of memory per user of a block for counting and laying out vectors. */
const WORK_BYTES_PER_USER = 28;

/** Returns at least one block, each with at least one user. */
function cutInBlocks(source: HistorySource, blockBytes: number): { from: number; to: number }[] {
  const blocks: { from: number; to: number }[] = [];
  let from = 0;
  let entries = 0;
  for (let user = 0; user < source.userCount; user++) {
    const bound = source.bound(user);
    const users = user + 1 - from;
    const bytes = interactionBytes(users, source.itemCount, entries + bound) + users * WORK_BYTES_PER_USER;
    if (users > 1 && bytes > blockBytes) {
      blocks.push({ from, to: user });
      from = user;
      entries = 0;
    }
    entries += bound;
  }
  blocks.push({ from, to: source.userCount });
  return blocks;
}
