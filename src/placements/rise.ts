// Measures a trend: how far an item's events exceed what was expected. Both what was expected and what was seen are uncertain
// where numbers are small, so the rise is a lower bound, and three clicks are no trend.
//
//   x  events of the item in the window        X  events of all items in the window
//   y  events of the item in the time before   Y  events of all items in the time before
//
//   expected = max(2, U(y) · (X + 1) / (Y + 1))     the item's earlier share of all events, if it was as high as can be
//   rise     = L(x) / expected
//
// L and U are the ends of the 90% interval of the mean of a Poisson number that was seen once (Wilson and Hilferty's
// approximation of the gamma distribution's quantiles). At least 2 events are always to be expected: chance alone brings them.
// An item trends if its rise is above 1.

const Z = 1.645;
const LEAST_EXPECTED = 2;

export interface ItemFigures {
  /** events of the item in the window, and before it */
  readonly inWindow: number;
  readonly before: number;
}

export function riseOf(item: ItemFigures, all: ItemFigures): number {
  const scale = (all.inWindow + 1) / (all.before + 1);
  return lowestMean(item.inWindow) / Math.max(LEAST_EXPECTED, highestMean(item.before) * scale);
}

function lowestMean(count: number): number {
  return count === 0 ? 0 : count * Math.max(0, 1 - 1 / (9 * count) - Z / (3 * Math.sqrt(count))) ** 3;
}

function highestMean(count: number): number {
  const next = count + 1;
  return next * (1 - 1 / (9 * next) + Z / (3 * Math.sqrt(next))) ** 3;
}
