// Splits the score of an item by expert. The features of a ranker are read as its kernel wrote them.
import type { RankerBlock } from './ranker-block.ts';
import type { LaneScoring } from './score-lanes.ts';

export interface ItemParts {
  readonly item: number;
  /** one part per lane */
  readonly ofExperts: Float32Array;
  /** the part of the user's own past with the item; 0 for an item outside the history */
  readonly own: number;
  /** the part that does not depend on the user */
  readonly rest: number;
}

/** `shares` has one number per expert, popularity last. */
export function blendedParts({ weights, logConstant }: LaneScoring, item: number, shares: Float32Array): ItemParts {
  const parts = shares.map((share, n) => weights[n] * (logConstant > 0 ? Math.log1p(share / logConstant) : share));
  const popularity = parts.length - 1;
  return { item, ofExperts: parts.subarray(0, popularity), own: 0, rest: parts[popularity] };
}

export function rankedParts(
  { weights, bias, laneOf }: RankerBlock,
  { lanes, usedLanes }: { lanes: number; usedLanes: number },
  item: number,
  features: Float32Array,
): ItemParts {
  const parts = new Float32Array(lanes + 1);
  for (const [n, feature] of features.entries()) parts[laneOf[n]] += weights[n] * feature;
  const popularity = usedLanes - 1;
  return { item, ofExperts: parts.subarray(0, popularity), own: parts[lanes], rest: parts[popularity] + bias[item] };
}
