// Lays out a ranker on a kernel memory, as kernels/assembly/rank.ts reads it.
import type { KernelMemory } from '../kernels/kernel-memory.ts';

/** Log constants of a lane's share, and floats after the lanes: as in the kernel. */
export const SHARE_LOGS = 3;
export const OTHER_FEATURES = 24;
export const MAX_DEEP = 4;
const DEEP_FEATURES = 5 * MAX_DEEP;

/** A ranker in terms of lanes (the order of a score block's experts). */
export interface LaneRanker {
  /** candidates of the blend that are ranked */
  readonly candidates: number;
  /** lanes whose single contributions count, at most four */
  readonly deep: readonly number[];
  /** weights of every lane for each log constant, then of the other features */
  readonly weights: ArrayLike<number>;
  /** an item's own score, which does not depend on the user */
  readonly bias: Float32Array;
}

export interface RankerBlock {
  readonly pointer: number;
  readonly candidates: number;
  /** floats per candidate */
  readonly width: number;
  readonly weights: Float32Array;
  readonly bias: Float32Array;
  /** the lane of each feature; `lanes` for features of the user's own past with the item */
  readonly laneOf: Uint8Array;
}

export function featureWidth(lanes: number): number {
  return SHARE_LOGS * lanes + OTHER_FEATURES;
}

/** Bytes that ranking takes in addition to the scoring scratch, for this many candidates. */
export function rankScratchBytes(lanes: number, candidates: number): number {
  return candidates * (8 + featureWidth(lanes) * 4) + 64;
}

/** `lanes` of the score block it belongs to, `usedLanes` of them in use. */
export function buildRankerBlock(
  memory: KernelMemory,
  { lanes, usedLanes, itemCount }: { lanes: number; usedLanes: number; itemCount: number },
  ranker: LaneRanker,
): RankerBlock {
  const width = featureWidth(lanes);
  const weights = memory.f32(width).fill(0);
  for (let c = 0; c < SHARE_LOGS; c++) {
    for (let lane = 0; lane < usedLanes; lane++) weights[c * lanes + lane] = ranker.weights[c * usedLanes + lane];
  }
  for (let n = 0; n < OTHER_FEATURES; n++) {
    weights[SHARE_LOGS * lanes + n] = ranker.weights[SHARE_LOGS * usedLanes + n];
  }
  const bias = memory.f32(itemCount);
  bias.set(ranker.bias.subarray(0, itemCount));
  const block = memory.u32(8).fill(0);
  block.set([weights.byteOffset, bias.byteOffset, ranker.deep.length, ...ranker.deep]);
  const laneOf = Uint8Array.from({ length: width }, (_, n) => {
    if (n < SHARE_LOGS * lanes) return n % lanes;
    const other = n - SHARE_LOGS * lanes;
    return other < DEEP_FEATURES ? (ranker.deep[other % MAX_DEEP] ?? 0) : lanes;
  });
  return { pointer: block.byteOffset, candidates: ranker.candidates, width, weights, bias, laneOf };
}
