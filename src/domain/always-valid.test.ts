import assert from 'node:assert/strict';
import { test } from 'node:test';
import { alwaysValidLift, alwaysValidMean, MIN_CONVERTED, type VariantSample } from './always-valid.ts';

const ALPHA = 0.05;

/** Visitors who each click once or not at all. */
const clicks = (visitors: number, converted: number): VariantSample => ({
  visitors,
  converted,
  sum: converted,
  sumOfSquares: converted,
});

const near = (actual: number, expected: number): void =>
  assert.ok(Math.abs(actual - expected) < 1e-9 * Math.abs(expected), `${actual} instead of ${expected}`);

test('the lift is the ratio of the means, inside an interval of the formula at the top of the file', () => {
  const lift = alwaysValidLift(clicks(1000, 100), clicks(2000, 240), ALPHA)!;
  near(lift.estimate, 0.2);
  // Relative variances of both means: (1 - p) / (p n).
  const v = 0.9 / (0.1 * 1000) + 0.88 / (0.12 * 2000);
  const phi2 = 0.01;
  const half = Math.sqrt(((2 * v * (v + phi2)) / phi2) * Math.log(Math.sqrt((v + phi2) / v) / ALPHA));
  near(lift.low, 1.2 * Math.exp(-half) - 1);
  near(lift.high, 1.2 * Math.exp(half) - 1);
});

test('the mean has an interval of the same kind', () => {
  const mean = alwaysValidMean({ visitors: 400, converted: 100, sum: 500, sumOfSquares: 5000 }, ALPHA)!;
  near(mean.estimate, 1.25);
  const v = (5000 / 400 - 1.25 ** 2) / (400 * 1.25 ** 2);
  const half = Math.sqrt(((2 * v * (v + 0.01)) / 0.01) * Math.log(Math.sqrt((v + 0.01) / v) / ALPHA));
  near(mean.low, 1.25 * Math.exp(-half));
  near(mean.high, 1.25 * Math.exp(half));
});

test('more visitors and a larger chance to miss make the interval narrower', () => {
  const width = (visitors: number, alpha: number): number => {
    const { low, high } = alwaysValidMean(clicks(visitors, visitors / 10), alpha)!;
    return high - low;
  };
  assert.ok(width(10_000, ALPHA) < width(1000, ALPHA));
  assert.ok(width(1000, 0.2) < width(1000, ALPHA));
});

test('with too few conversions on either side nothing is said', () => {
  const [few, enough] = [clicks(1000, MIN_CONVERTED - 1), clicks(1000, MIN_CONVERTED)];
  assert.equal(alwaysValidLift(few, enough, ALPHA), null);
  assert.equal(alwaysValidLift(enough, few, ALPHA), null);
  assert.equal(alwaysValidMean(few, ALPHA), null);
  assert.equal(alwaysValidLift(enough, enough, ALPHA)!.estimate, 0);
  assert.equal(alwaysValidMean(enough, ALPHA)!.estimate, MIN_CONVERTED / 1000);
});

test('values that add up to nothing, or less, have no ratio', () => {
  const good = clicks(1000, 100);
  for (const sum of [0, -50]) {
    const refunded = { visitors: 1000, converted: 100, sum, sumOfSquares: 500 };
    assert.equal(alwaysValidLift(good, refunded, ALPHA), null);
    assert.equal(alwaysValidLift(refunded, good, ALPHA), null);
    assert.equal(alwaysValidMean(refunded, ALPHA), null);
  }
});

test('a variant in which everybody converted is not certain', () => {
  const { low, high } = alwaysValidMean(clicks(50, 50), ALPHA)!;
  assert.ok(low < 0.99 && high > 1.01, `${low} to ${high}`);
  const spent = alwaysValidMean({ visitors: 50, converted: 50, sum: 200, sumOfSquares: 800 }, ALPHA)!;
  near(spent.low, 4 * low);
  near(spent.high, 4 * high);
});
