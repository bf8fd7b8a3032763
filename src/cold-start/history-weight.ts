// How much a user's attributes count next to the history: the less, the more the history says. The weights are learned for a
// few lengths (fit-history-weights.ts); between them the weight runs with ln(1 + n), beyond the last it falls as 1 / n.
import type { HistoryWeights } from '../artifact/g1-model.ts';

/** A history longer than this many times the longest that was learned from speaks for itself. */
const SILENT_AFTER = 10;

/** `items`: the length of the history. */
export function historyWeight(learned: HistoryWeights | undefined, items: number): number {
  // Earlier models did not learn a weight for users without a history.
  if (items === 0 && learned?.counts[0] !== 0) return 1;
  if (learned === undefined || learned.counts.length === 0) return 0;
  const { counts, weights } = learned;
  const last = counts.length - 1;
  if (items > counts[last] * SILENT_AFTER) return 0;
  if (items >= counts[last]) return (weights[last] * counts[last]) / items;
  let next = 0;
  while (counts[next] < items) next++;
  if (next === 0 || counts[next] === items) return weights[next];
  const from = Math.log1p(counts[next - 1]);
  const share = (Math.log1p(items) - from) / (Math.log1p(counts[next]) - from);
  return weights[next - 1] + share * (weights[next] - weights[next - 1]);
}
