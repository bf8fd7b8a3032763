import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pooled } from '../../bench/quality/intervals.ts';
import { bootstrapInterval, firstAsGood, mean, pairedGain, shareBootstrap, sureGain } from './compare.ts';

/** What `n` questions gain over 0: `gains` of them 1, `losses` of them −1. */
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
  // Each finds what the one before finds, and more: 100, 101 and 130 of 400.
  const [safest, alike, best] = [found(100), found(101), found(130)].map((own) => ({ own }));
  assert.equal(firstAsGood([safest, alike], 1), safest, 'one more of 400 is chance');
  assert.equal(firstAsGood([safest, alike, best], 1), best, 'thirty more are not');
  assert.equal(firstAsGood([best, safest], 1), best);
  // As many found, but other ones: nothing says which is better.
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
