import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pairedGain, sureGain } from './compare.ts';

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
