import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom } from '../base/seeded-random.ts';
import { CalibrationFitter } from './calibration.ts';

function draw(weights: Float64Array, chance: number): number {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  let left = chance * total;
  for (let item = 0; item < weights.length; item++) {
    left -= weights[item];
    if (left <= 0) return item;
  }
  return weights.length - 1;
}

/** Users whose events follow p ∝ exp(τ z) for a known τ. */
function madeUsers(tau: number, users: number, items: number) {
  const { next: chance } = seededRandom(5);
  return Array.from({ length: users }, () => {
    const z = Float32Array.from({ length: items }, () => chance() ** 3);
    const weights = Float64Array.from(z, (score) => Math.exp(tau * score));
    return { z, targets: [draw(weights, chance()), draw(weights, chance())] };
  });
}

test('the planted tau is found again', () => {
  for (const tau of [0.5, 2, 8, 20]) {
    const fitter = new CalibrationFitter();
    for (const { z, targets } of madeUsers(tau, 1500, 200)) fitter.add(z, targets);
    const found = fitter.tau();
    assert.ok(Math.abs(Math.log(found / tau)) < 0.15, `${found} for ${tau}`);
  }
});

test('with the fitted tau every attribute value gets the share it is foretold', () => {
  const tau = 6;
  const items = 120;
  const made = madeUsers(tau, 3000, items);
  const fitter = new CalibrationFitter();
  for (const { z, targets } of made.slice(0, 1500)) fitter.add(z, targets);
  const fitted = fitter.tau();
  // value v is held by the items with item % 4 = v; look at users who are foretold much and little of it
  for (let value = 0; value < 4; value++) {
    const groups = [0, 1, 2].map(() => ({ foretold: 0, happened: 0, users: 0 }));
    for (const { z, targets } of made.slice(1500)) {
      const weights = Float64Array.from(z, (score) => Math.exp(fitted * score));
      const total = weights.reduce((sum, weight) => sum + weight, 0);
      const share = weights.reduce((sum, weight, item) => sum + (item % 4 === value ? weight : 0), 0) / total;
      const group = groups[share < 0.2 ? 0 : share < 0.3 ? 1 : 2];
      group.users++;
      group.foretold += share;
      group.happened += targets.filter((item) => item % 4 === value).length / targets.length;
    }
    for (const { foretold, happened, users } of groups) {
      if (users > 200)
        assert.ok(Math.abs(foretold - happened) / users < 0.03, `${foretold / users} ≠ ${happened / users}`);
    }
  }
});

test('excluded items and users with nothing to tell do not count', () => {
  const fitter = new CalibrationFitter();
  fitter.add(Float32Array.of(1, 1, 1), [0]);
  fitter.add(Float32Array.of(0, 1, Number.NaN), [2]);
  fitter.add(new Float32Array(0), []);
  fitter.add(Float32Array.of(0, 1), [7]);
  assert.equal(fitter.tau(), 1);
  fitter.add(Float32Array.of(0, 1, Number.NaN), [1, 0]);
  assert.ok(Number.isFinite(fitter.tau()) && fitter.tau() > 0);
});
