// Calibrates usages. For every attribute value with enough held-out events, there is a map from the share that scores predict to
// the share that users then took, and a measure of how well they agreed. Other values use the map of their attribute, other
// attributes the map of all. Fitted by training/fit-usage-maps.ts, applied by insight/usage/usage-mapper.ts.
//
// A map works on log odds, relative to the share r of the value in what is popular:
//     x = logit(share) − logit(r)        logit(usage) = logit(r) + offset + x · (x < 0 ? below : above)
// Slopes are positive, so that a larger share never becomes a smaller usage.

export interface UsageMap {
  readonly offset: number;
  /** slope where a user has less of the value than the population */
  readonly below: number;
  readonly above: number;
}

export const IDENTITY_MAP: UsageMap = { offset: 0, below: 1, above: 1 };

/** Predicted usage against what came, on questions that the map was not fitted on. */
export interface UsageFigures {
  readonly predicted: number;
  readonly observed: number;
  /** slope of observed on predicted over users */
  readonly slope: number;
  /** means within each tenth of the users by predicted usage, lowest first */
  readonly tenths: readonly { readonly predicted: number; readonly observed: number }[];
}

export interface MappedValue {
  readonly attribute: string;
  readonly value: string | number | boolean;
  readonly map: UsageMap;
  /** held-out target events with the value */
  readonly events: number;
  readonly figures: UsageFigures;
}

export interface MappedAttribute {
  readonly attribute: string;
  readonly map: UsageMap;
}

export interface UsageMaps {
  /** held-out questions that the maps were fitted on */
  readonly questions: number;
  readonly all: UsageMap;
  readonly attributes: readonly MappedAttribute[];
  readonly values: readonly MappedValue[];
}

const MIN_SHARE = 1e-9;

export function logit(share: number): number {
  const inside = Math.min(1 - MIN_SHARE, Math.max(MIN_SHARE, share));
  return Math.log(inside / (1 - inside));
}

/** `population`: share of the value in what is popular. Nothing stays nothing, and everything everything. */
export function mapUsage({ offset, below, above }: UsageMap, share: number, population: number): number {
  if (share <= 0 || population <= 0) return 0;
  if (share >= 1 || population >= 1) return 1;
  const center = logit(population);
  const x = logit(share) - center;
  return 1 / (1 + Math.exp(-(center + offset + x * (x < 0 ? below : above))));
}
