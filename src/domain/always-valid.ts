// The lift of a variant over the control, with an interval that holds however often one looks: for experiments, and for the console's
// overview, which people keep open.
//
// An ordinary 95% interval holds for one look. Who looks every hour and stops at the first interval without zero finds a
// difference in most experiments, also where there is none. Here the interval comes from a mixture of likelihood ratios
// (Robbins 1970; Johari, Pekelis and Walsh 2015): with L = ln(mean of variant / mean of control), its variance V by the delta
// method, and true effects drawn from N(0, φ²),
//
//   Λ = √(V / (V + φ²)) · exp(φ² L² / (2 V (V + φ²)))
//
// exceeds 1/α with a chance of at most α over all looks together. So L ± √(2 V (V + φ²) / φ² · ln(√((V + φ²) / V) / α)) holds
// at all of them. φ is fixed before the experiment; other effects are found too, only a little later.

import type { Interval } from './intervals.ts';

/** Observations of one variant, one number per visitor: for example whether there was a click, or the value of purchases. */
export interface VariantSample {
  readonly visitors: number;
  readonly sum: number;
  readonly sumOfSquares: number;
  /** visitors whose number is not 0 */
  readonly converted: number;
}

/** Chance that an interval ever misses the truth, over all looks together. */
export const MISS_CHANCE = 0.05;
/** The lifts that are found soonest: about 10%. */
const EFFECT_SCALE = 0.1;
/** With fewer conversions in either variant, a ratio of means is too far from normal. */
export const MIN_CONVERTED = 25;

/**
 * 0.1: the variant's mean is 10% above the control's; null: too few conversions to say anything. `alpha`: the chance that the
 * interval ever misses the true lift.
 */
export function alwaysValidLift(control: VariantSample, variant: VariantSample, alpha: number): Interval | null {
  if (control.converted < MIN_CONVERTED || variant.converted < MIN_CONVERTED) return null;
  const [base, other] = [momentsOf(control), momentsOf(variant)];
  if (base.mean <= 0 || other.mean <= 0) return null;
  const logRatio = Math.log(other.mean / base.mean);
  const halfWidth = alwaysValidHalfWidth(base.relativeVariance + other.relativeVariance, alpha);
  return {
    estimate: Math.expm1(logRatio),
    low: Math.expm1(logRatio - halfWidth),
    high: Math.expm1(logRatio + halfWidth),
  };
}

/** The mean per visitor with an interval that holds at all looks; null: too few conversions. */
export function alwaysValidMean(sample: VariantSample, alpha: number): Interval | null {
  if (sample.converted < MIN_CONVERTED) return null;
  const { mean, relativeVariance } = momentsOf(sample);
  if (mean <= 0) return null;
  const factor = Math.exp(alwaysValidHalfWidth(relativeVariance, alpha));
  return { estimate: mean, low: mean / factor, high: mean * factor };
}

/** Half the width of the interval of an estimate with this variance. */
export function alwaysValidHalfWidth(variance: number, alpha: number): number {
  const widened = variance + EFFECT_SCALE ** 2;
  return Math.sqrt(((2 * variance * widened) / EFFECT_SCALE ** 2) * Math.log(Math.sqrt(widened / variance) / alpha));
}

function momentsOf({ visitors, sum, sumOfSquares }: VariantSample) {
  const mean = sum / visitors;
  const variance = Math.max(0, sumOfSquares / visitors - mean * mean);
  // Assumes that at least one visitor differed: a variant in which all visitors converted is not certain.
  const atLeast = (mean * mean) / visitors;
  return { mean, relativeVariance: Math.max(variance, atLeast) / (visitors * mean * mean) };
}
