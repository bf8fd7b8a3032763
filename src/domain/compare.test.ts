import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pooled } from '../../bench/quality/intervals.ts';
import {
  bootstrapInterval,
  firstAsGood,
  mean,
  meansOfUsers,
  pairedGain,
  rounded,
  shareBootstrap,
  sureGain,
} from './compare.ts';

/** `n` questions compared with 0: `gains` of them have 1, `losses` of them −1. */
function figures(n: number, gains: number, losses: number): [own: Float64Array, before: Float64Array] {
  const own = Float64Array.from({ length: n }, (_, at) => (at < gains ? 1 : at < gains + losses ? -1 : 0));
  return [own, new Float64Array(n)];
}

test('a gain that chance explains in one of ten cases is not sure', () => {
  const [own, before] = figures(600, 25, 17);
  const { gain, standardError } = pairedGain(own, before);
  assert.ok(gain > 1.2 * standardError && gain < 1.3 * standardError);
  assert.ok(sureGain(own, before) < 0);
  assert.ok(sureGain(own, before, 1) > 0, 'at least one standard error');
});

test('a gain on nearly all questions is sure, however few they are', () => {
  assert.ok(sureGain(...figures(9, 7, 0)) > 0);
});

test('two of many questions decide nothing', () => {
  assert.ok(sureGain(...figures(600, 2, 0)) < 0);
});

test('no difference is no gain', () => {
  assert.ok(sureGain(...figures(50, 0, 0)) <= 0);
});

test('of what is no more than a standard error behind the best, the first is taken', () => {
  const found = (count: number) => Float64Array.from({ length: 400 }, (_, n) => (n < count ? 1 : 0));
  // Each finds what the previous one finds, and more: 100, 101 and 130 of 400.
  const [safest, alike, best] = [found(100), found(101), found(130)].map((own) => ({ own }));
  assert.equal(firstAsGood([safest, alike], 1), safest, 'one more of 400 is chance');
  assert.equal(firstAsGood([safest, alike, best], 1), best, 'thirty more are not');
  assert.equal(firstAsGood([best, safest], 1), best);
  assert.equal(firstAsGood([safest, best, { own: found(50) }], 1), best);
  // As many found, but other questions, so none is known to be better.
  const others = { own: safest.own.toReversed() };
  assert.equal(firstAsGood([others, safest], 1), others);
});

test('an interval of figures that are never negative does not begin below 0, however few were found', () => {
  for (const found of [0, 1, 2, 5]) {
    for (const questions of [5, 40, 300]) {
      const values = Float64Array.from({ length: questions }, (_, n) => (n < found ? 0.6 : 0));
      const interval = bootstrapInterval(values, 1);
      assert.ok(interval[0] >= 0 && interval[0] <= mean(values) && mean(values) <= interval[1], `${interval}`);
      const group = { mean: mean(values), interval, count: questions };
      const [low, high] = pooled([group, group, { mean: 0.02, interval: [0, 0.09], count: 12 }]).interval;
      assert.ok(low >= 0 && high > low, `${low} to ${high}`);
    }
  }
});

test('a figure of few users is not certain because all of them are alike', () => {
  const highest = [10, 100, 1000].map((users) => shareBootstrap(new Float64Array(users), 1)[1]);
  assert.ok(highest[0] > 0.2 && highest[1] < 0.05 && highest[2] < 0.005 && highest[2] > 0, `${highest}`);
  const [low, high] = shareBootstrap(new Float64Array(10).fill(1), 1);
  assert.ok(low < 0.8 && high === 1, `${low} to ${high}`);
  const mixed = Float64Array.of(0, 1, 0, 1, 0, 0);
  assert.deepEqual(shareBootstrap(mixed, 1), bootstrapInterval(mixed, 1));
});

test('the mean of nothing is 0, and so is its interval', () => {
  assert.equal(mean(new Float64Array(0)), 0);
  assert.deepEqual(bootstrapInterval(new Float64Array(0), 1), [0, 0]);
});

test('the standard error is that of a mean of differences', () => {
  const { gain, standardError } = pairedGain(Float64Array.of(1, 2, 3, 6), Float64Array.of(1, 1, 1, 1));
  assert.equal(gain, 2);
  // Squares of the distances from 2: 4, 1, 0, 9.
  assert.equal(standardError, Math.sqrt(14 / 4 / 3));
  assert.equal(pairedGain(Float64Array.of(3), Float64Array.of(1)).standardError, 0);
});

test('the fewer questions differ, the more is asked of a gain', () => {
  const [own, before] = [Float64Array.of(1, 2, 3, 6, 1), new Float64Array(5).fill(1)];
  const { gain, standardError } = pairedGain(own, before);
  // Three of the five questions differ.
  assert.ok(Math.abs(sureGain(own, before, 2) - (gain - 2 * standardError * 1.5)) < 1e-12);
});

test('each user counts once, however often they were asked', () => {
  const means = meansOfUsers(Float64Array.of(1, 0, 0.5, 0, 1), Uint32Array.of(7, 7, 3, 7, 9));
  assert.deepEqual([...means], [1 / 3, 0.5, 1]);
});

test('an interval holds nearly all means of what could have been drawn, and is the same for the same seed', () => {
  const values = Float64Array.from({ length: 400 }, (_, n) => n % 2);
  const [low, high] = bootstrapInterval(values, 1);
  // The standard error of the mean is 0.025, and 95% are within 1.96 of them.
  assert.ok(Math.abs(low - 0.451) < 0.012 && Math.abs(high - 0.549) < 0.012, `${low} to ${high}`);
  assert.deepEqual(bootstrapInterval(values, 1), [low, high]);
  assert.notDeepEqual(bootstrapInterval(values, 2), [low, high]);
});

test('figures are shown with five digits', () => {
  assert.deepEqual([0.123454, 0.123456, 2, 0].map(rounded), [0.12345, 0.12346, 2, 0]);
});
