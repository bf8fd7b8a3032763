// Figures of many questions compared: how much one way gains over another, and how sure a mean is.

import { seededRandom } from '../base/seeded-random.ts';
import { shareInterval } from './intervals.ts';

const BOOTSTRAP_ROUNDS = 200;
/** Standard errors of a gain that is 95% sure: one took what later lost to popularity (bench/engine-notes.md). */
const SURE_ERRORS = 1.645;

export function mean(values: Float64Array): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Mean gain of one list over another on the same questions. */
export function pairedGain(own: Float64Array, before: Float64Array): { gain: number; standardError: number } {
  const differences = own.map((value, n) => value - before[n]);
  const gain = mean(differences);
  const variance = mean(differences.map((difference) => (difference - gain) ** 2));
  return { gain, standardError: Math.sqrt(variance / Math.max(1, differences.length - 1)) };
}

/**
 * A lower bound of the gain: the gain minus `errors` standard errors. If it is above 0, the gain is clear. With few questions
 * that differ, more standard errors are subtracted, approximately as in Student's t.
 */
export function sureGain(own: Float64Array, before: Float64Array, errors = SURE_ERRORS): number {
  const { gain, standardError } = pairedGain(own, before);
  const different = own.filter((value, n) => value !== before[n]).length;
  return gain - errors * standardError * (1 + 1 / Math.max(1, different - 1));
}

/** The first one that may be as good as the best: at most `errors` standard errors behind it. */
export function firstAsGood<T extends { readonly own: Float64Array }>(list: readonly T[], errors: number): T {
  const leading = list.reduce((most, one) => (mean(one.own) > mean(most.own) ? one : most));
  return list.find(({ own }) => sureGain(leading.own, own, errors) <= 0) ?? leading;
}

/** The mean of each user's questions, so that users with more questions do not count more. */
export function meansOfUsers(values: Float64Array, users: Uint32Array): Float64Array {
  const sums = new Map<number, { sum: number; count: number }>();
  for (const [n, user] of users.entries()) {
    const own = sums.get(user) ?? { sum: 0, count: 0 };
    own.sum += values[n];
    own.count++;
    sums.set(user, own);
  }
  return Float64Array.from(sums.values(), ({ sum, count }) => sum / count);
}

/** 95% interval of the mean of independent values. */
export function bootstrapInterval(values: Float64Array, seed: number): [number, number] {
  if (values.length === 0) return [0, 0];
  const { next: random } = seededRandom(seed);
  const means = new Float64Array(BOOTSTRAP_ROUNDS);
  for (let round = 0; round < BOOTSTRAP_ROUNDS; round++) {
    let sum = 0;
    for (let n = 0; n < values.length; n++) sum += values[Math.floor(random() * values.length)];
    means[round] = sum / values.length;
  }
  means.sort();
  return [means[Math.floor(BOOTSTRAP_ROUNDS * 0.025)], means[Math.floor(BOOTSTRAP_ROUNDS * 0.975)]];
}

/**
 * The interval for values from 0 to 1. If all are equal, resampling would claim certainty, so Wilson's interval is used, which
 * depends on their number.
 */
export function shareBootstrap(values: Float64Array, seed: number): [number, number] {
  const [low, high] = bootstrapInterval(values, seed);
  const wilson = low === high ? shareInterval(low * values.length, values.length) : null;
  return wilson === null ? [low, high] : [wilson.low, wilson.high];
}

/** Rounds for records. */
export function rounded(value: number): number {
  return Math.round(value * 1e5) / 1e5;
}
