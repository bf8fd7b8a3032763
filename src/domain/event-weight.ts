// How much one event counts as a positive signal, the same in training and in serving.

/** A value is worth at most so many plain events: one huge value must not drown a history. */
export const MAX_VALUE_WEIGHT = 10;

/** 1 for the default value 1, growing with the logarithm; 0 for what is no positive signal. */
export function valueWeight(value: number): number {
  if (!(value > 0)) return 0;
  return Math.min(MAX_VALUE_WEIGHT, Math.log2(1 + value));
}
