// Lays out the block of pointers that the scoring kernels read (see kernels/assembly/score.ts) on a kernel memory. The arrays
// named by it must stand on the same memory.

import { atOnce, type Steps } from '../domain/steps.ts';
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
  /** the largest 1 */
  readonly popularity: Float32Array | null;
  /** in the order sparse, popularity */
  readonly weights: readonly number[];
  /** c of log(1 + x/c); 0 for linear */
  readonly logConstant: number;
  readonly seenTakesPart: boolean;
}

export interface ScoreBlock {
  readonly pointer: number;
  readonly itemCount: number;
  readonly lanes: number;
  readonly usedLanes: number;
  /** items by falling popularity part of z */
  readonly order: Uint32Array;
  /** bytes of zeroed scratch that scoring needs */
  readonly scratchBytes: number;
  readonly weights: Float32Array;
}

const NO_LANE = 0xffff_ffff;
const EXPERT_WORDS = 6;

export function scoreScratchBytes(itemCount: number, lanes: number): number {
  return scoreScratchLayout(itemCount, lanes).end;
}

/** Where things stand in the scratch, in bytes from its start; as in kernels/assembly/score.ts. */
export function scoreScratchLayout(itemCount: number, lanes: number): { maxima: number; sums: number; end: number } {
  const room = Math.ceil(itemCount / 4) * 4;
  const maxima = room * 12;
  const sums = maxima + lanes * 4;
  return { maxima, sums, end: sums + room * lanes * 4 };
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
  block.set([itemCount, lanes, sparse.length, input.seenTakesPart ? 1 : 0, popularity ? usedLanes - 1 : NO_LANE]);
  // Untouched items enter an answer in the order of their z, which is popularity's part alone.
  const order = memory.u32(itemCount);
  const weight = popularity ? weights[usedLanes - 1] : 0;
  if (popularity && weight !== 0) order.set(yield* orderSteps(popularity, weight > 0));
  else for (let item = 0; item < itemCount; item++) order[item] = item;
  if (popularity) block[5] = popularity.byteOffset;
  block[6] = order.byteOffset;
  block[7] = weights.byteOffset;
  new Float32Array(block.buffer, block.byteOffset + 32, 1)[0] = input.logConstant;
  block[10] = sparseWords.byteOffset;
  return {
    pointer: block.byteOffset,
    itemCount,
    lanes,
    usedLanes,
    order,
    scratchBytes: scoreScratchBytes(itemCount, lanes),
    weights,
  };
}
