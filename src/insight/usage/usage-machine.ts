// Usage of many users at once, on all threads: lays the model and the catalog's pairs out on the pool's memory and runs the
// kernel (kernels/assembly/usage.ts) over batches of histories.

import type { Expert, G1Model, ItemToItemExpert, PopularityExpert } from '../../artifact/g1-model.ts';
import type { KernelMemory } from '../../kernels/kernel-memory.ts';
import type { KernelArgument, KernelPool } from '../../kernels/kernel-pool.ts';
import { buildScoreBlock, type ScoreBlock, type SparseLane } from '../../scoring/score-block.ts';
import { normalisePopularity, queryTable } from '../../scoring/score-lanes.ts';
import { HistoryBatch } from '../users/history-batch.ts';
import { type PackedRows, packRows } from './packed-rows.ts';
import type { UsageSpace } from './usage-space.ts';

const MAX_OUT_FLOATS = 8 * 1024 * 1024;
const MAX_BATCH_USERS = 4096;
/** Few, so that no thread waits long for the last of a batch. */
const CHUNK_USERS = 16;
/** Words of the usage block that are floats. */
const TAU = 5;
const SHIFT = 6;
const LIFT = 23;
/** Exponents stand below this, near to where 32-bit floats end, at 88: what is far below stays above 0. Sums are in 64 bits. */
const TOP_EXPONENT = 85;
/** The largest exponent of 2 that a power of its own may have. */
const TOP_POWER = 126;

export interface UsageOptions {
  /** how rows are packed, if not as the number of items asks for */
  readonly wide?: boolean;
}

export class UsageMachine {
  readonly batchUsers: number;
  readonly scratchBytes: number;
  readonly #pool: KernelPool;
  readonly #space: UsageSpace;
  readonly #score: ScoreBlock;
  readonly #block: Uint32Array;
  readonly #rows: PackedRows;
  readonly #signed: Uint32Array;

