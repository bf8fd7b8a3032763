// Figures of many questions compared: how much one way gains over another, and how sure a mean is.
import { seededRandom } from '../domain/seeded-random.ts';

const BOOTSTRAP_ROUNDS = 200;
/** As many questions add another standard error to what a gain must exceed. */
const FEW_QUESTIONS = 15;

export function mean(values: Float64Array): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** How much better one list is than another on the same questions. */
export function pairedGain(own: Float64Array, before: Float64Array): { gain: number; standardError: number } {
  const differences = own.map((value, n) => value - before[n]);
  const gain = mean(differences);
  const variance = mean(differences.map((difference) => (difference - gain) ** 2));
  return { gain, standardError: Math.sqrt(variance / Math.max(1, differences.length - 1)) };
}

/**
 * What is gained at least, as far as can be told: the gain less its standard error, and more than that where questions are few.
 * Above 0, the gain is clear. Half a standard error took what later lost to popularity (bench/engine-notes.md).
 */
export function sureGain(own: Float64Array, before: Float64Array): number {
  const { gain, standardError } = pairedGain(own, before);
  return gain - standardError * (1 + FEW_QUESTIONS / Math.max(1, own.length));
}

/** Each user's mean over its questions: who is asked more often does not count more. */
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

/** As records show it. */
export function rounded(value: number): number {
  return Math.round(value * 1e5) / 1e5;
}
