// 95% intervals of rates and means, for one look at a report. Who looks every hour until something shows reads an experiment
// instead (always-valid.ts). The console uses them too.

const Z = 1.959963984540054;

export interface Interval {
  readonly estimate: number;
  readonly low: number;
  readonly high: number;
}

/** Wilson's interval of a share: it holds for few trials and for rates near 0 too. null: no trials. */
export function shareInterval(successes: number, trials: number): Interval | null {
  if (trials <= 0) return null;
  // If there are more clicks than items shown, some impressions were not sent.
  const share = Math.min(1, Math.max(0, successes / trials));
  const spread = Z ** 2 / trials;
  const center = (share + spread / 2) / (1 + spread);
  const half = (Z / (1 + spread)) * Math.sqrt((share * (1 - share)) / trials + spread / (4 * trials));
  return { estimate: share, low: share === 0 ? 0 : center - half, high: share === 1 ? 1 : center + half };
}

/**
 * Interval of a sum per unit. How many events come is random and so are their values: the variance of the sum is estimated by the
 * sum of the squares of the values (a compound Poisson sum). null: no units.
 */
export function meanInterval(sum: number, squares: number, units: number): Interval | null {
  if (units <= 0) return null;
  const half = Z * Math.sqrt(Math.max(0, squares));
  return { estimate: sum / units, low: (sum - half) / units, high: (sum + half) / units };
}
