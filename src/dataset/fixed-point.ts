// Numbers that every implementation of EventAggregation counts with: whole numbers, which add up to the same in any order. The
// kernels have the same rules (src/kernels/assembly/fixed-point.ts), and so has the Spark program.
//
//   weight of an entry        units of 2^−16, below 256
//   scale of a user, of a lag  units of 2^−20, at most 1
//   a pair adds                floor(floor(weight · scale / 2^12) · other weight / 2^16) + 1, in units of 2^−24
//
// The one unit makes sure that a pair is never nothing. A sum becomes a 32-bit float once, at the end.

const WEIGHT_UNITS = 2 ** 16;
const SCALE_UNITS = 2 ** 20;
const MAX_WEIGHT = 255;

/** The nearest weight that can be counted with; never 0. */
export function countableWeight(weight: number): number {
  return Math.max(1, Math.round(Math.min(weight, MAX_WEIGHT) * WEIGHT_UNITS)) / WEIGHT_UNITS;
}

export function fixedScale(scale: number): number {
  return Math.round(Math.min(1, Math.max(0, scale)) * SCALE_UNITS);
}