  private constructor(pool: KernelPool, model: G1Model, space: UsageSpace, options: UsageOptions) {
    this.#pool = pool;
    this.#space = space;
    const { memory } = pool;
    const active = model.experts
      .map((expert, n) => ({ expert, weight: model.blend.weights[n] }))
      .filter((lane): lane is { expert: ItemToItemExpert; weight: number } => isActive(lane));
    this.#rows = packRows(
      memory,
      model.warmItemCount,
      active.map(({ expert }) => expert.rows),
      options.wide,
    );
    const queries = active.map(({ expert }) => queryTable(expert.query, model.historyCap));
    this.#signed = memory.u32(active.length);
    for (const [n, { expert }] of active.entries()) {
      this.#signed[n] = hasNegative(expert.rows.values) || hasNegative(queries[n]) ? 1 : 0;
    }
    const popularity = model.experts.findIndex(({ kind }) => kind === 'popularity');
    const shares = memory.f32(model.warmItemCount).fill(0);
    normalisePopularity((model.experts[popularity] as PopularityExpert).values, shares);
    const { transform } = model.blend;
    this.#score = buildScoreBlock(memory, {
      itemCount: model.warmItemCount,
      sparse: queries.map((weights) => onlyQuery(memory, weights)),
      popularity: shares,
      weights: [...active.map(({ weight }) => weight), model.blend.weights[popularity]],
      logConstant: transform.kind === 'log' ? transform.c : 0,
      seenTakesPart: model.repeats.recommendSeen,
    });
    const { pairCount, groupCount } = space;
    this.batchUsers = Math.max(16, Math.min(MAX_BATCH_USERS, Math.floor(MAX_OUT_FLOATS / Math.max(1, pairCount))));
    this.#block = this.#usageBlock(model);
    this.scratchBytes = scratchArraysBytes(model.warmItemCount) + pairCount * 8 + 8 + groupCount * 9;
  }

  static async create(
    pool: KernelPool,
    model: G1Model,
    space: UsageSpace,
    options: UsageOptions = {},
  ): Promise<UsageMachine> {
    const machine = new UsageMachine(pool, model, space, options);
    const args = [machine.#score.pointer, machine.#block];
    await pool.run('usageBase', args, 1, 0);
    return machine;
  }

  /** A batch that `run` can read: on the pool's memory. */
  batch(historyLimit: number): HistoryBatch {
    const { memory } = this.#pool;
    return new HistoryBatch(this.batchUsers, Math.max(2 * historyLimit, this.batchUsers * 128), memory);
  }

  /** Where `run` writes to. */
  output(): Float32Array {
    return this.#pool.memory.f32(this.batchUsers * this.#space.pairCount);
  }

  /** Usages of the batch's users, row by row; a row of −1 is a user that has to be read another way. */
  async run(batch: HistoryBatch, out: Float32Array): Promise<void> {
    const chunkRows = CHUNK_USERS;
    await this.#pool.run('usageUsers', this.argumentsFor(batch, out), batch.count, this.scratchBytes, { chunkRows });
  }

  /** What the kernel is called with, before rows and scratch. */
  argumentsFor(batch: HistoryBatch, out: Float32Array): KernelArgument[] {
    const { offsets, items, weights, seen, extraOffsets, extras } = batch;
    return [this.#score.pointer, this.#block, offsets, items, weights, seen, extraOffsets, extras, out];
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
      this.#rests().byteOffset,
      u32(space.pairs),
      space.pairCount,
      f64Room(1 + space.pairCount),
      model.repeats.recommendSeen ? 0 : 1,
      0,
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
      u32(space.pairOffsets),
      this.#rows.rows.byteOffset,
      this.#rows.wide ? 1 : 0,
      memory.f32(space.warmItems).byteOffset,
      ...[0, 0, 0, 0],
      this.#signed.byteOffset,
    ];
    const block = memory.u32(words.length);
    block.set(words);
    const floats = new Float32Array(block.buffer, block.byteOffset, words.length);
    const tau = model.calibration.tau * Math.LOG2E;
    const range = tau * largestScore(model);
    const lift = Math.max(0, Math.ceil(range) - TOP_POWER);
    floats[TAU] = tau;
    floats[SHIFT] = TOP_EXPONENT * Math.LOG2E - range;
    floats.set([lift, 2 ** -lift, 1.5 * 2 ** 23 - lift, lift - TOP_POWER], LIFT);
    return block;
  }

  /** Of the warm items, before `usageBase` has set them, and of one item that stands for nothing. */
  #rests(): Float32Array {
    const { warmItems, listed, pairOffsets, groupOffsets } = this.#space;
    const rests = this.#pool.memory.f32(warmItems + 1).fill(0);
    for (let item = 0; item < warmItems; item++) {
      const hasMore = pairOffsets[item + 1] > pairOffsets[item] || groupOffsets[item + 1] > groupOffsets[item];
      rests[item] = hasMore ? -listed[item] : listed[item];
    }
    return rests;
  }
}

function isActive({ expert, weight }: { expert: Expert; weight: number }): boolean {
  return expert.kind === 'item-to-item' && weight !== 0;
}

function hasNegative(values: Float32Array): boolean {
  for (let n = 0; n < values.length; n++) if (values[n] < 0) return true;
  return false;
}

/** The rows themselves are packed, and read from there. */
function onlyQuery(memory: KernelMemory, weights: Float32Array): SparseLane {
  const none = memory.u32(0);
  const query = memory.f32(weights.length);
  query.set(weights);
  return { starts: none, ends: none, columns: none, values: memory.f32(0), query };
}

/** The arrays over items and places that scoring and usage take: see kernels/assembly/reach.ts and usage.ts. */
function scratchArraysBytes(items: number): number {
  return 64 + (items + 31) * 4 * 6;
}

/** No z is above this: every expert at its maximum, negative weights at zero. */
function largestScore({ blend, experts }: G1Model): number {
  const { transform } = blend;
  const top = transform.kind === 'log' ? Math.log1p(1 / transform.c) : 1;
  return experts.reduce((sum, _, n) => sum + Math.max(0, blend.weights[n]) * top, 0);
}
