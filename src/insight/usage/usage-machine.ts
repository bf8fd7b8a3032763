// Usage of many users at once, on all threads: lays the model and the catalog's pairs out on the pool's memory and runs the
// kernel (kernels/assembly/usage.ts) over batches of histories.

import type { G1Model } from '../../artifact/g1-model.ts';
import type { KernelArgument, KernelPool } from '../../kernels/kernel-pool.ts';
import { buildUsersBlock } from '../../scoring/question-block.ts';
import { buildScoreBlock, type ScoreBlock, scoreScratchLayout } from '../../scoring/score-block.ts';
import { blendLanes } from '../../scoring/score-lanes.ts';
import { HistoryBatch } from '../users/history-batch.ts';
import type { UsageSpace } from './usage-space.ts';

const MAX_OUT_FLOATS = 8 * 1024 * 1024;
const MAX_BATCH_USERS = 4096;
/** Few, so that no thread waits long for the last of a batch. */
const CHUNK_USERS = 16;
/** Words of the usage block before its 64-bit floats. */
const POINTER_WORDS = 20;
/** The largest mass is 2 to this power: far from where 64-bit floats end on either side. */
const TOP_EXPONENT = 500;

export class UsageMachine {
  readonly batchUsers: number;
  readonly scratchBytes: number;
  readonly #pool: KernelPool;
  readonly #space: UsageSpace;
  readonly #score: ScoreBlock;
  readonly #block: Uint32Array;
  readonly #leavesOutSeen: boolean;
  /** pointers to the users blocks of batches */
  readonly #users = new WeakMap<HistoryBatch, number>();

  private constructor(pool: KernelPool, model: G1Model, space: UsageSpace) {
    this.#pool = pool;
    this.#space = space;
    const { memory } = pool;
    this.#score = buildScoreBlock(memory, { itemCount: model.warmItemCount, ...blendLanes(memory, model) });
    this.#leavesOutSeen = !model.repeats.recommendSeen;
    const { pairCount, groupCount } = space;
    this.batchUsers = Math.max(16, Math.min(MAX_BATCH_USERS, Math.floor(MAX_OUT_FLOATS / Math.max(1, pairCount))));
    this.#block = this.#usageBlock(model);
    const ownMasses = 2 * scoreScratchLayout(model.warmItemCount, 0, 0).roomBytes;
    this.scratchBytes = this.#score.scratchBytes + ownMasses + pairCount * 16 + 8 + groupCount * 9;
  }

  static async create(pool: KernelPool, model: G1Model, space: UsageSpace): Promise<UsageMachine> {
    const machine = new UsageMachine(pool, model, space);
    const args = [machine.#score.pointer, machine.#block];
    await pool.run('usageBase', args, { rows: 1, scratchBytes: 0 });
    return machine;
  }

  /** A batch that `run` can read: on the pool's memory. */
  batch(historyLimit: number): HistoryBatch {
    const { memory } = this.#pool;
    return new HistoryBatch(this.batchUsers, Math.max(2 * historyLimit, this.batchUsers * 128), memory);
  }

  /** Allocates the memory that `run` writes to. */
  output(): Float32Array {
    return this.#pool.memory.f32(this.batchUsers * this.#space.pairCount);
  }

  /** Usages of the batch's users, row by row; a row of −1 is a user that has to be read another way. */
  async run(batch: HistoryBatch, out: Float32Array): Promise<void> {
    const chunkRows = CHUNK_USERS;
    await this.#pool.run('usageUsers', this.argumentsFor(batch, out), {
      rows: batch.count,
      scratchBytes: this.scratchBytes,
      chunkRows,
    });
  }

  /** The arguments of the kernel, before rows and scratch. */
  argumentsFor(batch: HistoryBatch, out: Float32Array): KernelArgument[] {
    return [this.#score.pointer, this.#block, this.#usersOf(batch), batch.extraOffsets, batch.extras, out];
  }

  /** A batch's arrays stay where they are: one block serves all its turns. */
  #usersOf(batch: HistoryBatch): number {
    const known = this.#users.get(batch);
    if (known !== undefined) return known;
    const { offsets, items, weights, seen } = batch;
    const pointer = buildUsersBlock(this.#pool.memory, {
      offsets,
      items,
      weights,
      seen: this.#leavesOutSeen ? seen : null,
      own: null,
      excludedOffsets: null,
      excluded: null,
    });
    this.#users.set(batch, pointer);
    return pointer;
  }

  #usageBlock(model: G1Model): Uint32Array {
    const { memory } = this.#pool;
    const space = this.#space;
    const u32 = (values: Uint32Array) => {
      const copy = memory.u32(values.length);
      copy.set(values);
      return copy.byteOffset;
    };
    const f32 = (values: Float32Array) => {
      const copy = memory.f32(values.length);
      copy.set(values);
      return copy.byteOffset;
    };
    const f64Room = (length: number) => memory.u8(length * 8).byteOffset;
    const words = [
      this.#warmItems(),
      u32(space.pairs),
      space.pairCount,
      f64Room(1 + space.pairCount),
      this.#leavesOutSeen ? 1 : 0,
      f64Room(1 + space.pairCount),
      0,
      space.groupCount,
      u32(space.groupOffsets),
      u32(space.groups),
      f32(space.groupParts),
      memory.f32(space.groupCount).byteOffset,
      f32(space.groupItems),
      u32(space.groupPairOffsets),
      u32(space.groupPairs),
      f32(space.groupPairItems),
      u32(space.coldGroups),
      u32(space.coldPairOffsets),
      u32(space.coldPairs),
    ];
    const block = memory.u32(POINTER_WORDS + 6);
    block.set(words);
    const tau = model.calibration.tau * Math.LOG2E;
    const scale = new Float64Array(block.buffer, block.byteOffset + POINTER_WORDS * 4, 3);
    scale.set([tau, TOP_EXPONENT - tau * largestScore(model), space.coldShare]);
    return block;
  }

  /** Pointer to the warm items, as `usageBase` finds them. */
  #warmItems(): number {
    const { warmItems, listed, pairOffsets } = this.#space;
    const words = this.#pool.memory.u32(warmItems * 4);
    const masses = new Float64Array(words.buffer, words.byteOffset, warmItems * 2);
    for (let item = 0; item < warmItems; item++) {
      masses[item * 2] = listed[item];
      words[item * 4 + 2] = pairOffsets[item];
      words[item * 4 + 3] = pairOffsets[item + 1];
    }
    return words.byteOffset;
  }
}

/** An upper bound of z: every expert at its maximum, negative weights at zero. */
function largestScore({ blend, experts }: G1Model): number {
  const { transform } = blend;
  const top = transform.kind === 'log' ? Math.log1p(1 / transform.c) : 1;
  return experts.reduce((sum, _, n) => sum + Math.max(0, blend.weights[n]) * top, 0);
}
