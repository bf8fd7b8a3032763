// Summarizes the usages of all users for a distribution.

export interface UsageSummary {
  /** bins + 1, from 0 to the largest usage (to 1 when nobody uses it) */
  readonly edges: Float64Array;
  readonly counts: Float64Array;
  readonly mean: number;
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

/** Sorts `usages` in place as a side effect. */
export function summarizeUsage(usages: Float32Array, bins: number): UsageSummary {
  usages.sort();
  const users = usages.length;
  const max = users === 0 ? 0 : usages[users - 1];
  const end = max > 0 ? max : 1;
  const edges = Float64Array.from({ length: bins + 1 }, (_, edge) => (edge === bins ? end : (edge * end) / bins));
  const counts = new Float64Array(bins);
  let sum = 0;
  let bin = 0;
  for (const usage of usages) {
    sum += usage;
    // A bin holds its lower edge; the last one holds its upper edge too.
    while (bin < bins - 1 && usage >= edges[bin + 1]) bin++;
    counts[bin]++;
  }
  const median =
    users === 0 ? 0 : users % 2 === 1 ? usages[users >> 1] : (usages[users / 2 - 1] + usages[users / 2]) / 2;
  return { edges, counts, mean: users === 0 ? 0 : sum / users, median, min: users === 0 ? 0 : usages[0], max };
}
