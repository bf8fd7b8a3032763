// How far usage can be trusted: what the model expected of events that were held out while it was trained, against what they
// were. Well calibrated means that the mean prediction is the observed share, over all users and within each tenth of them by
// prediction.
import type { HeldOutDraws } from '../../artifact/held-out-draws.ts';
import type { CalibrationReport, PairCalibration } from '../results/result-head.ts';
import type { UsageSpace } from './usage-space.ts';

/** Below this the comparison says more about chance than about the model. */
const MIN_USERS = 100;
const TENTHS = 10;
const METHOD = 'events held out in training: usage as the model that was fitted without them predicts it';
const UNKNOWN = 'not known: the model was trained by an earlier version, which kept nothing to compare with';

/** One user's usage of a pair: what ranks it, what was predicted, and the share of what came that had the pair. */
export interface Expectation {
  readonly rank: number;
  readonly predicted: number;
  readonly observed: number;
}

export function calibrationOf(
  heldOut: HeldOutDraws | null | undefined,
  { listed, pairOffsets, pairs, pairCount }: Pick<UsageSpace, 'listed' | 'pairOffsets' | 'pairs' | 'pairCount'>,
): CalibrationReport {
  const unknown = (method: string, users: number) => ({ method, users, pairs: Array<null>(pairCount).fill(null) });
  if (!heldOut) return unknown(UNKNOWN, 0);
  const { draws, items, targetOffsets, targets } = heldOut;
  /** Shares by pair of the listed ones among some items; null when none is listed. */
  const sharesOf = (some: Uint32Array): Float64Array | null => {
    const shares = new Float64Array(pairCount);
    let count = 0;
    for (const item of some) {
      if (listed[item] === 0) continue;
      count++;
      for (let at = pairOffsets[item]; at < pairOffsets[item + 1]; at++) shares[pairs[at]]++;
    }
    return count === 0 ? null : shares.map((sum) => sum / count);
  };
  const expectations: Expectation[][] = Array.from({ length: pairCount }, () => []);
  let users = 0;
  for (let user = 0; user + 1 < targetOffsets.length; user++) {
    const start = user * 2 * draws;
    const rank = sharesOf(items.subarray(start, start + draws));
    const predicted = sharesOf(items.subarray(start + draws, start + 2 * draws));
    const observed = sharesOf(targets.subarray(targetOffsets[user], targetOffsets[user + 1]));
    if (rank === null || predicted === null || observed === null) continue;
    users++;
    for (let pair = 0; pair < pairCount; pair++) {
      expectations[pair].push({ rank: rank[pair], predicted: predicted[pair], observed: observed[pair] });
    }
  }
  if (users < MIN_USERS) return unknown(`too few users with held-out events (${users})`, users);
  return { method: METHOD, users, pairs: expectations.map(compare) };
}

export function compare(users: readonly Expectation[]): PairCalibration {
  const order = [...users].sort((a, b) => a.rank - b.rank);
  const mean = (from: number, to: number) => {
    const some = order.slice(from, to);
    const meanOf = (value: (user: Expectation) => number) =>
      shortShare(some.reduce((sum, user) => sum + value(user), 0) / Math.max(1, some.length));
    return { predicted: meanOf((user) => user.predicted), observed: meanOf((user) => user.observed) };
  };
  const all = mean(0, order.length);
  const tenths = Array.from({ length: TENTHS }, (_, tenth) =>
    mean(Math.floor((tenth * order.length) / TENTHS), Math.floor(((tenth + 1) * order.length) / TENTHS)),
  );
  const errors = tenths.map((tenth) => Math.abs(tenth.predicted - tenth.observed));
  return {
    ...all,
    error: shortShare(Math.abs(all.predicted - all.observed)),
    tenths,
    error_by_tenth: shortShare(errors.reduce((sum, error) => sum + error, 0) / TENTHS),
  };
}

function shortShare(value: number): number {
  return Number(value.toFixed(6));
}
