// Checks whether visitors were split as planned. If not, something loses or duplicates visitors of one variant, and no figure of
// the experiment can be trusted. Like the intervals, the check may be made after every visitor (Lindon and Malek 2022): under the
// plan, the ratio of the visitors' probability with unknown shares (a Dirichlet prior around the planned ones) to that with the
// planned shares exceeds 1/α with a chance of at most α over all looks together.

/** A false alarm in one of a thousand experiments. */
const ALPHA = 0.001;
/** Strength of the prior for the planned shares, in visitors. At this value, differences of a few percent are found soonest. */
const PRIOR_VISITORS = 1000;

/** `visitors` and `shares` variant by variant; shares need not sum to 1. */
export function isSplitAsPlanned(visitors: readonly number[], shares: readonly number[]): boolean {
  const totalShare = shares.reduce((sum, share) => sum + share, 0);
  const total = visitors.reduce((sum, count) => sum + count, 0);
  let logRatio = logGamma(PRIOR_VISITORS) - logGamma(PRIOR_VISITORS + total);
  shares.forEach((share, variant) => {
    const planned = share / totalShare;
    const prior = PRIOR_VISITORS * planned;
    logRatio += logGamma(prior + visitors[variant]) - logGamma(prior) - visitors[variant] * Math.log(planned);
  });
  return logRatio < Math.log(1 / ALPHA);
}

const HALF_LOG_TWO_PI = 0.5 * Math.log(2 * Math.PI);
/** From this number on, Stirling's series is exact to the last digit. */
const LARGE = 10;

/** ln Γ(x) for x > 0. */
export function logGamma(x: number): number {
  let shift = 0;
  let at = x;
  for (; at < LARGE; at++) shift -= Math.log(at);
  const inverse = 1 / at;
  const square = inverse * inverse;
  const series = inverse * (1 / 12 - square * (1 / 360 - square * (1 / 1260 - square * (1 / 1680 - square / 1188))));
  return shift + (at - 0.5) * Math.log(at) - at + HALF_LOG_TWO_PI + series;
}
