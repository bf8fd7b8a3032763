// Lays out the block of pointers that the scoring kernels read (see kernels/assembly/score.ts) on a kernel memory. The arrays
// named by it must be on the same memory.

import { atOnce, type Steps } from '../base/steps.ts';
import type { LaneRows } from '../experts/slot-rows.ts';
import type { KernelMemory } from '../kernels/kernel-memory.ts';
import { orderSteps } from './order-by.ts';

export interface SparseLane extends LaneRows {
  /** weight of the l-th newest item; older ones than its length do not count */
  readonly query: Float32Array;
}

export interface ScoreBlockInput {
  readonly itemCount: number;
  readonly sparse: readonly SparseLane[];
  /** the largest value is 1 */
  readonly popularity: Float32Array | null;
  /** sparse lanes first, then popularity */
  readonly weights: readonly number[];
  /** c of log(1 + x/c); 0 for linear */
  readonly logConstant: number;
}

export interface ScoreBlock {
  readonly pointer: number;
  readonly itemCount: number;
  readonly lanes: number;
  readonly usedLanes: number;
  /** z of items that no item of a history leads to: popularity's part alone */
  readonly rests: Float32Array;
  /** items in descending order of their rests */
  readonly order: Uint32Array;
  /** bytes of zeroed scratch that scoring needs: whole cache lines */
  readonly scratchBytes: number;
  readonly weights: Float32Array;
}

const NO_LANE = 0xffff_ffff;
const EXPERT_WORDS = 6;
const CACHE_LINE_BYTES = 64;
/** Items that a search scores at once; as in kernels/assembly/score.ts. */
const SOME_ITEMS = 64;

/** Positions in the scratch memory, in bytes from its start; must match kernels/assembly/score.ts. */
export interface ScoreScratchLayout {
  readonly inverses: number;
  readonly slots: number;
  readonly sums: number;
  /** bytes of each array that is indexed by place */
  readonly roomBytes: number;
  readonly bytes: number;
}

export function scoreScratchLayout(itemCount: number, experts: number, lanes: number): ScoreScratchLayout {
  const roomBytes = Math.floor((itemCount + 31) / 16) * 16 * 4;
  const inverses = CACHE_LINE_BYTES;
  const slots = inverses + lanes * 4;
  const sums = slots + 3 * roomBytes;
  const end = sums + experts * roomBytes + (3 + experts) * SOME_ITEMS * 4 + roomBytes / 2;
  const bytes = Math.ceil(end / CACHE_LINE_BYTES) * CACHE_LINE_BYTES;
  return { inverses, slots, sums, roomBytes, bytes };
}

export function lanesFor(experts: number): number {
  return Math.max(4, Math.ceil(experts / 4) * 4);
}

export function buildScoreBlock(memory: KernelMemory, input: ScoreBlockInput): ScoreBlock {
  return atOnce(scoreBlockSteps(memory, input));
}

export function* scoreBlockSteps(memory: KernelMemory, input: ScoreBlockInput): Steps<ScoreBlock> {
  const { itemCount, sparse, popularity } = input;
  const usedLanes = sparse.length + (popularity ? 1 : 0);
  const lanes = lanesFor(usedLanes);
  const weights = memory.f32(lanes).fill(0);
  weights.set(input.weights.slice(0, usedLanes));
  const sparseWords = memory.u32(sparse.length * EXPERT_WORDS);
  sparse.forEach((lane, n) => {
    const pointers = [lane.starts, lane.ends, lane.columns, lane.values, lane.query].map((view) => view.byteOffset);
    sparseWords.set([...pointers, lane.query.length], n * EXPERT_WORDS);
  });
  const block = memory.u32(16).fill(0);
  block.set([itemCount, lanes, sparse.length, 0, popularity ? usedLanes - 1 : NO_LANE]);
  // Items that a history does not reach enter a list in the order of their z, which is popularity's part alone.
  const order = memory.u32(itemCount);
  const weight = popularity ? weights[usedLanes - 1] : 0;
  if (popularity && weight !== 0) order.set(yield* orderSteps(popularity, weight > 0));
  else for (let item = 0; item < itemCount; item++) order[item] = item;
  const rests = memory.f32(itemCount).fill(0);
  if (popularity && weight !== 0) yield* writeRests(popularity, weight, input.logConstant, rests);
  if (popularity) block[5] = popularity.byteOffset;
  block[6] = order.byteOffset;
  block[7] = weights.byteOffset;
  new Float32Array(block.buffer, block.byteOffset + 32, 1)[0] = input.logConstant;
  block[9] = rests.byteOffset;
  block[10] = sparseWords.byteOffset;
  return {
    pointer: block.byteOffset,
    itemCount,
    lanes,
    usedLanes,
    rests,
    order,
    scratchBytes: scoreScratchLayout(itemCount, sparse.length, lanes).bytes,
    weights,
  };
}

/** Items between two chances to be interrupted. */
const RESTS_A_STEP = 20_000;

function* writeRests(popularity: Float32Array, weight: number, c: number, rests: Float32Array): Steps<void> {
  for (let item = 0; item < rests.length; item++) {
    rests[item] = weight * (c > 0 ? Math.log1p(popularity[item] / c) : popularity[item]);
    if (item % RESTS_A_STEP === 0) yield;
  }
}
